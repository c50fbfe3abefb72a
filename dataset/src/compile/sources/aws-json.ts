/**
 * AWS `ip-ranges.json`. A prefix stands there once per service; the services do not matter here, so that leaves one record of it.
 *
 * The label is the region, or the zone where the addresses lie in one (`network_border_group`): the zone us-east-1-bue-1 belongs to
 * a region in Virginia and stands in Buenos Aires. What is announced everywhere (`GLOBAL`) has no label.
 */
import type { PrefixList } from '../parsed.ts';
import { PrefixListBuilder } from '../prefix-list.ts';
import type { Content } from './content.ts';
import { dayOfText } from './feed-day.ts';
import { jsonDocument, requiredList, textMember } from './json-value.ts';

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
