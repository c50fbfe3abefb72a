/** What a threat level leaves out: without blocklists, or with old ones, a low level does not mean harmless. */
import type { DatasetReport } from '@whence/client/wire';
import type { DatasetLimits } from '@whence/server/dashboard-wire/lookups';
import { ageLevel, longDay } from './data-age.ts';

export const hasBlocklists = ({ unknown }: DatasetLimits): boolean => !unknown.includes('blocklists');

/** A sentence for every place that shows threat levels; undefined where there is nothing to add. */
export function blocklistCaveat(limits: DatasetLimits, nowMs: number): string | undefined {
  if (!hasBlocklists(limits)) return 'This dataset has no blocklists that count: a low level does not mean harmless.';
  const { as_of, counted_as_of } = limits.dated.find(({ subject }) => subject === 'blocklists') ?? {};
  if (counted_as_of !== undefined && as_of !== undefined)
    return `A blocklist of ${longDay(as_of, nowMs)} is too old to count; the others are of ${longDay(counted_as_of, nowMs)} or later.`;
  if (as_of === undefined || ageLevel(as_of, nowMs) === 'fresh') return undefined;
  return `Blocklists as of ${longDay(as_of, nowMs)}: later reports are missing.`;
}

/** The end of a verdict on what no list names. The date is that of the lists that count. */
export function unlistedWords(limits: DatasetLimits, nowMs: number, score = 0): string {
  if (!hasBlocklists(limits)) return '. Abuse unknown: this dataset has no blocklists';
  const listed = limits.dated.find(({ subject }) => subject === 'blocklists');
  if (listed === undefined) return score === 0 ? '. No known abuse' : '. No reported abuse';
  const { as_of, counted_as_of = as_of } = listed;
  const isFresh = counted_as_of === undefined || ageLevel(counted_as_of, nowMs) === 'fresh';
  return `. Not on any blocklist${isFresh ? '' : ` as of ${longDay(counted_as_of, nowMs, 'en-GB')}`}`;
}

/** The same from the report of the dataset, for pages whose responses do not carry it. */
export function blocklistLimits({ flag_sources, unknown_flags }: BlocklistReport): DatasetLimits {
  const { as_of } = flag_sources.blocklists;
  if (unknown_flags.includes('blocklists')) return { unknown: ['blocklists'], dated: [] };
  return { unknown: [], dated: as_of === undefined ? [] : [{ subject: 'blocklists', as_of }] };
}

type BlocklistReport = Pick<DatasetReport, 'flag_sources' | 'unknown_flags'>;
