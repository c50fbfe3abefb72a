import { lowerBound } from './lower-bound.ts';

type Columns = { readonly starts: bigint[]; readonly ends: bigint[]; readonly values: number[] };

/**
 * Rows of one source for one address family: ranges of addresses, each with a value. Sources have
 * rows in any order, with duplicates and with ranges inside ranges; `flatten` makes them disjoint.
 * Addresses are bigints here: plain 128-bit arithmetic, at a cost of about two seconds per build.
 */
export class Ranges {
  readonly starts: bigint[];
  readonly ends: bigint[];
  readonly values: number[];

  constructor({ starts, ends, values }: Columns = { starts: [], ends: [], values: [] }) {
    this.starts = starts;
    this.ends = ends;
    this.values = values;
  }

  add(start: bigint, end: bigint, value: number): void {
    this.starts.push(start);
    this.ends.push(end);
    this.values.push(value);
  }

  get length(): number {
    return this.values.length;
  }

  forEach(visit: (start: bigint, end: bigint, value: number, row: number) => void): void {
    for (let row = 0; row < this.values.length; row++)
      visit(this.starts[row] as bigint, this.ends[row] as bigint, this.values[row] as number, row);
  }
}

export type FamilyRanges = Readonly<Record<4 | 6, Ranges>>;

export type Layer = {
  readonly ranges: Ranges;
  readonly starts: readonly bigint[];
  readonly ends: readonly bigint[];
  readonly rows: ArrayLike<number>;
};

/** The position of the run that has the address, or -1. */
export function runAt({ starts, ends }: Pick<Layer, 'starts' | 'ends'>, address: bigint): number {
  const run = lowerBound(0, starts.length, (at) => (ends[at] as bigint) < address);
  return run < starts.length && (starts[run] as bigint) <= address ? run : -1;
}

/**
 * Where rows overlap, the narrowest decides: it is the most specific. Of equally narrow rows, the
 * later one.
 */
export function flatten(ranges: Ranges): Layer {
  const { starts, ends } = ranges;
  if (isDisjoint(ranges)) {
    const rows = new Uint32Array(starts.length);
    for (let row = 0; row < rows.length; row++) rows[row] = row;
    return { ranges, starts, ends, rows };
  }

  const order = [...starts.keys()].sort((a, b) => compare(starts[a], starts[b]) || a - b);
  const outStarts: bigint[] = [];
  const outEnds: bigint[] = [];
  const outRows: number[] = [];
  const open = new NarrowestFirst(ranges);
  let next = 0;
  let position = order.length > 0 ? (starts[order[0] as number] as bigint) : 0n;
  for (;;) {
    for (; next < order.length && (starts[order[next] as number] as bigint) <= position; next++)
      open.push(order[next] as number);
    const row = open.top(position);
    const nextStart = next < order.length ? (starts[order[next] as number] as bigint) : undefined;
    if (row === undefined) {
      if (nextStart === undefined) break;
      position = nextStart;
      continue;
    }
    const rowEnd = ends[row] as bigint;
    const end = nextStart !== undefined && nextStart <= rowEnd ? nextStart - 1n : rowEnd;
    if (outRows.at(-1) === row && outEnds.at(-1) === position - 1n)
      outEnds[outEnds.length - 1] = end;
    else {
      outStarts.push(position);
      outEnds.push(end);
      outRows.push(row);
    }
    position = end + 1n;
  }
  return { ranges, starts: outStarts, ends: outEnds, rows: outRows };
}

/** Whether `flatten` had nothing to do, as for a list of ranges. */
export const isWithoutOverlaps = ({ ranges, starts }: Layer): boolean => starts === ranges.starts;

function isDisjoint({ starts, ends }: Ranges): boolean {
  for (let i = 1; i < starts.length; i++)
    if ((starts[i] as bigint) <= (ends[i - 1] as bigint)) return false;
  return true;
}

/**
 * A heap of the rows that have begun, the narrowest on top; ended ones are removed when they reach
 * it.
 */
class NarrowestFirst {
  readonly #ranges: Ranges;
  readonly #heap: number[] = [];

  constructor(ranges: Ranges) {
    this.#ranges = ranges;
  }

  push(row: number): void {
    const heap = this.#heap;
    let at = heap.push(row) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.#before(row, heap[parent] as number)) break;
      heap[at] = heap[parent] as number;
      at = parent;
    }
    heap[at] = row;
  }

  top(position: bigint): number | undefined {
    for (;;) {
      const row = this.#heap[0];
      if (row === undefined || (this.#ranges.ends[row] as bigint) >= position) return row;
      this.#pop();
    }
  }

  #pop(): void {
    const heap = this.#heap;
    const row = heap.pop() as number;
    if (heap.length === 0) return;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && this.#before(heap[child + 1] as number, heap[child] as number))
        child++;
      if (!this.#before(heap[child] as number, row)) break;
      heap[at] = heap[child] as number;
      at = child;
    }
    heap[at] = row;
  }

  #before(a: number, b: number): boolean {
    return (compare(this.#width(a), this.#width(b)) || b - a) < 0;
  }

  #width(row: number): bigint {
    return (this.#ranges.ends[row] as bigint) - (this.#ranges.starts[row] as bigint);
  }
}

function compare(a: bigint | undefined, b: bigint | undefined): number {
  if (a === b) return 0;
  return (a as bigint) < (b as bigint) ? -1 : 1;
}
