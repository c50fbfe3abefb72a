/**
 * Networks of looked-up addresses, by day. A look-up costs one subtraction unless it is counted; then its network is
 * searched for once more. Between two writes a process counts its first thousand look-ups, after that one in 64 on
 * average, as 64: exact where there is little traffic, an estimate where there is much. Distances between counted
 * look-ups are random, so that clients which ask in turn are counted alike.
 *
 * Memory and storage hold a top list: each write has the hundred largest networks, and all others as one.
 */
import type { Address } from '@whence/dataset/address';
import type { Dataset } from '@whence/dataset/read';
import { dayAt } from '../quota/day.ts';
import type { NetworkRow, NetworkStore } from '../storage/network-store.ts';
import { BatchWriter } from './batch-writer.ts';

/** Look-ups that are all counted, between two writes. */
export const COUNTED_ALL = 1_000;
/** After that, one in so many on average. */
export const SAMPLED = 64;
const WRITTEN = 100;
/** Networks remembered between two writes; look-ups in further ones are counted together. */
const MAX_NETWORKS = 4_096;
/** Not the number of a network (RFC 7607): all networks that are not written by themselves. */
export const OTHER_NETWORKS = 0;

export class NetworkCounts {
  readonly #writer: BatchWriter<readonly NetworkRow[]>;
  readonly #random: () => number;
  /** Look-ups until one is counted. */
  #distance = 1;
  #countedAll = 0;
  #counts = new Map<number, number>();

  constructor(store: NetworkStore, random: () => number = Math.random) {
    this.#writer = new BatchWriter((batch, rows) => store.add(batch, rows));
    this.#random = random;
  }

  /** For every look-up that found a record. */
  count(dataset: Pick<Dataset, 'find' | 'asnNumber'>, address: Address): void {
    if (--this.#distance > 0) return;
    const match = dataset.find(address);
    if (match !== 0) this.#add(dataset.asnNumber(match), this.#countedAll < COUNTED_ALL ? 1 : SAMPLED);
    if (this.#countedAll < COUNTED_ALL) this.#countedAll++;
    // Uniform from 1 to twice the mean less 1.
    this.#distance = this.#countedAll < COUNTED_ALL ? 1 : 1 + Math.floor(this.#random() * (2 * SAMPLED - 1));
  }

  /** Writes what has accumulated. If storage refuses, it is kept for the next time. */
  flush(nowMs: number): Promise<void> {
    return this.#writer.write(() => this.#collect(nowMs));
  }

  #collect(nowMs: number): NetworkRow[] | undefined {
    this.#countedAll = 0;
    this.#distance = 1;
    if (this.#counts.size === 0) return undefined;
    const { text: day } = dayAt(nowMs);
    const rows = largest(this.#counts).map(([asn, lookUps]) => ({ day, asn, lookUps }));
    this.#counts = new Map();
    return rows;
  }

  #add(asn: number, lookUps: number): void {
    const counts = this.#counts;
    const counted = counts.has(asn) || counts.size < MAX_NETWORKS ? asn : OTHER_NETWORKS;
    counts.set(counted, (counts.get(counted) ?? 0) + lookUps);
  }
}

function largest(counts: ReadonlyMap<number, number>): [asn: number, lookUps: number][] {
  const sorted = [...counts].filter(([asn]) => asn !== OTHER_NETWORKS).sort(([, a], [, b]) => b - a);
  const others = sorted.splice(WRITTEN).reduce((sum, [, lookUps]) => sum + lookUps, counts.get(OTHER_NETWORKS) ?? 0);
  return others === 0 ? sorted : [...sorted, [OTHER_NETWORKS, others]];
}
