/** A prefix as a row of equal cells, for a map of all of it: how much of each is announced, and what most of it is. */
import type { Range } from '@whence/dataset/prefix';
import type { ConnectionType, ThreatLevel } from '@whence/dataset/record';

export type PrefixCell = {
  /** From 0 to 1. */
  announced: number;
  /** Of the largest announced part; absent in a cell without any. */
  level?: ThreatLevel;
  connection_type?: ConnectionType;
};

const MAX_CELLS = 256n;

type Counts = { announced: bigint; levels: Map<ThreatLevel, bigint>; types: Map<ConnectionType, bigint> };

export class PrefixCells {
  readonly #start: bigint;
  readonly #cellSize: bigint;
  readonly #cells: Counts[];

  /** The size of a prefix is a power of two, so that it divides evenly. */
  constructor({ start, end }: Pick<Range, 'start' | 'end'>) {
    const size = end - start + 1n;
    const count = size < MAX_CELLS ? size : MAX_CELLS;
    this.#start = start;
    this.#cellSize = size / count;
    this.#cells = Array.from({ length: Number(count) }, () => ({ announced: 0n, levels: new Map(), types: new Map() }));
  }

  /** Adds an announced run, which may begin and end inside a cell. */
  add(start: bigint, end: bigint, level: ThreatLevel, type: ConnectionType): void {
    for (let at = start; at <= end; ) {
      const index = (at - this.#start) / this.#cellSize;
      const cellEnd = this.#start + (index + 1n) * this.#cellSize - 1n;
      const last = cellEnd < end ? cellEnd : end;
      const cell = this.#cells[Number(index)];
      if (cell === undefined) return;
      const size = last - at + 1n;
      cell.announced += size;
      cell.levels.set(level, (cell.levels.get(level) ?? 0n) + size);
      cell.types.set(type, (cell.types.get(type) ?? 0n) + size);
      at = last + 1n;
    }
  }

  all(): PrefixCell[] {
    return this.#cells.map(({ announced, levels, types }) => {
      const level = largest(levels);
      const type = largest(types);
      return {
        announced: Number((announced * 1000n) / this.#cellSize) / 1000,
        ...(level === undefined ? {} : { level }),
        ...(type === undefined ? {} : { connection_type: type }),
      };
    });
  }
}

function largest<Value>(sizes: ReadonlyMap<Value, bigint>): Value | undefined {
  let found: Value | undefined;
  let most = 0n;
  for (const [value, size] of sizes) {
    if (size <= most) continue;
    found = value;
    most = size;
  }
  return found;
}
