// Finds the origin of each prefix: the one that most peers see, of equals the lower AS number;
// others are kept (MOAS). Default routes, leaked host routes, prefixes that few peers see and
// reserved origins are dropped. A prefix is stored as one number: its bits (at most 24 or 48), a
// one, zeros; 192.0.2.0/23 is 1100 0000 0000 0000 0000 001 | 1 0.

import type { Address } from '../../../address.ts';
import { isReservedAsn } from '../../../as-number.ts';
import { getOrInsert } from '../../../get-or-insert.ts';
import { type FamilyRanges, Ranges } from '../../../ranges.ts';
import type { OtherOrigin } from '../../parsed.ts';

/** A prefix that fewer peers see is a leak or an experiment. */
const MIN_PEERS = 5;

export class RouteCollector {
  /** Prefix to the first row of its origins; `#next` links to the others. */
  readonly #first: Readonly<Record<4 | 6, Map<number, number>>> = { 4: new Map(), 6: new Map() };
  readonly #origins: number[] = [];
  readonly #peers: number[] = [];
  readonly #next: number[] = [];
  readonly #sets: Readonly<Record<4 | 6, Map<number, SeenSet[]>>> = { 4: new Map(), 6: new Map() };

  /** Adds to the number of peers that see this origin. Host bits of the address are ignored. */
  add(address: Address, length: number, origin: number, peers: number): void {
    const key = keyOf(address, length);
    if (key === undefined || isReservedAsn(origin)) return;
    const first = this.#first[address.version];
    const head = first.get(key);
    for (let row = head ?? NONE; row !== NONE; row = this.#next[row] as number) {
      if (this.#origins[row] !== origin) continue;
      (this.#peers[row] as number) += peers;
      return;
    }
    first.set(key, this.#origins.length);
    this.#origins.push(origin);
    this.#peers.push(peers);
    this.#next.push(head ?? NONE);
  }

  /**
   * An AS_SET (RFC 4271 §4.3) of several is used only if no row has a single origin; its first
   * member counts.
   */
  addSet(address: Address, length: number, members: readonly number[], peers: number): void {
    const key = keyOf(address, length);
    const assignable = [...new Set(members)].filter((asn) => !isReservedAsn(asn));
    if (key === undefined || assignable[0] === undefined) return;
    if (assignable.length === 1) {
      this.add(address, length, assignable[0], peers);
      return;
    }
    const sets = this.#sets[address.version];
    const seen = getOrInsert(sets, key, () => []);
    const same = seen.find((set) => set.members.join() === assignable.join());
    if (same === undefined) seen.push({ members: assignable, peers });
    else same.peers += peers;
  }

  /** Leaves out prefixes that fewer than MIN_PEERS see, over all origins. */
  finish(): { readonly ranges: FamilyRanges; readonly otherOrigins: readonly OtherOrigin[] } {
    const ranges = { 4: new Ranges(), 6: new Ranges() };
    const otherOrigins: OtherOrigin[] = [];
    for (const version of [4, 6] as const) {
      const put = (key: number, origins: readonly SeenOrigin[]) => {
        const { start, end, length } = prefixOf(key, version);
        const [chosen, ...others] = origins;
        if (chosen !== undefined) ranges[version].add(start, end, chosen.asn);
        if (others.length === 0) return;
        // With peers the chosen one is listed too, so that a reader can compare them.
        for (const { asn, peers } of chosen?.peers === undefined ? others : origins)
          otherOrigins.push({ version, start, length, asn, ...(peers !== undefined && { peers }) });
      };
      const sets = this.#sets[version];
      for (const [key, head] of this.#first[version]) {
        const rows = this.#rowsFrom(head);
        const peers = rows.reduce(
          (sum, row) => sum + (this.#peers[row] as number),
          peersOf(sets.get(key)),
        );
        if (peers < MIN_PEERS) continue;
        put(
          key,
          rows.map((row) => ({
            asn: this.#origins[row] as number,
            peers: this.#peers[row] as number,
          })),
        );
      }
      for (const [key, seen] of sets) {
        if (this.#first[version].has(key) || peersOf(seen) < MIN_PEERS) continue;
        seen.sort((a, b) => b.peers - a.peers);
        put(
          key,
          [...new Set(seen.flatMap(({ members }) => members))].map((asn) => ({ asn })),
        );
      }
    }
    return { ranges, otherOrigins };
  }

  /** The rows of one prefix, the chosen origin first. */
  #rowsFrom(head: number): number[] {
    const rows: number[] = [];
    for (let row = head; row !== NONE; row = this.#next[row] as number) rows.push(row);
    const peers = (row: number) => this.#peers[row] as number;
    const origin = (row: number) => this.#origins[row] as number;
    return rows.length === 1
      ? rows
      : rows.sort((a, b) => peers(b) - peers(a) || origin(a) - origin(b));
  }
}

/** Members of an AS_SET share the peers of the set. */
type SeenOrigin = { readonly asn: number; readonly peers?: number };
type SeenSet = { readonly members: readonly number[]; peers: number };

const NONE = -1;

/**
 * Shorter prefixes are default routes in several parts; longer ones are not meant for the global
 * table.
 */
const LENGTHS = {
  4: { shortest: 8, longest: 24, bits: 32 },
  6: { shortest: 16, longest: 48, bits: 128 },
} as const;

function peersOf(sets: readonly SeenSet[] = []): number {
  return sets.reduce((sum, set) => sum + set.peers, 0);
}

function keyOf({ version, w0, w1 }: Address, length: number): number | undefined {
  const { shortest, longest } = LENGTHS[version];
  if (length < shortest || length > longest) return undefined;
  const leading = version === 4 ? w0 >>> 8 : (w0 >>> 0) * 0x10000 + (w1 >>> 16);
  // Arithmetic instead of shifts, which would truncate the 49 bits of IPv6 to 32.
  const marker = 2 ** (longest - length);
  return (leading - (leading % marker)) * 2 + marker;
}

function prefixOf(key: number, version: 4 | 6): { start: bigint; end: bigint; length: number } {
  const { longest, bits } = LENGTHS[version];
  // The low 32 bits are zero only if the marker is bit 32, because no prefix is shorter than /16.
  const low = key | 0;
  const zeros = low === 0 ? 32 : 31 - Math.clz32(low & -low);
  const length = longest - zeros;
  const start = BigInt((key - 2 ** zeros) / 2) << BigInt(bits - longest);
  return { start, end: start + (1n << BigInt(bits - length)) - 1n, length };
}
