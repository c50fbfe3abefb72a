/** A stretch of address space as a row of equal cells, for maps: how much of each is announced, and what most of it is. */
export class Cells<Kind extends string> {
  readonly count: number;
  readonly #first: bigint;
  readonly #bits: bigint;
  readonly #kinds: readonly Kind[];
  /** By cell and kind: the share of the cell, from 0 to 1. */
  readonly #shares: Float64Array;

  /** `size` and `count` are powers of two. */
  constructor(first: bigint, size: bigint, count: number, kinds: readonly Kind[]) {
    this.count = count;
    this.#first = first;
    this.#bits = BigInt((size / BigInt(count)).toString(2).length - 1);
    this.#kinds = kinds;
    this.#shares = new Float64Array(count * kinds.length);
  }

  /** Adds an announced run, which may begin and end inside a cell. */
  add(start: bigint, end: bigint, kind: Kind): void {
    const column = this.#kinds.indexOf(kind);
    const from = Number((start - this.#first) >> this.#bits);
    const to = Number((end - this.#first) >> this.#bits);
    for (let cell = from; cell <= to && cell < this.count; cell++) {
      const at = cell * this.#kinds.length + column;
      const isWhole = cell > from && cell < to;
      this.#shares[at] = (this.#shares[at] as number) + (isWhole ? 1 : this.#share(cell, start, end));
    }
  }

  /** From 0 to 1. */
  announced(cell: number): number {
    const at = cell * this.#kinds.length;
    return this.#shares.subarray(at, at + this.#kinds.length).reduce((sum, share) => sum + share, 0);
  }

  /** What most of the announced part of the cell is; the first kind in the list if two have as much. */
  most(cell: number): Kind | undefined {
    let found: Kind | undefined;
    let most = 0;
    for (const [column, kind] of this.#kinds.entries()) {
      const share = this.#shares[cell * this.#kinds.length + column] as number;
      if (share <= most) continue;
      found = kind;
      most = share;
    }
    return found;
  }

  #share(cell: number, start: bigint, end: bigint): number {
    const size = 1n << this.#bits;
    const first = this.#first + BigInt(cell) * size;
    const last = first + size - 1n;
    const covered = (end < last ? end : last) - (start > first ? start : first) + 1n;
    return Number(covered) / Number(size);
  }
}
