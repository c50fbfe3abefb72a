/**
 * Which addresses a change of records lets send, and which it no longer does, by the network that
 * announces them.
 */
import { setImmediate as nextTick } from 'node:timers/promises';
import type { Dataset } from '@whence/dataset/dataset';
import { mergeRanges, parsePrefix, type Range } from '@whence/dataset/prefix';
import type { MailSenders } from '@whence/email/mail-senders';
import type { ValueOf } from '../http/json-schema.ts';
import { networksIn } from './mail-networks.ts';
import type { trial } from './report-schema.ts';

type SenderChanges = ValueOf<typeof trial.senders>;
/**
 * `asn` is 0 for space that is not announced, and for all without a dataset. A smaller range counts
 * as one /48.
 */
type NetworkAmount = SenderChanges['gained'][number];

const MAX_NETWORKS = 20;
/** Two records of 16 KiB can differ in thousands of ranges. */
const MAX_RANGES = 1_000;
const RANGES_PER_TICK = 20;
const MAX_RUNS = 8;
const BITS_BELOW_48 = 80n;

export async function senderChanges(
  before: MailSenders,
  after: MailSenders,
  dataset: Dataset | undefined,
): Promise<SenderChanges> {
  const rangesOf = ({ ranges }: MailSenders) =>
    mergeRanges(ranges.flatMap(({ range }) => parsePrefix(range) ?? []));
  const then = rangesOf(before);
  const now = rangesOf(after);
  return {
    // Where everyone may send, a list of networks says nothing; and what was left out of one may be
    // in it.
    gained: before.isOpenToAll ? [] : await byNetwork(without(now, then), dataset),
    lost:
      after.isOpenToAll || after.rangesLeftOut > 0
        ? []
        : await byNetwork(without(then, now), dataset),
  };
}

/** What is in the first list and not in the second. */
function without(ranges: readonly Range[], taken: readonly Range[]): Range[] {
  const rest: Range[] = [];
  for (const { version, start, end } of ranges) {
    let from = start;
    for (const other of taken) {
      if (other.version !== version || other.end < from || other.start > end) continue;
      if (other.start > from) rest.push({ version, start: from, end: other.start - 1n });
      from = other.end + 1n;
    }
    if (from <= end) rest.push({ version, start: from, end });
  }
  return rest.slice(0, MAX_RANGES);
}

async function byNetwork(
  ranges: readonly Range[],
  dataset: Dataset | undefined,
): Promise<NetworkAmount[]> {
  const amounts = new Map<number, NetworkAmount>();
  for (const [i, range] of ranges.entries()) {
    if (i % RANGES_PER_TICK === 0) await nextTick();
    const size = range.end - range.start + 1n;
    const ipv4 = range.version === 4 ? Number(size) : 0;
    const slash48s = range.version === 6 ? Math.max(1, Number(size >> BITS_BELOW_48)) : 0;
    const shares = dataset === undefined ? [] : networksIn(dataset, range, MAX_RUNS).shares;
    const announced = shares.reduce((sum, { percent }) => sum + percent, 0);
    const parts =
      announced >= 100 ? shares : [...shares, { asn: 0, asn_name: '', percent: 100 - announced }];
    for (const { asn, asn_name, percent } of parts) {
      const amount = amounts.get(asn) ?? { asn, asn_name, ipv4_addresses: 0, ipv6_48s: 0 };
      amount.ipv4_addresses += Math.round((ipv4 * percent) / 100);
      amount.ipv6_48s += Math.ceil((slash48s * percent) / 100);
      amounts.set(asn, amount);
    }
  }
  const sorted = [...amounts.values()].sort(
    (a, b) => b.ipv4_addresses - a.ipv4_addresses || b.ipv6_48s - a.ipv6_48s,
  );
  return sorted.slice(0, MAX_NETWORKS);
}
