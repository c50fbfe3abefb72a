/**
 * One kind of change in one address family: the number of networks, their total size, and the largest of them. Sizes
 * are addresses for IPv4 and /48s for IPv6, where a network smaller than a /48 counts as one: a /48 is what an IPv6
 * customer gets, and counts of IPv6 addresses would exceed the range of exact numbers.
 */
import { formatAddress } from '../address.ts';
import { addressBits, formatPrefix, fromBigInt, lastAddress, widestPrefixLength } from '../prefix.ts';

/** Identifies a change. Adjacent addresses with the same key are one network. */
type Key = string | number;
type Counted<K extends Key> = { start: bigint; end: bigint; key: K; size: number };

export class Tally<K extends Key> {
  readonly #version: 4 | 6;
  readonly #limit: number;
  readonly #largest: Counted<K>[] = [];
  #open: { start: bigint; end: bigint; key: K } | undefined;
  #count = 0;
  #size = 0;

  constructor(version: 4 | 6, limit: number) {
    this.#version = version;
    this.#limit = limit;
  }

  /** Call in ascending order. A run that continues the previous one is joined to it. */
  addRun(start: bigint, end: bigint, key: K): void {
    const open = this.#open;
    if (open !== undefined && open.key === key && open.end + 1n === start) {
      open.end = end;
      return;
    }
    this.#close();
    this.#open = { start, end, key };
  }

  /** Adds a network that is never joined, in any order. */
  add(start: bigint, end: bigint, key: K): void {
    const size = sizeOf(start, end, this.#version);
    this.#count++;
    this.#size += size;
    this.#keep({ start, end, key, size });
  }

  get count(): number {
    this.#close();
    return this.#count;
  }

  get size(): number {
    this.#close();
    return this.#size;
  }

  /** The largest first; of equal size, the lower address first. */
  largest(): { network: string; key: K; size: number }[] {
    this.#close();
    return this.#largest.map(({ start, end, key, size }) => ({
      network: formatNetwork(start, end, this.#version),
      key,
      size,
    }));
  }

  #close(): void {
    if (this.#open === undefined) return;
    const { start, end, key } = this.#open;
    this.#open = undefined;
    this.add(start, end, key);
  }

  #keep(entry: Counted<K>): void {
    const list = this.#largest;
    const last = list.at(-1);
    if (list.length >= this.#limit && (last === undefined || !isBefore(entry, last))) return;
    let from = 0;
    let to = list.length;
    while (from < to) {
      const middle = (from + to) >>> 1;
      if (isBefore(list[middle] as Counted<K>, entry)) from = middle + 1;
      else to = middle;
    }
    list.splice(from, 0, entry);
    if (list.length > this.#limit) list.pop();
  }
}

function isBefore(a: Counted<Key>, b: Counted<Key>): boolean {
  if (a.size !== b.size) return a.size > b.size;
  return a.start !== b.start ? a.start < b.start : a.end > b.end;
}

function sizeOf(start: bigint, end: bigint, version: 4 | 6): number {
  return version === 4 ? Number(end - start) + 1 : Number((end >> 80n) - (start >> 80n)) + 1;
}

/** `192.0.2.0/24` if the addresses are a prefix, else `192.0.2.0-192.0.2.130`. */
function formatNetwork(start: bigint, end: bigint, version: 4 | 6): string {
  const bits = addressBits(version);
  const length = widestPrefixLength(start, start, end, bits);
  const first = fromBigInt(start, version);
  if (lastAddress(start, length, bits) === end) return formatPrefix(first, length);
  return `${formatAddress(first)}-${formatAddress(fromBigInt(end, version))}`;
}
