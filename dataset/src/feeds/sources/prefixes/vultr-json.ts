/**
 * Vultr's geofeed as JSON, `https://geofeed.constant.com/?json`:
 * `{"updated":"…","subnets":[{"ip_prefix":"192.0.2.0/24",
 * "alpha2code":"US","region":"US-NJ","city":"…","postal_code":"…"}]}`. The label is the country.
 */

import type { Content } from '../../../io/content.ts';
import type { PrefixList } from '../../parsed.ts';
import { dayOfText } from '../feed-day.ts';
import { jsonDocument, requiredList, textMember } from '../json-value.ts';
import { PrefixListBuilder } from '../prefix-list.ts';
import { countryLabel } from './geofeed.ts';

const WHAT = "Vultr's geofeed";

export function parseVultrJson(content: Content): PrefixList {
  const document = jsonDocument(content, WHAT);
  const list = new PrefixListBuilder();
  for (const subnet of requiredList(document, 'subnets', WHAT)) {
    list.add(textMember(subnet, 'ip_prefix'), countryLabel(textMember(subnet, 'alpha2code')));
  }
  return list.finish(dayOfText(textMember(document, 'updated')));
}
