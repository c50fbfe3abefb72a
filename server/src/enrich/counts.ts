/**
 * What is counted while a log is enriched: the totals, the progress bar and the summary at the end.
 */
import type { Output } from '../terminal/output.ts';
import { jsonLine } from '../terminal/printable.ts';
import { ProgressBar } from '../terminal/progress-bar.ts';
import { countOf, formatCount, formatMegabytes } from '../terminal/table.ts';
import type { Input } from './input.ts';

export type Counts = {
  /** Lines, or rows of CSV including the header. */
  lines: number;
  /** Addresses looked up: found plus not found. */
  addresses: number;
  found: number;
  not_found: number;
  /**
   * Lines that are not a JSON object; rows with a different number of columns than the first.
   * Passed on unchanged.
   */
  unreadable: number;
  /** Lines above MAX_RECORD_BYTES. Passed on unchanged. */
  too_long: number;
  /** Objects that already have a member with the name to add. Passed on unchanged. */
  already_there: number;
};

export function newCounts(): Counts {
  return {
    lines: 0,
    addresses: 0,
    found: 0,
    not_found: 0,
    unreadable: 0,
    too_long: 0,
    already_there: 0,
  };
}

const REDRAW_MS = 100;

export class Progress {
  readonly #bar: ProgressBar;
  readonly #counts: Counts;
  readonly #elapsedMs: () => number;
  #drawnAtMs = 0;

  constructor(stderr: Output, counts: Counts, elapsedMs: () => number) {
    this.#bar = new ProgressBar(stderr);
    this.#counts = counts;
    this.#elapsedMs = elapsedMs;
  }

  show({ totalBytes, bytesRead }: Pick<Input, 'totalBytes' | 'bytesRead'>): void {
    const elapsedMs = this.#elapsedMs();
    if (elapsedMs - this.#drawnAtMs < REDRAW_MS) return;
    this.#drawnAtMs = elapsedMs;
    const { lines, addresses } = this.#counts;
    const size = totalBytes === undefined ? '' : ` of ${formatMegabytes(totalBytes)}`;
    const rates = `${perSecond(lines, elapsedMs)} lines/s, ${perSecond(addresses, elapsedMs)} addresses/s`;
    const share = totalBytes === undefined ? undefined : bytesRead() / totalBytes;
    this.#bar.show(`${formatMegabytes(bytesRead())}${size}, ${rates}`, share);
  }

  finish(): void {
    this.#bar.finish();
  }
}

export function formatSummary(
  counts: Counts,
  bytes: number,
  elapsedMs: number,
  isJson: boolean,
): string {
  const { lines, addresses, found, not_found, unreadable, too_long, already_there } = counts;
  const seconds = elapsedMs / 1000;
  if (isJson) {
    const addresses_per_second = elapsedMs === 0 ? 0 : Math.round(addresses / seconds);
    return jsonLine({ ...counts, bytes, seconds, addresses_per_second });
  }
  if (addresses === 0) return `no addresses found in ${countOf(lines, 'line')}${unchanged()}\n`;
  return (
    `${countOf(lines, 'line')}, ${countOf(addresses, 'address', 'es')}: ` +
    `${formatCount(found)} found, ${formatCount(not_found)} not found${unchanged()}; ` +
    `${seconds.toFixed(1)} s, ${perSecond(addresses, elapsedMs)} addresses/s\n`
  );

  function unchanged(): string {
    return [
      [unreadable, 'unreadable'],
      [too_long, 'too long'],
      [already_there, 'already enriched'],
    ]
      .filter(([count]) => count !== 0)
      .map(([count, reason]) => `; ${formatCount(count as number)} ${reason}, passed on unchanged`)
      .join('');
  }
}

function perSecond(count: number, elapsedMs: number): string {
  return formatCount(Math.round((count * 1000) / Math.max(1, elapsedMs)));
}
