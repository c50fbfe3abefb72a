import { countBits } from '../consecutive-groups.ts';

/** A set of rows as one bit each: 15 kB for 120,000 rows. */
export class RowSet {
  readonly #words: Uint32Array;

  constructor(rows: number) {
    this.#words = new Uint32Array(Math.ceil(rows / 32));
  }

  clear(): void {
    this.#words.fill(0);
  }

  add(row: number): void {
    this.#words[row >>> 5] = (this.#words[row >>> 5] as number) | (1 << (row & 31));
  }

  intersect(other: RowSet): void {
    const others = other.#words;
    for (let i = 0; i < others.length; i++) this.#words[i] = (this.#words[i] as number) & (others[i] as number);
  }

  forEach(visit: (row: number) => void): void {
    for (let i = 0; i < this.#words.length; i++) {
      for (let word = this.#words[i] as number; word !== 0; word &= word - 1) visit(i * 32 + lowestBit(word));
    }
  }

  /** The rows in any set: in the order of the first set that has them, then of the rows. */
  static first(sets: readonly [RowSet, ...RowSet[]], limit: number): { rows: number[]; total: number } {
    const found = sets.map((): number[] => []);
    let total = 0;
    for (let i = 0; i < sets[0].#words.length; i++) {
      let seen = 0;
      for (let set = 0; set < sets.length; set++) {
        const words = (sets[set] as RowSet).#words;
        const rows = found[set] as number[];
        let word = (words[i] as number) & ~seen;
        seen |= word;
        for (; word !== 0 && rows.length < limit; word &= word - 1) rows.push(i * 32 + lowestBit(word));
      }
      total += countBits(seen);
    }
    return { rows: found.flat().slice(0, limit), total };
  }
}

const lowestBit = (word: number): number => 31 - Math.clz32(word & -word);
