/** The age of the data in words and as a level. The current time is passed in. */
import type { DataAge } from '@whence/server/dashboard-wire/dataset';
import { count } from './number.ts';
import { DAY_MS } from './time.ts';

/** The routes that a page of this family uses. */
export function routesOf(groups: readonly DataAge[], family: 'ipv4' | 'ipv6'): DataAge | undefined {
  return groups.find((group) => group.group === 'prefix' && (group.family ?? family) === family);
}

export type AgeLevel = 'fresh' | 'old' | 'very old';

const OLD_DAYS = 30;
const VERY_OLD_DAYS = 180;

/** `5 months old`, `today`. A day is as UTC has it. */
export function ageWords(day: string, nowMs: number): string {
  const days = Math.floor((nowMs - Date.parse(day)) / DAY_MS);
  if (days < 1) return 'today';
  if (days < OLD_DAYS) return `${count(days, 'day')} old`;
  if (days < 365) return `${count(Math.floor(days / OLD_DAYS), 'month')} old`;
  return `${count(Math.floor(days / 365), 'year')} old`;
}

export function ageLevel(day: string, nowMs: number): AgeLevel {
  const days = (nowMs - Date.parse(day)) / DAY_MS;
  if (days >= VERY_OLD_DAYS) return 'very old';
  return days >= OLD_DAYS ? 'old' : 'fresh';
}

/** `17 June`; with the year if it is not the current year. */
export function longDay(day: string, nowMs: number, locale?: string): string {
  const isThisYear = day.slice(0, 4) === new Date(nowMs).toISOString().slice(0, 4);
  const year = isThisYear ? undefined : 'numeric';
  return new Intl.DateTimeFormat(locale, {
    day: 'numeric',
    month: 'long',
    year,
    timeZone: 'UTC',
  }).format(new Date(`${day}T00:00:00Z`));
}
