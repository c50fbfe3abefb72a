// Announced prefixes that no address answers with, because more specific ones cover all of them; in
// the order of their networks.
//
//   covered      u32 x 2    row in asns << 8 | length; the word. IPv4
//   covered.v6   u32 x 5    the same with four words. IPv6
import { type Address, ipv4, ipv6 } from '../../address.ts';
import { lowerBound } from '../../lower-bound.ts';
import { addressBits, fromBigInt } from '../../prefix.ts';
import { bytesOf, wordsOf } from '../format.ts';

export type CompiledCovered = {
  readonly row: number;
  readonly version: 4 | 6;
  readonly base: bigint;
  readonly length: number;
};

const MAX_ROW = 0xffffff;
const ROW_WORDS = { 4: 2, 6: 5 } as const;

export function encodeCovered(
  covered: readonly CompiledCovered[],
): Record<'covered' | 'covered.v6', Uint8Array> {
  const byNetwork = [...covered].sort((a, b) => a.row - b.row);
  const section = (family: 4 | 6) => {
    const rows = byNetwork
      .filter(({ version }) => version === family)
      .flatMap(({ row, base, length }) => {
        if (row > MAX_ROW)
          throw new Error(`network ${row} is beyond the ${MAX_ROW} that the format can hold`);
        const { w0, w1, w2, w3 } = fromBigInt(base, family);
        const head = row * 256 + length;
        return family === 4 ? [head, w0] : [head, w0, w1, w2, w3];
      });
    return bytesOf(Uint32Array.from(rows));
  };
  return { covered: section(4), 'covered.v6': section(6) };
}

/** Whether every row is a prefix of one of the networks. */
export function checkCovered(bytes: Uint8Array, version: 4 | 6, networks: number): boolean {
  const rowWords = ROW_WORDS[version];
  if (bytes.length % (rowWords * 4) !== 0) return false;
  const words = wordsOf(bytes);
  for (let at = 0; at < words.length; at += rowWords) {
    const head = words[at] as number;
    if (head >>> 8 >= networks || (head & 0xff) > addressBits(version)) return false;
  }
  return true;
}

export class CoveredPrefixes {
  readonly #version: 4 | 6;
  readonly #words: Uint32Array;
  readonly #rowWords: number;

  constructor(bytes: Uint8Array, version: 4 | 6) {
    this.#version = version;
    this.#words = wordsOf(bytes);
    this.#rowWords = ROW_WORDS[version];
  }

  get count(): number {
    return this.#words.length / this.#rowWords;
  }

  rowAt(index: number): number {
    return (this.#words[index * this.#rowWords] as number) >>> 8;
  }

  at(index: number): { base: Address; length: number } {
    const at = index * this.#rowWords;
    const [head = 0, w0 = 0, w1 = 0, w2 = 0, w3 = 0] = this.#words.subarray(
      at,
      at + this.#rowWords,
    );
    return { base: this.#version === 4 ? ipv4(w0) : ipv6(w0, w1, w2, w3), length: head & 0xff };
  }

  firstOf(row: number): number {
    return lowerBound(0, this.count, (at) => this.rowAt(at) < row);
  }
}
