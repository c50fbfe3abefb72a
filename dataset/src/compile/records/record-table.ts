// Records, numbered from 1 as the walk meets them; `renumber` applies the order of the file.

import { orderByGroup } from '../../file/consecutive-groups.ts';
import { type Intervals, MAX_RECORD, makeMatch, prefixLength, recordNumber } from '../../file/format.ts';
import type { Compiled } from '../../file/write.ts';
import { getOrInsert } from '../../get-or-insert.ts';
import type { WalkedIntervals } from '../layers/walk.ts';

export class RecordTable {
  readonly #asns: number[] = [];
  readonly #attributeSets: number[] = [];
  readonly #numbers = new Map<number, number>();

  number(asn: number, set: number): number {
    if (set >= MAX_SETS) throw new Error(`more than ${MAX_SETS} different answers and decisions`);
    return getOrInsert(this.#numbers, asn * MAX_SETS + set, () => {
      this.#attributeSets.push(set);
      return this.#asns.push(asn);
    });
  }

  /** Records by row of their network; and a function that gives intervals their new record numbers, in place. */
  renumber(rowOfAsn: ReadonlyMap<number, number>): {
    records: Compiled['records'];
    renumber: (intervals: WalkedIntervals) => Intervals;
  } {
    const count = this.#asns.length;
    if (count > MAX_RECORD)
      throw new Error(`${count} records are more than the ${MAX_RECORD} that the format can hold`);
    const rowOf = Uint32Array.from(this.#asns, (asn) => rowOfAsn.get(asn) as number);
    const order = orderByGroup(rowOf, rowOfAsn.size);
    const newNumbers = new Uint32Array(count);
    order.forEach((i, position) => {
      newNumbers[i] = position + 1;
    });
    const sets = this.#attributeSets;
    return {
      records: { rows: order.map((i) => rowOf[i] as number), attributes: order.map((i) => sets[i] as number) },
      renumber: (intervals) => {
        const { matches } = intervals;
        for (let i = 0; i < matches.length; i++) {
          const match = matches[i] as number;
          if (match !== 0) matches[i] = makeMatch(prefixLength(match), newNumbers[recordNumber(match) - 1] as number);
        }
        return intervals;
      },
    };
  }
}

/** AS numbers have 32 bits, so the key stays below 2^53 and is exact. */
const MAX_SETS = 2 ** 21;
