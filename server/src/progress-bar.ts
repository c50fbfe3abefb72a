/** Progress of a long command: a bar that is redrawn on a terminal, a line per step anywhere else. */
import type { Output } from './terminal.ts';

const BAR_CELLS = 24;

export class ProgressBar {
  readonly #output: Output;
  #line = '';
  readonly #onExit = () => this.finish();

  constructor(output: Output) {
    this.#output = output;
  }

  /** Without a share, because the end is not known, a terminal shows the step alone. */
  show(step: string, share: number | undefined): void {
    if (this.#output.isTTY !== true) {
      if (step !== this.#line) this.#output.write(`${step}\n`);
      this.#line = step;
      return;
    }
    // A pseudo-terminal that nobody gave a size has 0 columns.
    const line = `${share === undefined ? '' : `${drawBar(share)}  `}${step}`.slice(0, this.#output.columns || 80);
    // The process may end in the middle, when nobody reads its output any more.
    if (this.#line === '') process.on('exit', this.#onExit);
    if (line !== this.#line) this.#output.write(`\r\x1b[K${line}`);
    this.#line = line;
  }

  /** Takes the bar away; what is written next stands in its place. */
  finish(): void {
    if (this.#output.isTTY === true && this.#line !== '') this.#output.write('\r\x1b[K');
    this.#line = '';
    process.off('exit', this.#onExit);
  }
}

function drawBar(share: number): string {
  const filled = Math.round(Math.min(1, share) * BAR_CELLS);
  const percent = `${Math.floor(Math.min(1, share) * 100)}`.padStart(3);
  return `${'█'.repeat(filled)}${'░'.repeat(BAR_CELLS - filled)} ${percent} %`;
}
