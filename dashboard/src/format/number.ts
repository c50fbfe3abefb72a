/** Numbers in the reader's locale. */
const whole = new Intl.NumberFormat(undefined, { maximumFractionDigits: 0 });
const short = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 });
const percentage = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 1 });
const oneDigit = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 });

export const formatNumber = (value: number): string => whole.format(value);
export const formatShort = (value: number): string => short.format(value);
export const formatOneDigit = (value: number): string => oneDigit.format(value);
/** Seconds from one on. */
export const formatMs = (value: number): string =>
  value < 1000 ? `${oneDigit.format(value)} ms` : `${oneDigit.format(value / 1000)} s`;

/** `0%` is none, and `100%` is all. */
export function formatShare(part: number, of: number): string {
  if (of === 0) return percentage.format(0);
  const share = part / of;
  if (share > 0.999 && share < 1) return `>${percentage.format(0.999)}`;
  return share > 0 && share < 0.001 ? `<${percentage.format(0.001)}` : percentage.format(share);
}

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'] as const;

export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < UNITS.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${oneDigit.format(value)} ${UNITS[unit]}`;
}

/** `1 key`, `2 keys`. */
export function count(value: number, singular: string, plural = `${singular}s`): string {
  return `${formatNumber(value)} ${value === 1 ? singular : plural}`;
}

/** `12% more than yesterday`, in words. */
export function compared(now: number, before: number, beforeWords: string): string {
  if (before === 0) return now === 0 ? `same as ${beforeWords}` : `none ${beforeWords}`;
  const change = Math.round(((now - before) / before) * 100);
  if (change === 0) return `same as ${beforeWords}`;
  return `${formatNumber(Math.abs(change))}% ${change > 0 ? 'more' : 'fewer'} than ${beforeWords}`;
}
