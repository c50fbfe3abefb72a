/** The share of answers with each flag, and the counts from the figures of the dataset. */
import { parseAddress } from '@whence/dataset/address';
import type { Dataset } from '@whence/dataset/dataset';
import { FLAGS } from '@whence/dataset/record';
import { formatCount, formatTable } from '@whence/testing/console-report';
import type { Mix } from '../engine/announced-addresses.ts';

/** `threat` is every score above 0, as in the figures. */
const COUNTED_FLAGS = [...FLAGS, 'threat'] as const;

export function formatFlagShares(dataset: Dataset, mixes: readonly Mix[]): string {
  const shares = mixes.map(({ texts }) => countFlags(dataset, texts));
  const { flags } = dataset.meta.figures;
  const rows = COUNTED_FLAGS.map((flag) => {
    const { records = 0, ipv4_addresses = 0 } = flags[flag] ?? {};
    const percents = shares.map((counts, i) =>
      percent(counts.get(flag) ?? 0, mixes[i]?.texts.length ?? 0),
    );
    return [
      flag,
      ...percents,
      formatCount(records).padStart(9),
      formatCount(ipv4_addresses).padStart(14),
    ];
  });
  const titles = ['share of answers', ...mixes.map(({ name }) => name), 'runs', 'IPv4 addresses'];
  return formatTable([titles, ...rows]);
}

function countFlags(dataset: Dataset, texts: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  const count = (flag: string) => counts.set(flag, (counts.get(flag) ?? 0) + 1);
  for (const text of texts) {
    const address = parseAddress(text);
    if (address === undefined) continue;
    const { detection, threat } = dataset.record(address, dataset.find(address));
    for (const flag of FLAGS) if (detection[flag]) count(flag);
    if (threat.score > 0) count('threat');
  }
  return counts;
}

const percent = (part: number, total: number) =>
  `${((100 * part) / total).toFixed(3)}%`.padStart(8);
