// Ranges of addresses in typed arrays: as bigints, millions of locations would take ten times the memory. An address is
// one word (IPv4) or four (IPv6), in network order.
import type { Address } from './address.ts';

export class WordList {
  #words = new Uint32Array(1024);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Valid until the next call of `push`. */
  get words(): Uint32Array {
    return this.#words.subarray(0, this.#length);
  }

  push(word: number): void {
    if (this.#length === this.#words.length) {
      const larger = new Uint32Array(this.#length * 2);
      larger.set(this.#words);
      this.#words = larger;
    }
    this.#words[this.#length++] = word;
  }
}

export function compareWords(
  a: ArrayLike<number>,
  aAt: number,
  b: ArrayLike<number>,
  bAt: number,
  count: number,
): number {
  for (let i = 0; i < count; i++) {
    const difference = (a[aAt + i] as number) - (b[bAt + i] as number);
    if (difference !== 0) return difference;
  }
  return 0;
}

export function wordsOfAddress({ version, w0, w1, w2, w3 }: Address): number[] {
  return version === 4 ? [w0 >>> 0] : [w0 >>> 0, w1 >>> 0, w2 >>> 0, w3 >>> 0];
}

export class AddressRows {
  readonly width: 1 | 4;
  readonly #starts = new WordList();
  readonly #ends = new WordList();
  readonly #values = new WordList();
  readonly #lastEnd: Uint32Array;

  constructor(version: 4 | 6) {
    this.width = version === 4 ? 1 : 4;
    this.#lastEnd = new Uint32Array(this.width);
  }

  get length(): number {
    return this.#values.length;
  }

  get starts(): Uint32Array {
    return this.#starts.words;
  }

  get ends(): Uint32Array {
    return this.#ends.words;
  }

  get values(): Uint32Array {
    return this.#values.words;
  }

  /** Returns false, and adds nothing, unless the range comes after those that are there. */
  add(start: readonly number[], end: readonly number[], value: number): boolean {
    const { width } = this;
    if (compareWords(start, 0, end, 0, width) > 0) return false;
    if (this.length > 0 && compareWords(start, 0, this.#lastEnd, 0, width) <= 0) return false;
    for (let i = 0; i < width; i++) {
      this.#starts.push(start[i] as number);
      this.#ends.push(end[i] as number);
    }
    this.#lastEnd.set(end);
    this.#values.push(value);
    return true;
  }
}

export type ReadRows = Pick<AddressRows, 'width' | 'length' | 'starts' | 'ends' | 'values'>;

export type FamilyRows = Readonly<Record<4 | 6, AddressRows>>;
