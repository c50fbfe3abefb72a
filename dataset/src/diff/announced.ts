/**
 * Announced prefixes that were added, were removed or have another origin. A walk over addresses meets a prefix in
 * several parts, between the more specific prefixes inside it, and the parts differ between the versions. So a prefix is kept
 * open from its first address until the walk has passed its last one. All open prefixes contain the current address, so
 * they are nested and few. The walk does not meet prefixes that more specific ones cover completely; the file lists
 * them, and they count like any other.
 */
import { type Match, prefixLength } from '../file/format.ts';
import type { Dataset } from '../file/read.ts';
import { addressBits, lastAddress } from '../prefix.ts';

type PrefixChanges = {
  gained(start: bigint, end: bigint, asn: number): void;
  lost(start: bigint, end: bigint, asn: number): void;
  moved(start: bigint, end: bigint, from: number, to: number): void;
};

type Open = { end: bigint; length: number; from: number | undefined; to: number | undefined };

export class AnnouncedPrefixes {
  readonly #before: Dataset;
  readonly #after: Dataset;
  readonly #bits: number;
  readonly #changes: PrefixChanges;
  /** Prefix to AS number; an entry is removed when its prefix is compared. */
  readonly #coveredBefore: Map<bigint, number>;
  readonly #coveredAfter: Map<bigint, number>;
  /** The shortest prefix first. */
  readonly #open: Open[] = [];

  constructor(before: Dataset, after: Dataset, version: 4 | 6, changes: PrefixChanges) {
    this.#before = before;
    this.#after = after;
    this.#bits = addressBits(version);
    this.#changes = changes;
    this.#coveredBefore = coveredPrefixes(before, version);
    this.#coveredAfter = coveredPrefixes(after, version);
  }

  /** Call in ascending order of addresses, with the match of each side, or 0. */
  visit(start: bigint, from: Match, to: Match): void {
    for (let last = this.#open.at(-1); last !== undefined && last.end < start; last = this.#open.at(-1)) {
      this.#open.pop();
      this.#compare(last);
    }
    if (from !== 0) this.#openAt(start, prefixLength(from)).from ??= this.#before.asnNumber(from);
    if (to !== 0) this.#openAt(start, prefixLength(to)).to ??= this.#after.asnNumber(to);
  }

  /** Compares the prefixes that are still open and those that the walk did not meet. */
  finish(): void {
    for (let last = this.#open.pop(); last !== undefined; last = this.#open.pop()) this.#compare(last);
    const compareCovered = (key: bigint) => {
      const length = Number(key & 0xffn);
      this.#compare({ end: key >> 8n, length, from: undefined, to: undefined });
    };
    for (const key of this.#coveredBefore.keys()) compareCovered(key);
    for (const key of this.#coveredAfter.keys()) compareCovered(key);
  }

  #openAt(start: bigint, length: number): Open {
    const open = this.#open;
    let at = open.length;
    while (at > 0 && (open[at - 1] as Open).length > length) at--;
    const found = open[at - 1];
    if (found?.length === length) return found;
    const entry = { end: lastAddress(start, length, this.#bits), length, from: undefined, to: undefined };
    if (at === open.length) open.push(entry);
    else open.splice(at, 0, entry);
    return entry;
  }

  #compare({ end, length, from, to }: Open): void {
    const key = prefixKey(end, length);
    const before = from ?? this.#coveredBefore.get(key);
    const after = to ?? this.#coveredAfter.get(key);
    this.#coveredBefore.delete(key);
    this.#coveredAfter.delete(key);
    if (before === after) return;
    const start = firstAddress(end, length, this.#bits);
    if (before === undefined) this.#changes.gained(start, end, after as number);
    else if (after === undefined) this.#changes.lost(start, end, before);
    else this.#changes.moved(start, end, before, after);
  }
}

/** A prefix by its last address and length. */
const prefixKey = (end: bigint, length: number): bigint => (end << 8n) | BigInt(length);

function firstAddress(end: bigint, length: number, bits: number): bigint {
  const hostBits = BigInt(bits - length);
  return (end >> hostBits) << hostBits;
}

/** If several networks announce a covered prefix, the lowest AS number stands for it. */
function coveredPrefixes(dataset: Dataset, version: 4 | 6): Map<bigint, number> {
  const prefixes = new Map<bigint, number>();
  for (const { base, length, asn } of dataset.coveredPrefixes(version)) {
    const key = prefixKey(lastAddress(base, length, addressBits(version)), length);
    prefixes.set(key, Math.min(asn, prefixes.get(key) ?? asn));
  }
  return prefixes;
}
