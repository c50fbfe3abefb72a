/**
 * iptoasn.com: first address, last address, AS number, country and description, separated by tabs. The ranges are
 * already disjoint. AS 0 marks space that is not routed; it is left out with the other reserved numbers.
 */
import { parseAddress } from '../../../address.ts';
import { isReservedAsn, parseAsn } from '../../../as-number.ts';
import type { Content } from '../../../io/content.ts';
import { toBigInt } from '../../../prefix.ts';
import { Ranges } from '../../../ranges.ts';
import type { Routes } from '../../parsed.ts';

export function parseIptoasnTsv(content: Content): Routes {
  const ranges = { 4: new Ranges(), 6: new Ranges() };
  const names = new Map<number, string>();
  let records = 0;
  let skipped = 0;
  for (const line of content.lines()) {
    if (line === '') continue;
    const [first = '', last = '', asnText = '', , description = ''] = line.split('\t');
    const start = parseAddress(first);
    const end = parseAddress(last);
    const asn = parseAsn(asnText);
    if (start === undefined || end?.version !== start.version || asn === undefined) {
      skipped++;
      continue;
    }
    const from = toBigInt(start);
    const to = toBigInt(end);
    if (from > to) {
      skipped++;
      continue;
    }
    records++;
    if (isReservedAsn(asn)) continue;
    ranges[start.version].add(from, to, asn);
    if (description !== '' && !names.has(asn)) names.set(asn, description);
  }
  return { shape: 'routes', records, skipped, ranges, names, otherOrigins: [], isDerived: true };
}
