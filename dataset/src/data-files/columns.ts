import { isReservedAsn, parseAsn } from '../as-number.ts';
import { formatPrefix, parseCidr, parsePrefix, parseRange, type Range } from '../prefix.ts';
import type { Column } from './csv-table.ts';

/** The value or undefined, if the text is how the value is written: `013335` is not. */
const exact = <T>(text: string, value: T | undefined, written = String(value)): T | undefined =>
  written === text ? value : undefined;

export const number: Column<number> = {
  parse: (text) => (/^-?[0-9]{1,10}$/.test(text) ? exact(text, Number(text)) : undefined),
  wanted: 'a whole number',
};

export const asn: Column<number> = {
  parse: (text) => {
    const value = parseAsn(text);
    return value === undefined || isReservedAsn(value) ? undefined : exact(text, value);
  },
  wanted: 'a public AS number, such as 15169',
};

export const prefix: Column<Range> = {
  parse: (text) => {
    const cidr = text.includes('/') ? parseCidr(text) : undefined;
    return cidr && exact(text, parsePrefix(text), formatPrefix(cidr.address, cidr.length));
  },
  wanted: 'a prefix without host bits, such as 192.0.2.0/24',
};

/** For ranges that are no prefix. */
export const addressRange: Column<Range> = {
  parse: (text) => {
    if (text.includes('/')) return prefix.parse(text);
    const [first = '', last = '', ...more] = text.split('-');
    return more.length > 0 ? undefined : parseRange(first, last);
  },
  wanted: 'a prefix, or the first and the last address with a hyphen between them',
};

export const day: Column<string> = {
  parse: (text) => {
    if (!/^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(text)) return undefined;
    // 30 February is parsed as 2 March.
    return new Date(text).getUTCDate() === Number(text.slice(-2)) ? text : undefined;
  },
  wanted: 'a date, such as 2026-11-15',
};

export const flag: Column<boolean> = {
  parse: (text) => exact(text, text === 'true'),
  wanted: 'true or false',
};

export const pattern: Column<string> = {
  parse: (text) => {
    try {
      return text === '' ? undefined : new RegExp(text) && text;
    } catch {
      return undefined;
    }
  },
  wanted: 'a regular expression',
};

export const text = (maxLength = 200): Column<string> => ({
  // U+FFFD stands for bytes that are not UTF-8.
  parse: (value) =>
    /^(?! )[^\p{Cc}\uFFFD]+(?<! )$/u.test(value) && value.length <= maxLength ? value : undefined,
  wanted: `a text of at most ${maxLength} characters in UTF-8, without spaces around it`,
});

/** Texts in one cell. */
export const list = (separator: string): Column<readonly string[]> => ({
  parse: (value) =>
    value.split(separator).every((part) => part.trim() !== '') ? value.split(separator) : undefined,
  wanted: `texts separated by ${JSON.stringify(separator)}`,
});

export const oneOf = <T extends string>(values: readonly T[]): Column<T> => ({
  parse: (value) => values.find((allowed) => allowed === value),
  wanted: `one of ${values.join(', ')}`,
});

export const optional = <T>({ parse, wanted }: Column<T>): Column<T | undefined> => ({
  parse,
  wanted: `empty or ${wanted}`,
  isOptional: true,
});
