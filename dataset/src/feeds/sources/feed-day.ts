/**
 * The date that a feed states, as yyyy-mm-dd. Time zones are ignored: they change it by one day at
 * most.
 */
import { dayOfMs } from '../../day.ts';

/**
 * `2025-07-24T19:16:28.780563`, `2025-07-24-20-23-14`, `Sat Aug 22 05:54:02 UTC 2026`, `Sat, 22 Aug
 * 2026 03:00:29`.
 */
export function dayOfText(text: string): string | undefined {
  const iso = /(?<![0-9])([0-9]{4})-([0-9]{2})-([0-9]{2})(?![0-9])/.exec(text);
  if (iso !== null) return day(Number(iso[1]), Number(iso[2]), Number(iso[3]));
  const dayFirst = /(?<![0-9])([0-9]{1,2}) ([A-Z][a-z]{2}) ([0-9]{4})(?![0-9])/.exec(text);
  if (dayFirst !== null)
    return day(Number(dayFirst[3]), monthNumber(dayFirst[2]), Number(dayFirst[1]));
  const monthFirst =
    /([A-Z][a-z]{2}) {1,2}([0-9]{1,2}) [0-9:]{5,8}(?: [A-Z]{3,5})? ([0-9]{4})(?![0-9])/.exec(text);
  if (monthFirst !== null)
    return day(Number(monthFirst[3]), monthNumber(monthFirst[1]), Number(monthFirst[2]));
  return undefined;
}

/**
 * The date in a comment about the date of a plain list: `# Last update: …`,
 * `; Generated 2026-08-22`.
 */
export function dayOfComment(line: string): string | undefined {
  const isDated = /^\s*(?:[#;]|\/\/).*\b(?:date|created|generated|modified|updated?)\b/i.test(line);
  return isDated ? dayOfText(line) : undefined;
}

/**
 * `ServiceTags_Public_20250721.json`, `rv2-20260101-1200.pfx2as.gz`, `dump_2026_08_20.json`,
 * `2026-03_ases.csv`.
 */
export function dayOfFileName(url: string): string | undefined {
  const name = url.replace(/[?#].*$/s, '').replace(/^.*\//s, '');
  const [, year, month, dayOfMonth = '01'] =
    /(?<![0-9])((?:19|20)[0-9]{2})([0-9]{2})([0-9]{2})(?![0-9])/.exec(name) ??
    /(?<![0-9])((?:19|20)[0-9]{2})[-_]([0-9]{2})(?:[-_]([0-9]{2}))?(?![0-9])/.exec(name) ??
    [];
  return year === undefined ? undefined : day(Number(year), Number(month), Number(dayOfMonth));
}

/** `seconds` since 1970. */
export function dayOfSeconds(seconds: unknown): string | undefined {
  if (typeof seconds !== 'number' || !(seconds > 0 && seconds < LAST_SECOND)) return undefined;
  return dayOfMs(seconds * 1000);
}

/** The end of the year 9999: later years have more than four digits. */
const LAST_SECOND = 253_402_300_800;
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

const monthNumber = (name = ''): number => MONTHS.indexOf(name) + 1;

/** Undefined for invalid dates like 2026-02-30. */
function day(year: number, month: number, dayOfMonth: number): string | undefined {
  const date = new Date(Date.UTC(year, month - 1, dayOfMonth));
  const isSame = date.getUTCMonth() === month - 1 && date.getUTCDate() === dayOfMonth;
  return isSame && year >= 1970 ? dayOfMs(date.getTime()) : undefined;
}
