/** Answers held against labelled ranges, by address and by prefix. */

import { fromBigInt } from '@whence/dataset/prefix';
import type { Dataset } from '@whence/dataset/read';
import type { IpRecord } from '@whence/dataset/record';
import { flatten } from '../../../dataset/dist/ranges.js';
import type { LabelledRanges } from './labels.ts';

type Count = { right: number; all: number };

export type Tally = {
  /** IPv4 addresses. */
  readonly addresses: Count;
  /** Ranges of the list, of both families. One is right if its first address is. */
  readonly prefixes: Count;
  /** `asn label answer` to IPv4 addresses. */
  readonly errors: ReadonlyMap<string, number>;
};

type Answer = Omit<IpRecord, 'ip' | 'prefix' | 'asn' | 'asn_name'>;

/** Addresses without an answer are left out: they are not routed. */
export function compareRanges(
  dataset: Dataset,
  { ranges, labels }: LabelledRanges,
  answerOf: (record: Answer) => string,
): Tally {
  const addresses = { right: 0, all: 0 };
  const prefixes = { right: 0, all: 0 };
  const errors = new Map<string, number>();
  const answers = new Map<number, string>();
  const answerAt = (match: number) => {
    const tail = dataset.tailOf(match);
    const answer = answers.get(tail) ?? answerOf(dataset.tail(tail));
    answers.set(tail, answer);
    return answer;
  };
  for (const version of [4, 6] as const) {
    const { starts, ends, rows, ranges: flat } = flatten(ranges[version]);
    for (let run = 0; run < rows.length; run++) {
      const label = labels[flat.values[rows[run] as number] as number] ?? '';
      if (label === '') continue;
      const end = ends[run] as bigint;
      const first = dataset.find(fromBigInt(starts[run] as bigint, version));
      if (first !== 0) {
        prefixes.all++;
        if (answerAt(first) === label) prefixes.right++;
      }
      if (version === 6) continue;
      for (let at = starts[run] as bigint; at <= end; ) {
        const address = fromBigInt(at, 4);
        const match = dataset.find(address);
        const bounds = dataset.bounds(address);
        const last = bounds.end < end ? bounds.end : end;
        const size = Number(last - at + 1n);
        at = last + 1n;
        if (match === 0) continue;
        addresses.all += size;
        const answer = answerAt(match);
        if (answer === label) addresses.right += size;
        else {
          const key = `${dataset.asnNumber(match)} ${label} ${answer}`;
          errors.set(key, (errors.get(key) ?? 0) + size);
        }
      }
    }
  }
  return { addresses, prefixes, errors };
}

/** How many of these addresses have an answer. */
export function countAnswered(dataset: Dataset, version: 4 | 6, addresses: readonly bigint[]): number {
  return addresses.filter((address) => dataset.find(fromBigInt(address, version)) !== 0).length;
}
