/**
 * Announced prefixes that came, went, or changed hands. A walk over addresses sees a prefix in pieces, between the more specific ones inside it, and
 * not in the same pieces in both versions. So a prefix is kept open from the first address it is seen at until the walk has
 * left it: all open ones hold the current address, hence lie inside each other, hence are few. Prefixes that are wholly hidden behind more specific ones
 * are never seen; the file lists them, and they count like any other.
 */
import { type Match, prefixLength } from '../format.ts';
import { addressBits, lastAddress } from '../prefix.ts';
import type { Dataset } from '../read.ts';

export type PrefixChanges = {
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
  /** Prefix to AS, each taken out when the prefix is judged. */
  readonly #hiddenBefore: Map<bigint, number>;
  readonly #hiddenAfter: Map<bigint, number>;
  /** The widest first. */
  readonly #open: Open[] = [];

  constructor(before: Dataset, after: Dataset, version: 4 | 6, changes: PrefixChanges) {
    this.#before = before;
    this.#after = after;
    this.#bits = addressBits(version);
    this.#changes = changes;
    this.#hiddenBefore = hiddenPrefixes(before, version);
    this.#hiddenAfter = hiddenPrefixes(after, version);
  }

  /** Addresses in ascending order, with the match of each side or 0. */
  see(start: bigint, from: Match, to: Match): void {
    for (let last = this.#open.at(-1); last !== undefined && last.end < start; last = this.#open.at(-1)) {
      this.#open.pop();
      this.#judge(last);
    }
    if (from !== 0) this.#openAt(start, prefixLength(from)).from ??= this.#before.asnNumber(from);
    if (to !== 0) this.#openAt(start, prefixLength(to)).to ??= this.#after.asnNumber(to);
  }

  /** Judges what is still open and what was never seen. */
  finish(): void {
    for (let last = this.#open.pop(); last !== undefined; last = this.#open.pop()) this.#judge(last);
    const judgeHidden = (key: bigint) => {
      const length = Number(key & 0xffn);
      this.#judge({ end: key >> 8n, length, from: undefined, to: undefined });
    };
    for (const key of this.#hiddenBefore.keys()) judgeHidden(key);
    for (const key of this.#hiddenAfter.keys()) judgeHidden(key);
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

  #judge({ end, length, from, to }: Open): void {
    const key = prefixKey(end, length);
    const before = from ?? this.#hiddenBefore.get(key);
    const after = to ?? this.#hiddenAfter.get(key);
    this.#hiddenBefore.delete(key);
    this.#hiddenAfter.delete(key);
    if (before === after) return;
    const start = firstAddress(end, length, this.#bits);
    if (before === undefined) this.#changes.gained(start, end, after as number);
    else if (after === undefined) this.#changes.lost(start, end, before);
    else this.#changes.moved(start, end, before, after);
  }
}

/** A prefix by its last address, which is what the walk needs to know when it has left it. */
const prefixKey = (end: bigint, length: number): bigint => (end << 8n) | BigInt(length);

function firstAddress(end: bigint, length: number, bits: number): bigint {
  const hostBits = BigInt(bits - length);
  return (end >> hostBits) << hostBits;
}

/** Of several networks that announce a hidden prefix, the lowest number stands for it. */
function hiddenPrefixes(dataset: Dataset, version: 4 | 6): Map<bigint, number> {
  const prefixes = new Map<bigint, number>();
  for (const { base, length, asn } of dataset.hiddenPrefixes(version)) {
    const key = prefixKey(lastAddress(base, length, addressBits(version)), length);
    prefixes.set(key, Math.min(asn, prefixes.get(key) ?? asn));
  }
  return prefixes;
}
