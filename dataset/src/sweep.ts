// Walks several layers side by side, in ascending order; the caller reads from a cursor per layer.
import type { Layer } from './ranges.ts';

export class LayerCursor {
  readonly #layer: Layer;
  #run = 0;
  /** The row that decides the current run, or -1 where the layer says nothing. */
  row = -1;
  end = -1n;

  constructor(layer: Layer) {
    this.#layer = layer;
  }

  get value(): number {
    return this.row < 0 ? -1 : (this.#layer.ranges.values[this.row] as number);
  }

  moveTo(address: bigint): void {
    const { starts, ends, rows } = this.#layer;
    let run = this.#run;
    while (run < ends.length && (ends[run] as bigint) < address) run++;
    this.#run = run;
    if (run >= ends.length) {
      this.row = -1;
      this.end = END_OF_SPACE;
    } else if ((starts[run] as bigint) <= address) {
      this.row = rows[run] as number;
      this.end = ends[run] as bigint;
    } else {
      this.row = -1;
      this.end = (starts[run] as bigint) - 1n;
    }
  }
}

/**
 * Calls back for each run of addresses on which no layer changes. Runs that no layer covers are
 * skipped.
 */
export function sweep(
  cursors: readonly LayerCursor[],
  visit: (start: bigint, end: bigint) => void,
): void {
  for (let start = 0n; ; ) {
    let isCovered = false;
    let end = END_OF_SPACE;
    for (const cursor of cursors) {
      if (cursor.end < start) cursor.moveTo(start);
      if (cursor.row >= 0) isCovered = true;
      if (cursor.end < end) end = cursor.end;
    }
    if (end === END_OF_SPACE) return;
    if (isCovered) visit(start, end);
    start = end + 1n;
  }
}

const END_OF_SPACE = 1n << 128n;
