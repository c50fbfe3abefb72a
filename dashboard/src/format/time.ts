/** Times and durations in words. The current time is passed in. */

const STEPS = [
  ['year', 365 * 86_400],
  ['month', 30 * 86_400],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

export function relativeTime(atMs: number, nowMs: number, locale?: string): string {
  const seconds = (atMs - nowMs) / 1000;
  const words = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
  for (const [unit, length] of STEPS) {
    if (Math.abs(seconds) >= length) return words.format(Math.trunc(seconds / length), unit);
  }
  return seconds > 5 ? 'in a moment' : 'just now';
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

const WEEKS_MS = 30 * 86_400_000;

/** For columns of a table: `now`, `5 min`, `3 h`, `12 d`, then the day: `1 Aug`, or `Aug 2025` of another year. */
export function shortTime(atMs: number, nowMs: number, locale?: string): string {
  const ago = Math.abs(nowMs - atMs);
  if (ago < 60_000) return 'now';
  if (ago < WEEKS_MS) return duration(ago / 1000).replace(/^(\d+ \w+) .*/, '$1');
  const isThisYear = new Date(atMs).getUTCFullYear() === new Date(nowMs).getUTCFullYear();
  const parts = isThisYear
    ? ({ day: 'numeric', month: 'short' } as const)
    : ({ month: 'short', year: 'numeric' } as const);
  return new Intl.DateTimeFormat(locale, { ...parts, timeZone: 'UTC' }).format(new Date(atMs));
}

/** `2026-08-01 13:05:09 UTC`. */
export function exactUtc(iso: string): string {
  const date = new Date(iso);
  return Number.isNaN(date.getTime()) ? iso : `${date.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** A day of UTC in the reader's locale: `1 Aug`. */
export function shortDay(day: string, locale?: string): string {
  return new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', timeZone: 'UTC' }).format(
    new Date(`${day}T00:00:00Z`),
  );
}

export function utcDay(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

export const DAY_MS = 86_400_000;
