/**
 * AWS `ip-ranges.json`. It lists a prefix once per service; services are ignored here, so that is one record.
 *
 * The label is the region, or the zone if `network_border_group` names one: the zone us-east-1-bue-1 belongs to a
 * region in Virginia and is in Buenos Aires. Prefixes that are announced everywhere (`GLOBAL`) have no label.
 */

import type { Content } from '../../../io/content.ts';
import type { PrefixList } from '../../parsed.ts';
import { dayOfText } from '../feed-day.ts';
import { jsonDocument, requiredList, textMember } from '../json-value.ts';
import { PrefixListBuilder } from '../prefix-list.ts';

const WHAT = 'an AWS ip-ranges file';

export function parseAwsJson(content: Content): PrefixList {
  const document = jsonDocument(content, WHAT);
  const list = new PrefixListBuilder();
  for (const [listName, prefixName] of [
    ['prefixes', 'ip_prefix'],
    ['ipv6_prefixes', 'ipv6_prefix'],
  ] as const) {
    for (const entry of requiredList(document, listName, WHAT)) list.add(textMember(entry, prefixName), placeOf(entry));
  }
  return list.finish(dayOfText(textMember(document, 'createDate')));
}

function placeOf(entry: unknown): string {
  const region = textMember(entry, 'region');
  const zone = textMember(entry, 'network_border_group');
  if (region === 'GLOBAL') return '';
  return zone.startsWith(`${region}-`) ? zone : region;
}
