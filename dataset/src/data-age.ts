/**
 * How old the data of a dataset are, which is not how old its build is: a dataset built today from a routing table of
 * June answers with the routes of June.
 */
import type { Meta } from './record.ts';

/** The date of the oldest source that decides prefixes or countries. Versions without it: of the oldest source. */
export function dataAsOf({ data_sources, sources }: Pick<Meta, 'data_sources' | 'sources'>): string | undefined {
  const deciding = Object.values(data_sources ?? {}).map(({ as_of }) => as_of);
  return oldestDay(deciding.length > 0 ? deciding : sources.map(({ as_of }) => as_of));
}

/** Dates are yyyy-mm-dd; a source without a date is left out. */
export function oldestDay(days: readonly string[]): string | undefined {
  return days.filter((day) => /^[0-9]{4}-/.test(day)).sort()[0];
}

/** From the beginning of the day, in UTC; 0 for a day that has not come. */
export function ageOfDay(day: string | undefined, nowMs: number): number | undefined {
  const seconds = Math.floor((nowMs - Date.parse(day ?? '')) / 1000);
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}
