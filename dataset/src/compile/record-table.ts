/**
 * Records, each a network and a tail, numbered from 1 in the order in which the walk meets them. The file wants them in
 * another order, which is known only after the walk: `renumber` gives it.
 */
import { type Intervals, MAX_RECORD, makeMatch, prefixLength, recordNumber } from '../file/format.ts';
import type { Compiled } from '../file/write.ts';

export class RecordTable {
  readonly #records: { readonly asn: number; readonly tail: number }[] = [];
  readonly #numbers = new Map<number, number>();

  number(asn: number, tail: number): number {
    const key = asn * MAX_TAILS + tail;
    let number = this.#numbers.get(key);
    if (number === undefined) {
      number = this.#records.push({ asn, tail });
      this.#numbers.set(key, number);
    }
    return number;
  }

  /** Records by row of their network, then by tail; and a function that gives intervals their new record numbers. */
  renumber(rowOfAsn: ReadonlyMap<number, number>): {
    records: Compiled['records'];
    renumbered: (intervals: Intervals) => Intervals;
  } {
    const sorted = this.#records
      .map(({ asn, tail }, i) => ({ asn: rowOfAsn.get(asn) as number, tail, i }))
      .sort((a, b) => a.asn - b.asn || a.tail - b.tail);
    if (sorted.length > MAX_RECORD)
      throw new Error(`${sorted.length} records are more than the ${MAX_RECORD} that the format can hold`);
    const newNumbers = new Uint32Array(sorted.length);
    sorted.forEach(({ i }, position) => {
      newNumbers[i] = position + 1;
    });
    return {
      records: sorted.map(({ asn, tail }) => ({ asn, tail })),
      renumbered: ({ starts, matches }) => ({
        starts,
        matches: matches.map((match) =>
          match === 0 ? 0 : makeMatch(prefixLength(match), newNumbers[recordNumber(match) - 1] as number),
        ),
      }),
    };
  }
}

/** AS numbers have 32 bits, so the key stays below 2^53 and is exact. */
const MAX_TAILS = 2 ** 21;
