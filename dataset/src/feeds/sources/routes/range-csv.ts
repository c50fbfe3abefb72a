// The CSV files of ip-location-db: `first,last,asn,"name"` and `first,last,country`. A feed skips
// rows that cannot be parsed, a pinned file is refused.
import { isReservedAsn, parseAsn } from '../../../as-number.ts';
import { encodeCountry } from '../../../country-code.ts';
import type { Content } from '../../../io/content.ts';
import { csvRow } from '../../../io/csv-row.ts';
import { parseRange } from '../../../prefix.ts';
import { type FamilyRanges, Ranges } from '../../../ranges.ts';
import type { Countries, Routes } from '../../parsed.ts';
import { withCoveringPrefixes, withoutJoinedPrefixes } from './covering-prefix.ts';

type OnUnreadable = (line: string, number: number, problem: string) => void;

/** The first name of each AS number is kept. Rows with a reserved number are left out. */
export function parseRangeCsvAsn(content: Content, onUnreadable: OnUnreadable = ignore): Routes {
  const names = new Map<number, string>();
  const read = parseRanges(content, onUnreadable, (rest) => {
    const comma = rest.indexOf(',');
    const asn = parseAsn(rest.slice(0, Math.max(comma, 0)));
    if (asn === undefined || asn === 0) return undefined;
    if (isReservedAsn(asn)) return NO_VALUE;
    if (!names.has(asn)) names.set(asn, csvRow(rest.slice(comma + 1)).join());
    return asn;
  });
  // IPv4 is left as it is: there are no other routes to measure the effect by.
  const ranges = {
    4: read.ranges[4],
    6: withCoveringPrefixes(withoutJoinedPrefixes(read.ranges[6]), 6),
  };
  return { shape: 'routes', ...read, ranges, names, otherOrigins: [], isDerived: true };
}

/**
 * A row that continues the one before in the same country extends it, which halves 3 million rows.
 */
export function parseRangeCsvCountry(
  content: Content,
  onUnreadable: OnUnreadable = ignore,
): Countries {
  const read = parseRanges(
    content,
    onUnreadable,
    (rest) => (/^[A-Z]{2}$/.test(rest) ? encodeCountry(rest) : undefined),
    true,
  );
  return { shape: 'countries', ...read };
}

/** For pinned files: a row that cannot be parsed means that the file is not the expected one. */
export function refuseUnreadable(line: string, number: number, problem: string): never {
  throw new Error(`line ${number} ${problem}: ${JSON.stringify(line.slice(0, 80))}`);
}

function ignore(): void {}

/** The value of a valid row that is left out. */
const NO_VALUE = -1;
/** The row is in the ranges; undefined means that it was left out. */
const ADDED = Symbol('added');

function parseRanges(
  content: Content,
  onUnreadable: OnUnreadable,
  parseValue: (rest: string) => number | undefined,
  isJoined = false,
): { ranges: FamilyRanges; records: number; skipped: number } {
  const ranges = { 4: new Ranges(), 6: new Ranges() };
  let number = 0;
  let records = 0;
  let skipped = 0;
  for (const line of content.lines()) {
    number++;
    if (line === '') continue;
    const problem = addRow(ranges, line, parseValue, isJoined);
    if (problem === ADDED) records++;
    if (problem === undefined || problem === ADDED) continue;
    skipped++;
    onUnreadable(line, number, problem);
  }
  return { ranges, records, skipped };
}

function addRow(
  ranges: FamilyRanges,
  line: string,
  parseValue: (rest: string) => number | undefined,
  isJoined: boolean,
): string | typeof ADDED | undefined {
  const first = line.indexOf(',');
  const second = line.indexOf(',', first + 1);
  const range =
    second < 0 ? undefined : parseRange(line.slice(0, first), line.slice(first + 1, second));
  if (range === undefined) return 'is not a range';
  const { start, end } = range;
  const value = parseValue(line.slice(second + 1));
  if (value === undefined) return 'has no valid value';
  if (value === NO_VALUE) return undefined;
  const rows = ranges[range.version];
  if (isJoined && rows.values.at(-1) === value && rows.ends.at(-1) === start - 1n)
    rows.ends[rows.length - 1] = end;
  else rows.add(start, end, value);
  return ADDED;
}

/**
 * iptoasn.com: first and last address, AS number, country, description, by tabs. AS 0 is space not
 * routed.
 */
export function parseIptoasnTsv(content: Content): Routes {
  const ranges = { 4: new Ranges(), 6: new Ranges() };
  const names = new Map<number, string>();
  let records = 0;
  let skipped = 0;
  for (const line of content.lines()) {
    if (line === '') continue;
    const [first = '', last = '', asnText = '', , description = ''] = line.split('\t');
    const range = parseRange(first, last);
    const asn = parseAsn(asnText);
    if (range === undefined || asn === undefined) {
      skipped++;
      continue;
    }
    records++;
    if (isReservedAsn(asn)) continue;
    ranges[range.version].add(range.start, range.end, asn);
    if (description !== '' && !names.has(asn)) names.set(asn, description);
  }
  return { shape: 'routes', records, skipped, ranges, names, otherOrigins: [], isDerived: true };
}
