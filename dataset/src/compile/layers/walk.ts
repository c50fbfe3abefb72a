// Walks the layers of one address family, and gathers intervals, groups of runs, prefixes and
// counts. A run is divided where the announced prefix changes, never where only another layer
// begins.
import { MAX_RECORD, type Match, makeMatch } from '../../file/match.ts';
import { addressBits, lastAddress, spaceOf, widestPrefixLength } from '../../prefix.ts';
import { type CoveredPrefix, coveredPrefixes } from './covered-prefixes.ts';
import type { FamilyLayers } from './layers.ts';
import { type RunGroup, RunGroups } from './run-groups.ts';
import { forEachRun } from './runs.ts';

/** A match has the number of a group plus one in place of a record. */
export type WalkedIntervals = { readonly starts: bigint[]; readonly matches: Match[] };

export type WalkedFamily = {
  readonly intervals: WalkedIntervals;
  readonly groups: readonly RunGroup[];
  /** All announced space, also reserved space. */
  readonly announced: number;
  readonly covered: readonly CoveredPrefix[];
  /** By AS number: announced prefixes, covered ones included. */
  readonly prefixCounts: ReadonlyMap<number, number>;
};

const ROUTES_PER_PROGRESS = 16384;

/** `progress` is called every ROUTES_PER_PROGRESS routes with the share that is done. */
export function walkFamily(
  layers: FamilyLayers,
  progress: (share: number) => void = () => {},
): WalkedFamily {
  const { version, routes } = layers;
  const bits = addressBits(version);
  const intervals = new IntervalBuilder();
  const prefixCounts = new PrefixCounter();
  const groups = new RunGroups(version, layers.sourceOfRoute);
  let announced = 0;
  let routesDone = 0;
  let lastRoute = -1;
  forEachRun(layers, (run, start, end) => {
    const addresses = end - start + 1n;
    announced += spaceOf(version, addresses);
    if (run.reserved.row >= 0) return;
    const route = run.routes.row;
    if (route !== lastRoute && ++routesDone % ROUTES_PER_PROGRESS === 0)
      progress(routesDone / routes.rows.length);
    lastRoute = route;
    const asn = run.routes.value;
    const group = groups.add(run, addresses);
    const routeStart = routes.ranges.starts[route] as bigint;
    const routeEnd = routes.ranges.ends[route] as bigint;
    for (let at = start; at <= end; ) {
      const length = widestPrefixLength(at, routeStart, routeEnd, bits);
      const prefixEnd = lastAddress(at, length, bits);
      const last = prefixEnd < end ? prefixEnd : end;
      intervals.add(at, last, makeMatch(length, group + 1), prefixEnd);
      prefixCounts.visit(asn, prefixEnd, length);
      at = prefixEnd + 1n;
    }
  });
  if (groups.list.length > MAX_RECORD)
    throw new Error(`${groups.list.length} groups of runs are more than ${MAX_RECORD}`);
  const covered = coveredPrefixes(routes, bits);
  for (const { asn } of covered) prefixCounts.add(asn);
  return {
    intervals: intervals.finish(),
    groups: groups.list,
    announced,
    covered,
    prefixCounts: prefixCounts.counts,
  };
}

class IntervalBuilder {
  readonly #starts: bigint[] = [];
  readonly #matches: Match[] = [];
  #next = 0n;
  #prefixEnd = -1n;

  add(start: bigint, end: bigint, match: Match, prefixEnd: bigint): void {
    if (start !== this.#next) this.#push(this.#next, 0);
    // Neighbours with the same match are joined only inside a prefix: the reader finds all prefixes
    // of an AS by the starts of intervals.
    if (this.#matches.at(-1) !== match || this.#prefixEnd !== prefixEnd) this.#push(start, match);
    this.#prefixEnd = prefixEnd;
    this.#next = end + 1n;
  }

  finish(): WalkedIntervals {
    this.#push(this.#next, 0);
    return { starts: this.#starts, matches: this.#matches };
  }

  #push(start: bigint, match: Match): void {
    this.#starts.push(start);
    this.#matches.push(match);
  }
}

/**
 * Counts distinct prefixes: those of one AS and length come in ascending order, so the last one is
 * enough.
 */
class PrefixCounter {
  readonly counts = new Map<number, number>();
  readonly #last = new Map<number, bigint>();

  visit(asn: number, prefixEnd: bigint, length: number): void {
    const key = asn * 256 + length;
    if (this.#last.get(key) === prefixEnd) return;
    this.#last.set(key, prefixEnd);
    this.add(asn);
  }

  add(asn: number): void {
    this.counts.set(asn, (this.counts.get(asn) ?? 0) + 1);
  }
}
