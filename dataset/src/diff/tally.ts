/**
 * One kind of change in one address family: the number of networks, their total size, and the largest of them. Sizes
 * are addresses for IPv4 and /48s for IPv6, where a network smaller than a /48 counts as one: a /48 is what an IPv6
 * customer gets, and counts of IPv6 addresses would exceed the range of exact numbers.
 */
import { formatAddress } from '../address.ts';
import { addressBits, formatPrefix, fromBigInt, lastAddress, widestPrefixLength } from '../prefix.ts';

type Counted = { start: bigint; end: bigint; key: string; size: number };

export class Tally {
  readonly #version: 4 | 6;
  readonly #limit: number;
  readonly #largest: Counted[] = [];
  #open: { start: bigint; end: bigint; key: string } | undefined;
  #count = 0;
  #size = 0;

  constructor(version: 4 | 6, limit: number) {
    this.#version = version;
    this.#limit = limit;
  }

  /** Call in ascending order. A run that continues the previous one with the same key is joined to it. */
  addRun(start: bigint, end: bigint, key: string): void {
    const open = this.#open;
    if (open !== undefined && open.key === key && open.end + 1n === start) {
      open.end = end;
      return;
    }
    this.#close();
    this.#open = { start, end, key };
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
  largest(): { network: string; key: string; size: number }[] {
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
    const size = this.#version === 4 ? Number(end - start) + 1 : Number((end >> 80n) - (start >> 80n)) + 1;
    this.#count++;
    this.#size += size;
    const list = this.#largest;
    // Runs are closed in ascending order, so of equal ones the earlier stays first.
    let at = list.length;
    while (at > 0 && (list[at - 1] as Counted).size < size) at--;
    if (at >= this.#limit) return;
    list.splice(at, 0, { start, end, key, size });
    if (list.length > this.#limit) list.pop();
  }
}

/** `192.0.2.0/24` if the addresses are a prefix, else `192.0.2.0-192.0.2.130`. */
function formatNetwork(start: bigint, end: bigint, version: 4 | 6): string {
  const bits = addressBits(version);
  const length = widestPrefixLength(start, start, end, bits);
  const first = fromBigInt(start, version);
  if (lastAddress(start, length, bits) === end) return formatPrefix(first, length);
  return `${formatAddress(first)}-${formatAddress(fromBigInt(end, version))}`;
}
