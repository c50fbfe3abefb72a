/** Oracle Cloud's `public_ip_ranges.json`: prefixes by region, which is the label. */

import type { Content } from '../../../io/content.ts';
import type { PrefixList } from '../../parsed.ts';
import { dayOfText } from '../feed-day.ts';
import { jsonDocument, listMember, requiredList, textMember } from '../json-value.ts';
import { PrefixListBuilder } from '../prefix-list.ts';

const WHAT = "Oracle's public_ip_ranges file";

export function parseOciJson(content: Content): PrefixList {
  const document = jsonDocument(content, WHAT);
  const list = new PrefixListBuilder();
  for (const region of requiredList(document, 'regions', WHAT)) {
    const prefixes = listMember(region, 'cidrs');
    if (prefixes === undefined) list.skip();
    for (const prefix of prefixes ?? []) list.add(textMember(prefix, 'cidr'), textMember(region, 'region'));
  }
  return list.finish(dayOfText(textMember(document, 'last_updated_timestamp')));
}
