/**
 * Searches in network names, by processor time: what the clock says on a busy machine is mostly
 * waiting.
 */

import { AsnSearch } from '@whence/dataset/asn-search';
import type { Dataset } from '@whence/dataset/dataset';
import { isShort, makeQueries } from '@whence/testing/search-queries';
import type { Words } from '@whence/testing/seeded-random';
import { percentile } from '@whence/testing/statistics';
import { limitRow, type Row } from '../report.ts';

const WARM_UP = 500;
const SEARCHES = 4_000;
const LIMIT = 20;
const GOAL_MS = 6;
/** A server answers other requests between two steps. */
const GOAL_STEP_MS = 2;

export function measureSearches(dataset: Dataset, random: Words): Row[] {
  const search = new AsnSearch(dataset);
  const queries = makeQueries(dataset.networks, random, WARM_UP + SEARCHES);
  const costs = queries.map((query) => ({ query, ...measureSteps(search, query) }));
  const counted = costs.slice(WARM_UP);
  const long = counted.filter(({ query }) => !isShort(query));
  const short = counted.filter(({ query }) => isShort(query));
  const row = (name: string, values: readonly number[], percent: number, limit?: number) =>
    limitRow(`ASN search, ${name}, processor time`, percentile(values, percent), limit, 'ms');
  const totals = (searches: typeof costs) => searches.map(({ totalMs }) => totalMs);
  return [
    row('3 characters or more, 50th percentile', totals(long), 50),
    row('3 characters or more, 99th percentile', totals(long), 99, GOAL_MS),
    row('1 or 2 characters, 99th percentile', totals(short), 99),
    row('the first, with the text of all names', totals(costs.slice(0, 1)), 100),
    row(
      'longest step, 99th percentile',
      counted.map(({ longestStepMs }) => longestStepMs),
      99,
      GOAL_STEP_MS,
    ),
    row('slowest of all single letters, first time', firstLetters(dataset), 100),
  ];
}

type SearchCost = { readonly totalMs: number; readonly longestStepMs: number };

function measureSteps(search: AsnSearch, query: string): SearchCost {
  const steps = search.steps(query, { limit: LIMIT });
  let totalMs = 0;
  let longestStepMs = 0;
  for (let isDone = false; !isDone; ) {
    const before = process.cpuUsage();
    isDone = steps.next().done === true;
    const { user, system } = process.cpuUsage(before);
    const stepMs = (user + system) / 1000;
    totalMs += stepMs;
    longestStepMs = Math.max(longestStepMs, stepMs);
  }
  return { totalMs, longestStepMs };
}

/** The result of a letter is kept, so each is measured once. */
function firstLetters(dataset: Dataset): number[] {
  const search = new AsnSearch(dataset);
  search.search('zzzz', { limit: LIMIT });
  return [...'abcdefghijklmnopqrstuvwxyz0123456789'].map(
    (letter) => measureSteps(search, letter).totalMs,
  );
}
