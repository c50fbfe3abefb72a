// Geofeeds, RFC 8805: `prefix,country,region,city,postal code`. The label is the country. A row
// without one withdraws what a wider row says (§2.1.1.1); two countries for the same prefix
// contradict each other, so neither counts.

import type { Content } from '../../../io/content.ts';
import { csvRow } from '../../../io/csv-row.ts';
import { Ranges } from '../../../ranges.ts';
import { isCountry } from '../../../record.ts';
import type { PrefixList } from '../../parsed.ts';
import { dayOfText } from '../feed-day.ts';
import { PrefixListBuilder } from '../prefix-list.ts';

export function parseGeofeed(content: Content): PrefixList {
  const list = new PrefixListBuilder();
  let asOf: string | undefined;
  for (const line of content.lines()) {
    const text = line.trim();
    if (text === '') continue;
    if (text.startsWith('#')) {
      if (/\b(?:modified|updated?)\b/i.test(text)) asOf ??= dayOfText(text);
      continue;
    }
    const [prefix = '', country = ''] = csvRow(withoutRemark(text));
    list.add(prefix, countryLabel(country));
  }
  return withoutContradictions(list.finish(asOf));
}

/**
 * A row may end in a comment. A `#` inside a name, without white space before it, is a part of the
 * name.
 */
function withoutRemark(text: string): string {
  const mark = text.search(/\s#/);
  return mark < 0 || (text.includes('"') && text.lastIndexOf('"') > mark)
    ? text
    : text.slice(0, mark);
}

function withoutContradictions(feed: PrefixList): PrefixList {
  const labels = [...feed.labels];
  const none = labels.includes('') ? labels.indexOf('') : labels.push('') - 1;
  let isChanged = false;
  const ranges = { 4: new Ranges(), 6: new Ranges() };
  for (const version of [4, 6] as const) {
    // Not bigints: V8 hashes only their lowest 64 bits, which are equal for all prefixes of IPv6 up
    // to /64.
    const rowOf = new Map<string, number>();
    feed.ranges[version].forEach((start, end, value) => {
      const key = `${start.toString(36)} ${(end - start).toString(36)}`;
      const earlier = rowOf.get(key);
      if (earlier === undefined) {
        rowOf.set(key, ranges[version].length);
        ranges[version].add(start, end, value);
      } else {
        isChanged = true;
        ranges[version].values[earlier] = none;
      }
    });
  }
  return isChanged ? { ...feed, ranges, labels } : feed;
}

function countryLabel(text: string): string {
  const country = text.trim().toUpperCase();
  return isCountry(country) ? country : '';
}
