/** What a threat level leaves out: without blocklists, or with old ones, a low level does not mean harmless. */
import type { DatasetReport } from '@whence/client/wire';
import type { DatasetLimits } from '@whence/server/dashboard-wire/lookups';
import { ageLevel, longDay } from './data-age.ts';

export const hasBlocklists = ({ unknown }: DatasetLimits): boolean => !unknown.includes('blocklists');

/** A sentence for every place that shows threat levels; undefined where there is nothing to add. */
export function blocklistCaveat(limits: DatasetLimits, nowMs: number): string | undefined {
  if (!hasBlocklists(limits)) return 'This dataset has no blocklists: a low level does not mean harmless.';
  const as_of = limits.dated.find(({ subject }) => subject === 'blocklists')?.as_of;
  if (as_of === undefined || ageLevel(as_of, nowMs) === 'fresh') return undefined;
  return `Blocklists as of ${longDay(as_of, nowMs)}: later reports are missing.`;
}

/** The same from the report of the dataset, for pages whose responses do not carry it. */
export function blocklistLimits({ flag_sources }: Pick<DatasetReport, 'flag_sources'>): DatasetLimits {
  const { from, as_of } = flag_sources.blocklists;
  if (from === 'none') return { unknown: ['blocklists'], dated: [] };
  return { unknown: [], dated: as_of === undefined ? [] : [{ subject: 'blocklists', as_of }] };
}
