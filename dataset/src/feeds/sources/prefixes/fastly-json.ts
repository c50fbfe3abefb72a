/** Fastly's public list: `{"addresses":["192.0.2.0/24"],"ipv6_addresses":["2001:db8::/32"]}`. */

import type { Content } from '../../../io/content.ts';
import type { PrefixList } from '../../parsed.ts';
import { jsonDocument, requiredList } from '../json-value.ts';
import { PrefixListBuilder } from '../prefix-list.ts';

const WHAT = "Fastly's list of addresses";

export function parseFastlyJson(content: Content): PrefixList {
  const document = jsonDocument(content, WHAT);
  const list = new PrefixListBuilder();
  for (const key of ['addresses', 'ipv6_addresses']) {
    for (const prefix of requiredList(document, key, WHAT)) list.add(typeof prefix === 'string' ? prefix : '');
  }
  return list.finish();
}
