// How old the data of a dataset are: one built today from a routing table of June answers with the routes of June.
import type { Meta, Source } from './record.ts';

const DAY_MS = 86_400_000;

export const dayOfMs = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

type DatedSource = Pick<Source, 'as_of' | 'max_age_days'>;

/** The last day on which a list counts; undefined if it has no maximum age or no date. */
export function lastDay({ as_of, max_age_days }: DatedSource): string | undefined {
  const ms = Date.parse(as_of.slice(0, 10));
  return max_age_days === undefined || Number.isNaN(ms) ? undefined : dayOfMs(ms + max_age_days * DAY_MS);
}

/** Whether the list no longer counts on this day, however recently its server confirmed it. */
export function isTooOld(source: DatedSource, day: string): boolean {
  return (lastDay(source) ?? day) < day;
}

/** The next day, on which what counts until `day` no longer does. */
export const dayAfter = (day: string): string => dayOfMs(Date.parse(day) + DAY_MS);

export function compareLastDays(a: DatedSource, b: DatedSource): number {
  const [first = FOREVER, second = FOREVER] = [lastDay(a), lastDay(b)];
  return first === second ? 0 : first > second ? -1 : 1;
}

export const FOREVER = '9999-12-31';

/** The date of the oldest source that decides prefixes or countries. */
export function dataAsOf({ data_sources, sources }: Pick<Meta, 'data_sources' | 'sources'>): string | undefined {
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
