// Walks the layers of one address family, asks for the record of each run, and gathers intervals, prefixes and counts.
// A run is divided where the announced prefix changes, never where only another layer begins.
import { type Intervals, type Match, makeMatch } from '../../file/format.ts';
import { addressBits, lastAddress, widestPrefixLength } from '../../prefix.ts';
import { LayerCursor, sweep } from '../../sweep.ts';
import { type CoveredPrefix, coveredPrefixes } from './covered-prefixes.ts';
import type { FamilyLayers } from './layers.ts';

/** The matches get their final record numbers when all records are known. */
export type WalkedIntervals = Intervals & { readonly matches: Match[] };

export type WalkedFamily = {
  readonly intervals: WalkedIntervals;
  readonly covered: readonly CoveredPrefix[];
  /** By AS number: announced prefixes, covered ones included. */
  readonly prefixCounts: ReadonlyMap<number, number>;
};

export type RunCursors = Readonly<ReturnType<typeof cursorsOf>>;

type WalkVisitor = {
  /** Returns the record number for the current run; `addresses` is the size of the run. */
  readonly recordOf: (run: RunCursors, addresses: bigint) => number;
  /** Called for all announced addresses, also for those in reserved space. */
  readonly announced: (addresses: bigint) => void;
  /** Called every ROUTES_PER_PROGRESS routes with the share that is done. */
  readonly progress: (share: number) => void;
};

const ROUTES_PER_PROGRESS = 16384;

export function walkFamily(layers: FamilyLayers, { recordOf, announced, progress }: WalkVisitor): WalkedFamily {
  const { version, routes } = layers;
  const bits = addressBits(version);
  const intervals = new IntervalBuilder();
  const prefixCounts = new PrefixCounter();
  const run = cursorsOf(layers);
  const { countries, ...others } = run;
  let routesDone = 0;
  let lastRoute = -1;
  sweep([...Object.values(others), ...countries], (start, end) => {
    const route = run.routes.row;
    if (route < 0) return;
    announced(end - start + 1n);
    if (run.reserved.row >= 0) return;
    if (route !== lastRoute && ++routesDone % ROUTES_PER_PROGRESS === 0) progress(routesDone / routes.rows.length);
    lastRoute = route;
    const asn = run.routes.value;
    const record = recordOf(run, end - start + 1n);
    const routeStart = routes.ranges.starts[route] as bigint;
    const routeEnd = routes.ranges.ends[route] as bigint;
    for (let at = start; at <= end; ) {
      const length = widestPrefixLength(at, routeStart, routeEnd, bits);
      const prefixEnd = lastAddress(at, length, bits);
      intervals.add(at, prefixEnd < end ? prefixEnd : end, makeMatch(length, record), prefixEnd);
      prefixCounts.visit(asn, prefixEnd, length);
      at = prefixEnd + 1n;
    }
  });
  const covered = coveredPrefixes(routes, bits);
  for (const { asn } of covered) prefixCounts.add(asn);
  return { intervals: intervals.finish(), covered, prefixCounts: prefixCounts.counts };
}

function cursorsOf(layers: FamilyLayers) {
  return {
    routes: new LayerCursor(layers.routes),
    reserved: new LayerCursor(layers.reserved),
    holder: new LayerCursor(layers.holder),
    delegatedCountry: new LayerCursor(layers.delegatedCountry),
    ianaRir: new LayerCursor(layers.ianaRir),
    overlays: new LayerCursor(layers.overlays),
    countries: layers.countries.map((layer) => new LayerCursor(layer)),
  };
}

class IntervalBuilder {
  readonly #starts: bigint[] = [];
  readonly #matches: Match[] = [];
  #next = 0n;
  #prefixEnd = -1n;

  add(start: bigint, end: bigint, match: Match, prefixEnd: bigint): void {
    if (start !== this.#next) this.#push(this.#next, 0);
    // Neighbours with the same match are joined only inside a prefix: the reader finds all prefixes of an AS by the
    // starts of intervals.
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

/** Counts distinct prefixes: those of one AS and length come in ascending order, so the last one is enough. */
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
