/**
 * Geofeeds, RFC 8805: `prefix,country,region,city,postal code`, any of the last four empty, `#` lines between. The label is the
 * country, in upper case; a row that names none keeps its prefix, because the feed also says whose it is. Comments are free
 * text; a day in one that speaks of a change is taken for that of the feed.
 */
import { isCountry } from '../../country-code.ts';
import type { PrefixList } from '../parsed.ts';
import { PrefixListBuilder } from '../prefix-list.ts';
import type { Content } from './content.ts';
import { csvRow } from './csv-row.ts';
import { dayOfText } from './feed-day.ts';

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
    const [prefix = '', country = ''] = csvRow(text);
    list.add(prefix, countryLabel(country));
  }
  return list.finish(asOf);
}

/** A country as geofeeds have it, in upper case, or nothing. */
export function countryLabel(text: string): string {
  const country = text.trim().toUpperCase();
  return isCountry(country) ? country : '';
}
