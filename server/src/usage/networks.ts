/**
 * Networks of looked-up addresses, by day. A lookup costs one subtraction unless it is counted; then its network is
 * searched for once more, unless the caller has it. Between two writes a process counts its first thousand lookups,
 * after that one in 64 on average, as 64: exact where there is little traffic, an estimate where there is much.
 * Distances between counted lookups are random, so that clients which ask in turn are counted alike.
 *
 * Memory and storage hold a top list: each write has the hundred largest networks, and all others as one.
 */
import type { Address } from '@whence/dataset/address';
import type { Match } from '@whence/dataset/internal/file/format';
import type { Dataset } from '@whence/dataset/internal/file/read';
import { dayAt } from '../day.ts';
import type { NetworkRow } from '../storage/statistics-changes.ts';
import type { NetworkStore } from '../storage/stores/usage-store.ts';
import { BatchWriter } from './batch-writer.ts';

/** Lookups that are all counted, between two writes. */
export const COUNTED_ALL = 1_000;
/** After that, one in this many is counted on average. */
const SAMPLED = 64;
const WRITTEN = 100;
/** Networks remembered between two writes; lookups in further ones are counted together. */
const MAX_NETWORKS = 4_096;
/** Not a valid network number (RFC 7607): all networks that are not written separately. */
export const OTHER_NETWORKS = 0;

export class NetworkCounts {
  readonly #writer: BatchWriter<readonly NetworkRow[]>;
  readonly #random: () => number;
  /** Lookups until one is counted. */
  #distance = 1;
  #countedAll = 0;
  #counts = new Map<number, number>();

  constructor(store: Pick<NetworkStore, 'add'>, random: () => number = Math.random) {
    this.#writer = new BatchWriter((batch, rows) => store.add(batch, rows));
    this.#random = random;
  }

  /** For every lookup that found a record. */
  count(dataset: Pick<Dataset, 'find' | 'asnNumber'>, address: Address): void {
    if (--this.#distance <= 0) this.#countMatch(dataset, dataset.find(address));
  }

  /** The same for a caller that has the match, so that it is not searched for again. */
  countMatch(dataset: Pick<Dataset, 'asnNumber'>, match: Match): void {
    if (--this.#distance <= 0) this.#countMatch(dataset, match);
  }

  #countMatch(dataset: Pick<Dataset, 'asnNumber'>, match: Match): void {
    if (match !== 0) this.#add(dataset.asnNumber(match), this.#countedAll < COUNTED_ALL ? 1 : SAMPLED);
    if (this.#countedAll < COUNTED_ALL) this.#countedAll++;
    // Uniform from 1 to twice the mean less 1.
    this.#distance = this.#countedAll < COUNTED_ALL ? 1 : 1 + Math.floor(this.#random() * (2 * SAMPLED - 1));
  }

  /** Writes what has accumulated. What storage refuses is kept for the next call. */
  flush(nowMs: number): Promise<void> {
    return this.#writer.write(() => this.#collect(nowMs));
  }

  #collect(nowMs: number): NetworkRow[] | undefined {
    this.#countedAll = 0;
    this.#distance = 1;
    if (this.#counts.size === 0) return undefined;
    const { text: day } = dayAt(nowMs);
    const rows = largest(this.#counts).map(([asn, lookups]) => ({ day, asn, lookups }));
    this.#counts = new Map();
    return rows;
  }

  #add(asn: number, lookups: number): void {
    const counts = this.#counts;
    const counted = counts.has(asn) || counts.size < MAX_NETWORKS ? asn : OTHER_NETWORKS;
    counts.set(counted, (counts.get(counted) ?? 0) + lookups);
  }
}

function largest(counts: ReadonlyMap<number, number>): [asn: number, lookups: number][] {
  const sorted = [...counts].filter(([asn]) => asn !== OTHER_NETWORKS).sort(([, a], [, b]) => b - a);
  const others = sorted.splice(WRITTEN).reduce((sum, [, lookups]) => sum + lookups, counts.get(OTHER_NETWORKS) ?? 0);
  return others === 0 ? sorted : [...sorted, [OTHER_NETWORKS, others]];
}
