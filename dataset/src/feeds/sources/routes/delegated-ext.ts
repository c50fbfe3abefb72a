// Delegations, `registry|country|type|start|value|date|status` and more in extended files. The
// value is the number of addresses for IPv4, the prefix length for IPv6, the number of AS numbers
// for `asn`. IANA's rows are left out.

import { parseAddress } from '../../../address.ts';
import { MAX_ASN, parseAsn } from '../../../as-number.ts';
import { getOrInsert } from '../../../get-or-insert.ts';
import type { Content } from '../../../io/content.ts';
import { parsePrefix, type Range, toBigInt } from '../../../prefix.ts';
import { Ranges } from '../../../ranges.ts';
import { isCountry, type Rir } from '../../../record.ts';
import type { DelegatedAsns, Delegations, Holder } from '../../parsed.ts';

export function parseDelegatedExt(content: Content): Delegations {
  const ranges = { 4: new Ranges(), 6: new Ranges() };
  const holders: Holder[] = [];
  // Many rows have the same registry and country: each pair is stored once.
  const positions = new Map<string, number>();
  const positionOf = (holder: Holder) =>
    getOrInsert(positions, `${holder.rir}|${holder.country}`, () => holders.push(holder) - 1);
  const asns: DelegatedAsns[] = [];
  let skipped = 0;
  let asOf: string | undefined;
  for (const line of content.lines()) {
    if (line === '' || line.startsWith('#')) continue;
    const fields = line.split('|');
    if (/^[0-9.]+$/.test(fields[0] ?? '') && fields.length >= 6) {
      asOf ??= parseDate(fields[5]);
      continue;
    }
    if (fields[0] === 'iana' || fields[5] === 'summary') continue;
    const row = parseRow(fields);
    if (row === undefined) skipped++;
    else if ('first' in row) asns.push(row);
    else ranges[row.range.version].add(row.range.start, row.range.end, positionOf(row.holder));
  }
  const records = ranges[4].length + ranges[6].length + asns.length;
  return { shape: 'delegations', records, skipped, ...(asOf && { asOf }), ranges, holders, asns };
}

const REGISTRIES: ReadonlyMap<string, Rir> = new Map([
  ['arin', 'ARIN'],
  ['ripencc', 'RIPE'],
  ['apnic', 'APNIC'],
  ['lacnic', 'LACNIC'],
  ['afrinic', 'AFRINIC'],
]);

function parseRow(
  fields: readonly string[],
): DelegatedAsns | { range: Range; holder: Holder } | undefined {
  const [registry = '', country = '', type, start = '', value = '', date, status] = fields;
  const rir = REGISTRIES.get(registry);
  if (rir === undefined || status === undefined) return undefined;
  const holder = { rir, ...(isCountry(country) && { country }) };
  if (type === 'asn') {
    const first = parseAsn(start);
    const count = parseCount(value);
    if (first === undefined || count === undefined || first + count - 1 > MAX_ASN) return undefined;
    const registered = parseDate(date);
    return { ...holder, first, last: first + count - 1, ...(registered && { registered }) };
  }
  const range = readRange(type, start, value);
  return range && { range, holder };
}

function readRange(type: string | undefined, start: string, value: string): Range | undefined {
  if (type === 'ipv4') return ipv4Range(start, value);
  return type === 'ipv6' ? ipv6Range(start, value) : undefined;
}

function ipv4Range(startText: string, countText: string): Range | undefined {
  const address = parseAddress(startText);
  const count = parseCount(countText);
  if (address?.version !== 4 || count === undefined) return undefined;
  const start = toBigInt(address);
  const end = start + BigInt(count) - 1n;
  return end > 0xffffffffn ? undefined : { version: 4, start, end };
}

function ipv6Range(start: string, length: string): Range | undefined {
  const range = length === '' ? undefined : parsePrefix(`${start}/${length}`);
  return range?.version === 6 ? range : undefined;
}

function parseCount(text: string): number | undefined {
  return /^[1-9][0-9]{0,9}$/.test(text) ? Number(text) : undefined;
}

/** yyyymmdd; empty or 00000000 if the registry does not know the date. */
function parseDate(text = ''): string | undefined {
  const [, year, month, day] =
    /^((?:19|20)\d\d)(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])$/.exec(text) ?? [];
  return year && `${year}-${month}-${day}`;
}
