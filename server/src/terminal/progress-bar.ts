/** Progress of a long command: a redrawn bar on a terminal, a line per step anywhere else. */
import type { Output } from './output.ts';
import { printable } from './printable.ts';

const BAR_CELLS = 24;
const DEFAULT_COLUMNS = 80;

export class ProgressBar {
  readonly #output: Output;
  #line = '';
  readonly #onExit = () => this.finish();

  constructor(output: Output) {
    this.#output = output;
  }

  /**
   * `share` is undefined when the total is unknown: a terminal then shows the step without a bar.
   */
  show(step: string, share: number | undefined): void {
    const text = printable(step);
    if (this.#output.isTTY !== true) {
      if (text !== this.#line) this.#output.write(`${text}\n`);
      this.#line = text;
      return;
    }
    // A pseudo-terminal without a size has 0 columns.
    const columns = this.#output.columns || DEFAULT_COLUMNS;
    const line = `${share === undefined ? '' : `${drawBar(share)}  `}${text}`.slice(0, columns);
    // Clears the bar if the process ends early, for example when standard output is closed.
    if (this.#line === '') process.on('exit', this.#onExit);
    if (line !== this.#line) this.#output.write(`\r\x1b[K${line}`);
    this.#line = line;
  }

  finish(): void {
    if (this.#output.isTTY === true && this.#line !== '') this.#output.write('\r\x1b[K');
    this.#line = '';
    process.off('exit', this.#onExit);
  }
}

function drawBar(share: number): string {
  const filled = Math.round(Math.min(1, share) * BAR_CELLS);
  const percent = `${Math.floor(Math.min(1, share) * 100)}`.padStart(3);
  return `${'█'.repeat(filled)}${'░'.repeat(BAR_CELLS - filled)} ${percent}%`;
}
