/** Ranges of days in the address bar: `from` and `to` as `YYYY-MM-DD` in UTC, both included. */
import { dayAt } from '../../day.ts';
import type { Ask } from './ask.ts';
import { invalid } from './refusal.ts';

const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 30;
/** More would be slow to draw and to read. */
const MAX_DAYS = 366;

type Days = { readonly from: string; readonly to: string; readonly days: string[] };

/** The last 30 days by default. */
export function parseDays({ from, to }: Ask<'getUsage'>['query'], now: Date): Days {
  const end = to === undefined ? dayAt(now.getTime()).startMs : parseDay('/to', to);
  const start = from === undefined ? end - (DEFAULT_DAYS - 1) * DAY_MS : parseDay('/from', from);
  const count = (end - start) / DAY_MS + 1;
  if (count < 1 || count > MAX_DAYS) throw invalid('/from', `a range has 1 to ${MAX_DAYS} days`);
  const days = Array.from({ length: count }, (_, i) => dayText(start + i * DAY_MS));
  return { from: dayText(start), to: dayText(end), days };
}

const dayText = (ms: number) => dayAt(ms).text;
export const dayBefore = (now: Date, count: number) => dayText(now.getTime() - count * DAY_MS);

function parseDay(path: string, text: string): number {
  const ms = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  if (Number.isNaN(ms) || dayText(ms) !== text) throw invalid(path, 'a day is written as 2026-01-31');
  return ms;
}
