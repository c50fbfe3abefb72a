/** Searches in network names, by processor time: what the clock says on a busy machine is mostly waiting. */

import type { Dataset } from '@whence/dataset/internal/file/read';
import { AsnSearch } from '@whence/dataset/internal/lookup/asn-search';
import { isShort, makeQueries } from '@whence/testing/search-queries';
import type { Words } from '@whence/testing/seeded-random';
import { percentile } from '@whence/testing/statistics';
import { limitRow, type Row } from '../report.ts';

const WARM_UP = 500;
const SEARCHES = 4_000;
const LIMIT = 20;
const GOAL_MS = 2;

export function measureSearches(dataset: Dataset, random: Words): Row[] {
  const search = new AsnSearch(dataset);
  const queries = makeQueries(dataset.networks, random, WARM_UP + SEARCHES);
  const costs = queries.map((query) => {
    const before = process.cpuUsage();
    search.search(query, LIMIT);
    const { user, system } = process.cpuUsage(before);
    return { query, ms: (user + system) / 1000 };
  });
  const counted = costs.slice(WARM_UP);
  const row = (name: string, percent: number, limit: number | undefined, isCounted: (query: string) => boolean) =>
    limitRow(
      `ASN search, ${name}, processor time`,
      percentile(
        counted.filter(({ query }) => isCounted(query)).map(({ ms }) => ms),
        percent,
      ),
      limit,
      'ms',
    );
  return [
    row('50th percentile', 50, undefined, () => true),
    row('99th percentile', 99, GOAL_MS, () => true),
    row('99th, 1 or 2 characters', 99, GOAL_MS, isShort),
    limitRow('ASN search, slowest of all one and two letters, processor time', slowestShort(search), GOAL_MS, 'ms'),
  ];
}

/** The best of three, because the processor time of one search includes what the collector does meanwhile. */
function slowestShort(search: AsnSearch): number {
  const letters = [...'abcdefghijklmnopqrstuvwxyz0123456789'];
  const queries = [...letters, ...letters.flatMap((first) => letters.map((second) => first + second))];
  const costs = queries.map((query) =>
    Math.min(
      ...[1, 2, 3].map(() => {
        const before = process.cpuUsage();
        search.search(query, LIMIT);
        const { user, system } = process.cpuUsage(before);
        return (user + system) / 1000;
      }),
    ),
  );
  return Math.max(...costs);
}
