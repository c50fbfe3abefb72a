/**
 * One address family from all sources: walks the layers, lets `describe` say what holds on each run of addresses, and gathers
 * intervals, prefixes and counts. `prefix` is the announced prefix, so a run is divided where the prefix changes, never
 * where only an overlay begins.
 */
import { type Intervals, type Match, makeMatch } from '../format.ts';
import { addressBits, lastAddress, prefixesOfRange, widestPrefixLength } from '../prefix.ts';
import { type Layer, sweep } from './ranges.ts';

export type CoveredPrefix = { asn: number; base: bigint; length: number };

export type Merged = {
  intervals: Intervals;
  /** Announced prefixes that no address answers with, because more specific ones cover them. */
  covered: CoveredPrefix[];
  prefixCounts: Map<number, number>;
};

export type MergeInput = {
  version: 4 | 6;
  /** Values are AS numbers. */
  routes: Layer;
  /** Space that is left out whatever is announced there. */
  reserved: Layer;
  /** Any further layers; `describe` gets their rows in this order. */
  others: readonly Layer[];
  /** The record for what a row of the routes and the rows of the other layers say about these addresses. */
  describe: (route: number, rows: readonly number[], addresses: bigint) => number;
  /** Told of all addresses that somebody announces, also those in reserved space. */
  announced: (addresses: bigint) => void;
  /** Told now and then which share of the routes is done. */
  progress: (share: number) => void;
};

export function merge({ version, routes, reserved, others, describe, announced, progress }: MergeInput): Merged {
  const bits = addressBits(version);
  const intervals = new IntervalBuilder();
  const prefixCounts = new PrefixCounter();
  let routesDone = 0;
  let lastRow = -1;
  sweep([routes, reserved, ...others], (start, end, [routeRow = -1, reservedRow = -1, ...rows]) => {
    if (routeRow < 0) return;
    announced(end - start + 1n);
    if (reservedRow >= 0) return;
    if (routeRow !== lastRow && ++routesDone % 16384 === 0) progress(routesDone / routes.rows.length);
    lastRow = routeRow;
    const asn = routes.ranges.values[routeRow] as number;
    const record = describe(routeRow, rows, end - start + 1n);
    const rangeStart = routes.ranges.starts[routeRow] as bigint;
    const rangeEnd = routes.ranges.ends[routeRow] as bigint;
    for (let at = start; at <= end; ) {
      const length = widestPrefixLength(at, rangeStart, rangeEnd, bits);
      const last = lastAddress(at, length, bits);
      intervals.add(at, last < end ? last : end, makeMatch(length, record), last);
      prefixCounts.see(asn, last, length);
      at = last + 1n;
    }
  });
  const covered = coveredPrefixes(routes, bits);
  for (const { asn } of covered) prefixCounts.add(asn);
  return { intervals: intervals.finish(), covered, prefixCounts: prefixCounts.counts };
}

class IntervalBuilder {
  readonly #starts: bigint[] = [];
  readonly #matches: Match[] = [];
  #next = 0n;
  /** The last address of the prefix that the latest interval lies in. */
  #prefixEnd = -1n;

  add(start: bigint, end: bigint, match: Match, prefixEnd: bigint): void {
    if (start !== this.#next) this.#push(this.#next, 0);
    // Neighbours with one match are joined inside a prefix only: the starts of intervals are how all prefixes of an AS are found.
    if (this.#matches.at(-1) !== match || this.#prefixEnd !== prefixEnd) this.#push(start, match);
    this.#prefixEnd = prefixEnd;
    this.#next = end + 1n;
  }

  finish(): Intervals {
    this.#push(this.#next, 0);
    return { starts: this.#starts, matches: this.#matches };
  }

  #push(start: bigint, match: Match): void {
    this.#starts.push(start);
    this.#matches.push(match);
  }
}

/** Counts distinct prefixes. Those of one AS and one length come in ascending order, so remembering the last one is enough. */
class PrefixCounter {
  readonly counts = new Map<number, number>();
  readonly #last = new Map<number, bigint>();

  see(asn: number, lastAddressOfPrefix: bigint, length: number): void {
    const key = asn * 256 + length;
    if (this.#last.get(key) === lastAddressOfPrefix) return;
    this.#last.set(key, lastAddressOfPrefix);
    this.add(asn);
  }

  add(asn: number): void {
    this.counts.set(asn, (this.counts.get(asn) ?? 0) + 1);
  }
}

function coveredPrefixes({ ranges, starts, ends, rows }: Layer, bits: number): CoveredPrefix[] {
  const visible = new Map<number, bigint>();
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i] as number;
    visible.set(row, (visible.get(row) ?? 0n) + (ends[i] as bigint) - (starts[i] as bigint) + 1n);
  }
  const covered: CoveredPrefix[] = [];
  for (let row = 0; row < ranges.length; row++) {
    const start = ranges.starts[row] as bigint;
    const end = ranges.ends[row] as bigint;
    if (visible.get(row) === end - start + 1n) continue;
    const asn = ranges.values[row] as number;
    for (const [base, length] of prefixesOfRange(start, end, bits)) {
      if (isVisible(row, base, lastAddress(base, length, bits))) continue;
      covered.push({ asn, base, length });
    }
  }
  return covered;

  /** Whether some run of the layer inside first..last is decided by the row, or by one that says the same of the same range. */
  function isVisible(row: number, first: bigint, last: bigint): boolean {
    for (let i = runAt(first); i < rows.length && (starts[i] as bigint) <= last; i++) {
      const winner = rows[i] as number;
      if ((ends[i] as bigint) < first) continue;
      if (
        winner === row ||
        (ranges.values[winner] === ranges.values[row] &&
          ranges.starts[winner] === ranges.starts[row] &&
          ranges.ends[winner] === ranges.ends[row])
      ) {
        return true;
      }
    }
    return false;
  }

  function runAt(address: bigint): number {
    let from = 0;
    let to = starts.length - 1;
    while (from < to) {
      const middle = (from + to + 1) >>> 1;
      if ((starts[middle] as bigint) <= address) from = middle;
      else to = middle - 1;
    }
    return from;
  }
}
