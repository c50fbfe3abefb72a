/**
 * What a threat level leaves out: without blocklists, or with old ones, a low level does not mean
 * harmless.
 */
import type { ThreatGap } from '@whence/dataset/record';
import type { DatasetLimits } from '@whence/server/dashboard-wire/lookups';
import { ageLevel, longDay } from './data-age.ts';

const GAP_WORDS: Readonly<Record<ThreatGap, string>> = {
  blocklists: 'no current attack lists',
  is_tor_exit: 'no current list of Tor exits',
  expired_list: 'a list with the address has expired',
};

/** What is shown instead of a score that is not complete. */
export const notKnown = (gap: ThreatGap): string => `not known: ${GAP_WORDS[gap]}`;

const hasBlocklists = ({ unknown }: DatasetLimits): boolean => !unknown.includes('blocklists');
const missingWords = ({ dated }: DatasetLimits): string =>
  dated.some(({ subject }) => subject === 'blocklists')
    ? 'the blocklists of this dataset are too old to count'
    : 'this dataset has no blocklists';

/** A sentence for every place that shows threat levels; undefined where there is nothing to add. */
export function blocklistCaveat(limits: DatasetLimits, nowMs: number): string | undefined {
  if (limits.threat_gap !== undefined) return `Threat ${notKnown(limits.threat_gap)}.`;
  if (!hasBlocklists(limits)) return `A low level does not mean harmless: ${missingWords(limits)}.`;
  const { as_of, counted_as_of } =
    limits.dated.find(({ subject }) => subject === 'blocklists') ?? {};
  if (counted_as_of !== undefined && as_of !== undefined)
    return `A blocklist of ${longDay(as_of, nowMs)} is too old to count; the others are of ${longDay(counted_as_of, nowMs)} or later.`;
  if (as_of === undefined || ageLevel(as_of, nowMs) === 'fresh') return undefined;
  return `Blocklists as of ${longDay(as_of, nowMs)}: later reports are missing.`;
}

/** The end of a verdict on what no list names. The date is that of the lists that count. */
export function unlistedWords(limits: DatasetLimits, nowMs: number, score = 0): string {
  if (limits.threat_gap !== undefined)
    return score > 0
      ? `. Risk at least ${score} of 100: ${GAP_WORDS[limits.threat_gap]}`
      : `. Risk ${notKnown(limits.threat_gap)}`;
  if (!hasBlocklists(limits)) return `. Abuse unknown: ${missingWords(limits)}`;
  const listed = limits.dated.find(({ subject }) => subject === 'blocklists');
  if (listed === undefined) return score === 0 ? '. No known abuse' : '. No reported abuse';
  const { as_of, counted_as_of = as_of } = listed;
  const isFresh = counted_as_of === undefined || ageLevel(counted_as_of, nowMs) === 'fresh';
  return `. Not on any blocklist${isFresh ? '' : ` as of ${longDay(counted_as_of, nowMs, 'en-GB')}`}`;
}
