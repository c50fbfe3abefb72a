// How old the data of a dataset are: one built today from a routing table of June answers with the
// routes of June. A flag that no source knows, or only a list that is too old, is false everywhere,
// which must not be taken for "it is not"; a list can become too old while a server runs.
import { DAY_MS, dayOfMs } from './day.ts';
import {
  FLAG_FACTS,
  FLAG_SUBJECTS,
  FLAGS,
  type FlagSubject,
  type Meta,
  type Source,
  type ThreatGap,
  type ThreatKnowledge,
} from './record.ts';

type DatedSource = Pick<Source, 'as_of' | 'max_age_days'>;

/** The last day on which a list counts; undefined if it has no maximum age or no date. */
export function lastDay({ as_of, max_age_days }: DatedSource): string | undefined {
  const ms = Date.parse(as_of.slice(0, 10));
  return max_age_days === undefined || Number.isNaN(ms)
    ? undefined
    : dayOfMs(ms + max_age_days * DAY_MS);
}

/** Whether the list no longer counts on this day, however recently its server confirmed it. */
export function isTooOld(source: DatedSource, day: string): boolean {
  return (lastDay(source) ?? day) < day;
}

export function compareLastDays(a: DatedSource, b: DatedSource): number {
  const first = lastDay(a) ?? FOREVER;
  const second = lastDay(b) ?? FOREVER;
  if (first === second) return 0;
  return first > second ? -1 : 1;
}

export const FOREVER = '9999-12-31';

/** The date of the oldest source that decides prefixes or countries. */
export function dataAsOf({
  data_sources,
  sources,
}: Pick<Meta, 'data_sources' | 'sources'>): string | undefined {
  const deciding = Object.values(data_sources).map(({ as_of }) => as_of);
  return oldestDay(deciding.length > 0 ? deciding : sources.map(({ as_of }) => as_of));
}

export function oldestDay(days: readonly string[]): string | undefined {
  return days.filter((day) => /^[0-9]{4}-/.test(day)).sort()[0];
}

/** From the beginning of the day, in UTC; 0 for a day that has not come. */
export function ageOfDay(day: string | undefined, nowMs: number): number | undefined {
  const seconds = Math.floor((nowMs - Date.parse(day ?? '')) / 1000);
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}

/** Kinds of lists that change from day to day. Facts that last do not make them known. */
const VOLATILE: ReadonlySet<FlagSubject> = new Set([
  ...FLAGS.filter((flag) => FLAG_FACTS[flag].isShortLived),
  'blocklists',
  'criminal_netblocks',
  'relay',
]);

type FlagMeta = Pick<Meta, 'flag_sources' | 'sources'>;

/** `tooOld`: sources of dated flags that no longer count. */
export type FlagKnowledge = {
  readonly unknown: readonly FlagSubject[];
  readonly dated: readonly FlagSubject[];
  readonly tooOld: Readonly<Partial<Record<FlagSubject, readonly Source[]>>>;
};

/** `unknown`: no current list has them; lasting rows still count. `dated`: a list has expired. */
export function flagKnowledge(meta: FlagMeta, day: string): FlagKnowledge {
  const unknown: FlagSubject[] = [];
  const dated: FlagSubject[] = [];
  const tooOld: Partial<Record<FlagSubject, readonly Source[]>> = {};
  for (const subject of FLAG_SUBJECTS) {
    const deciding = sourcesOf(meta, subject);
    const expired = deciding.filter((source) => isTooOld(source, day));
    if (!deciding.some((source) => isTelling(subject, source, day))) unknown.push(subject);
    if (expired.length > 0) {
      dated.push(subject);
      tooOld[subject] = expired;
    }
  }
  return { unknown, dated, tooOld };
}

type ThreatMeta = Pick<Meta, 'threat_lists' | 'flag_sources' | 'sources'>;
type ThreatGaps = Readonly<Record<'ipv4' | 'ipv6', ThreatGap | undefined>>;

/** The kind of list without which scores of a family may be too low. */
export function threatGaps(meta: ThreatMeta, day: string): ThreatGaps {
  const gapOf = (family: 'ipv4' | 'ipv6') =>
    (['blocklists', 'is_tor_exit'] as const).find(
      (subject) =>
        !sourcesOf(meta, subject).some(
          (source) =>
            meta.threat_lists[family].includes(source.id) && isTelling(subject, source, day),
        ),
    );
  return { ipv4: gapOf('ipv4'), ipv6: gapOf('ipv6') };
}

export function threatKnowledge(meta: ThreatMeta, day: string): ThreatKnowledge {
  const { ipv4, ipv6 } = threatGaps(meta, day);
  return { ipv4: ipv4 === undefined, ipv6: ipv6 === undefined };
}

/** Whether what the source does not list is known not to be. */
function isTelling(subject: FlagSubject, source: Source, day: string): boolean {
  if (isTooOld(source, day)) return false;
  if (!VOLATILE.has(subject)) return true;
  return !isLasting(source) && (subject !== 'blocklists' || source.is_broad === true);
}

/** A table of facts that do not change. */
const isLasting = ({ is_table, max_age_days }: Source): boolean =>
  is_table === true && max_age_days === undefined;

function sourcesOf({ flag_sources, sources }: FlagMeta, subject: FlagSubject): Source[] {
  const ids = flag_sources[subject].sources;
  return sources.filter(({ id }) => ids.includes(id));
}
