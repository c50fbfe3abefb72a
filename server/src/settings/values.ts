/** Parsers of settings that are numbers, lists and single words. They throw an error that says what the value must be. */

export function parseNumber(text: string, from: number, to: number, expected: string): number {
  const value = Number(text);
  if (!/^[0-9]+$/.test(text) || value < from || value > to) throw new Error(expected);
  return value;
}

export function parsePort(text: string): number {
  return parseNumber(text, 0, 65535, 'a port from 0 to 65535');
}

const UNIT_SECONDS: Readonly<Record<string, number>> = { m: 60, h: 3600, d: 86_400 };

/** How often an update runs. Each feed still has its own refresh interval. */
export function parseInterval(text: string): number | undefined {
  if (text === 'off') return undefined;
  const [, count, unit = ''] = /^([1-9][0-9]{0,3})([mhd])$/.exec(text) ?? [];
  const seconds = Number(count) * (UNIT_SECONDS[unit] ?? Number.NaN);
  if (!(seconds >= 60 && seconds <= 30 * 86_400)) throw new Error('off, or an interval from 1m to 30d');
  return seconds;
}

/** Separated by commas. */
export function parseList(text: string): string[] {
  const items = text.split(',').map((item) => item.trim());
  return items.filter((item) => item !== '');
}

export function emptyToUndefined(text: string): string | undefined {
  return text === '' ? undefined : text;
}

/** The value becomes part of a header. */
export function parseContact(text: string): string | undefined {
  if (!/^[\x21-\x7e]{0,200}$/.test(text)) throw new Error('one word of at most 200 ASCII characters');
  return emptyToUndefined(text);
}
