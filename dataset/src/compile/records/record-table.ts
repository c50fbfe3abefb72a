// Records, numbered from 0 in the order of their first groups; `renumber` applies the order of the
// file.

import { orderByGroup } from '../../file/consecutive-groups.ts';
import type { Intervals } from '../../file/format.ts';
import { MAX_RECORD, makeMatch, prefixLength, recordNumber } from '../../file/match.ts';
import type { Compiled } from '../../file/write.ts';
import { lastAddress } from '../../prefix.ts';
import { PairNumbers } from '../layers/pair-numbers.ts';
import type { WalkedIntervals } from '../layers/walk.ts';

export class RecordTable {
  readonly #asns: number[] = [];
  readonly #attributeSets: number[] = [];
  readonly #numbers = new PairNumbers();

  number(asn: number, set: number): number {
    const number = this.#numbers.of(asn, set);
    if (number === this.#asns.length) {
      this.#asns.push(asn);
      this.#attributeSets.push(set);
    }
    return number;
  }

  /**
   * Records by row of their network; and a function that gives intervals their record numbers, in
   * place, by the record of each group.
   */
  renumber(rowOfAsn: ReadonlyMap<number, number>): {
    records: Compiled['records'];
    renumber: (intervals: WalkedIntervals, recordOfGroup: Uint32Array, bits: number) => Intervals;
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
      records: {
        rows: order.map((i) => rowOf[i] as number),
        attributes: order.map((i) => sets[i] as number),
      },
      renumber: (intervals, recordOfGroup, bits) =>
        withRecords(
          intervals,
          recordOfGroup.map((record) => newNumbers[record] as number),
          bits,
        ),
    };
  }
}

/** Neighbours inside a prefix are joined if their groups have the same record. */
function withRecords(
  { starts, matches }: WalkedIntervals,
  recordOfGroup: Uint32Array,
  bits: number,
): Intervals {
  let count = 0;
  let last = 0;
  for (let i = 0; i < matches.length; i++) {
    const walked = matches[i] as number;
    const start = starts[i] as bigint;
    const length = prefixLength(walked);
    const match =
      walked === 0 ? 0 : makeMatch(length, recordOfGroup[recordNumber(walked) - 1] as number);
    // Other prefixes stay divided: the reader finds all prefixes of an AS by the starts of
    // intervals.
    const isJoined =
      count > 0 &&
      match === last &&
      start <= lastAddress(starts[count - 1] as bigint, length, bits);
    if (isJoined) continue;
    starts[count] = start;
    matches[count] = match;
    last = match;
    count++;
  }
  starts.length = count;
  matches.length = count;
  return { starts, matches };
}
