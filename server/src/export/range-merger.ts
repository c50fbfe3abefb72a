/** Merges adjacent ranges with the same value. Ranges must be added in ascending order. */
import type { Range } from '@whence/dataset/prefix';

export class RangeMerger<Value> {
  readonly #emit: (range: Range, value: Value) => void;
  #open: { version: 4 | 6; start: bigint; end: bigint; value: Value } | undefined;

  constructor(emit: (range: Range, value: Value) => void) {
    this.#emit = emit;
  }

  add({ version, start, end }: Range, value: Value): void {
    const open = this.#open;
    if (open !== undefined && open.version === version && open.value === value && open.end + 1n === start) {
      open.end = end;
      return;
    }
    this.finish();
    this.#open = { version, start, end, value };
  }

  /** Call it after the last range. */
  finish(): void {
    if (this.#open !== undefined) this.#emit(this.#open, this.#open.value);
    this.#open = undefined;
  }
}
