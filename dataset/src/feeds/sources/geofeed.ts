/**
 * Geofeeds, RFC 8805: `prefix,country,region,city,postal code`, where any of the last four may be empty, and `#`
 * comments. The label is the country in upper case. A row without a country is kept, because the feed also says that
 * the prefix belongs to the provider. The date of the feed is the first date in a comment about an update.
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

/** The country in upper case, or an empty text if it is not a country. */
export function countryLabel(text: string): string {
  const country = text.trim().toUpperCase();
  return isCountry(country) ? country : '';
}
