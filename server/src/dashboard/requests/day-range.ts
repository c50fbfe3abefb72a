/** Ranges of days in the address bar: `from` and `to` as `YYYY-MM-DD` in UTC, both included. */
import { DAY_MS, dayAt, dayOfMs, isDay } from '../../day.ts';
import type { Ask } from './ask.ts';
import { invalid } from './refusal.ts';

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
  const days = Array.from({ length: count }, (_, i) => dayOfMs(start + i * DAY_MS));
  return { from: dayOfMs(start), to: dayOfMs(end), days };
}

function parseDay(path: string, text: string): number {
  if (!isDay(text)) throw invalid(path, 'a day is written as 2026-01-31');
  return Date.parse(text);
}
