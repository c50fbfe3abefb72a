/** Times and durations in words. The current time is passed in. */

const STEPS = [
  ['year', 365 * 86_400],
  ['month', 30 * 86_400],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

/**
 * What has happened is never in the future, and what is ahead never in the past, whatever the
 * clocks say.
 */
export function relativeTime(
  atMs: number,
  nowMs: number,
  isAhead = false,
  locale?: string,
): string {
  const seconds = Math.abs(isAhead ? Math.max(0, atMs - nowMs) : Math.min(0, atMs - nowMs)) / 1000;
  const words = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
  for (const [unit, length] of STEPS) {
    if (seconds >= length)
      return words.format(
        isAhead ? Math.round(seconds / length) : -Math.trunc(seconds / length),
        unit,
      );
  }
  return isAhead ? 'in a moment' : 'just now';
}

/** A day of UTC that has come: `today`, `yesterday`, `3 days ago`, `2 months ago`. */
export function relativeDay(day: string, nowMs: number, locale?: string): string {
  const days = Math.max(
    0,
    Math.round((Date.parse(utcDay(nowMs)) - Date.parse(day.slice(0, 10))) / DAY_MS),
  );
  const words = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
  if (days < 30) return words.format(-days, 'day');
  return days < 365
    ? words.format(-Math.floor(days / 30), 'month')
    : words.format(-Math.floor(days / 365), 'year');
}

const SHORT = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
] as const;

/** The two largest units: `5 h 12 min`, `3 d 4 h`, `45 s`. */
export function duration(seconds: number): string {
  const total = Math.max(0, Math.round(seconds));
  const first = SHORT.findIndex(([, length]) => total >= length);
  if (first < 0) return '0 s';
  let rest = total;
  const parts: string[] = [];
  for (const [unit, length] of SHORT.slice(first, first + 2)) {
    const amount = Math.floor(rest / length);
    rest -= amount * length;
    if (amount > 0) parts.push(`${amount} ${unit}`);
  }
  return parts.join(' ');
}

export const HOUR_MS = 3_600_000;
const WEEKS_MS = 30 * 86_400_000;

/**
 * For columns of a table: `now`, `5 min`, `3 h`, `12 d`, then the day: `1 Aug`, or `Aug 2025` of
 * another year.
 */
export function shortTime(atMs: number, nowMs: number, locale?: string): string {
  const ago = Math.abs(nowMs - atMs);
  if (ago < 60_000) return 'now';
  if (ago < WEEKS_MS) {
    const rounding = atMs < nowMs ? 0 : halfUnit(ago);
    return duration((ago + rounding) / 1000).replace(/^(\d+ \w+) .*/, '$1');
  }
  const isThisYear = new Date(atMs).getUTCFullYear() === new Date(nowMs).getUTCFullYear();
  const parts = isThisYear
    ? ({ day: 'numeric', month: 'short' } as const)
    : ({ month: 'short', year: 'numeric' } as const);
  return new Intl.DateTimeFormat(locale, { ...parts, timeZone: 'UTC' }).format(new Date(atMs));
}

/** What is 5 d 23 h ahead is in 6 d; what was 5 d 23 h ago was 5 d ago. */
function halfUnit(aheadMs: number): number {
  if (aheadMs >= DAY_MS) return DAY_MS / 2;
  return aheadMs >= HOUR_MS ? HOUR_MS / 2 : 0;
}

/** `2026-08-01 13:05:09 UTC`. */
export function exactUtc(iso: string): string {
  const date = new Date(iso);
  return Number.isNaN(date.getTime())
    ? iso
    : `${date.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** A day of UTC in the reader's locale: `1 Aug`. */
export function shortDay(day: string, locale?: string): string {
  return new Intl.DateTimeFormat(locale, {
    day: 'numeric',
    month: 'short',
    timeZone: 'UTC',
  }).format(new Date(`${day}T00:00:00Z`));
}

export function utcDay(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

export const DAY_MS = 86_400_000;

/** An hour of UTC by its start: `15 Nov, 13:00`. */
export const shortHour = (at: string, locale?: string): string =>
  `${shortDay(at.slice(0, 10), locale)}, ${at.slice(11, 16)}`;
