// The built-in catalogue. Of several sources for a field the first in this order decides.
// `min_records` is about half of what a feed had in 2026, `max_records` at least five times as
// much.
import { feeds, labelledNetworks } from '../data-files/data-files.ts';
import type { Feed } from './feed.ts';

export const builtInFeeds: () => readonly Feed[] = feeds.derived((rows) =>
  rows.map(({ note, as_of, networks, ...row }) => {
    const asns = networks?.flatMap(networksOf);
    // The tests give every row to the parser of an operator's catalogue, which checks formats and
    // drives.
    return { ...row, ...(asns && { asns }) } as Feed;
  }),
);

const networksByProvider = labelledNetworks.derived((rows) => {
  const asns = new Map<string, number[]>();
  for (const { asn, cloud_provider } of rows)
    if (cloud_provider !== undefined)
      asns.set(cloud_provider, [...(asns.get(cloud_provider) ?? []), asn]);
  return asns;
});

function networksOf(name: string): readonly number[] {
  return networksByProvider().get(name) ?? [Number(name)];
}
