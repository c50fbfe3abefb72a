/**
 * Azure's service tags, `ServiceTags_Public_<date>.json`. Of some 3,000 tags only `AzureCloud.<region>` (all addresses
 * of a region) and `AzureCloud` (all addresses) are used; the others are subsets by service. The label is the region. A
 * prefix that is in both is kept with its region. The date is only in the file name.
 */

import type { Content } from '../../../io/content.ts';
import type { PrefixList } from '../../parsed.ts';
import { jsonDocument, listMember, member, requiredList, textMember } from '../json-value.ts';
import { PrefixListBuilder } from '../prefix-list.ts';

const WHAT = 'an Azure service tags file';
const ALL = 'AzureCloud';

export function parseAzureTags(content: Content): PrefixList {
  const tags = requiredList(jsonDocument(content, WHAT), 'values', WHAT).filter((tag) => regionOf(tag) !== undefined);
  if (tags.length === 0) throw new Error(`not ${WHAT}: no tag "${ALL}"`);
  const list = new PrefixListBuilder();
  const inRegions = new Set<unknown>();
  for (const tag of tags.sort(regionsFirst)) {
    const region = regionOf(tag) ?? '';
    const prefixes = listMember(member(tag, 'properties'), 'addressPrefixes');
    if (prefixes === undefined) list.skip();
    for (const prefix of prefixes ?? []) {
      if (region !== '') inRegions.add(prefix);
      else if (inRegions.has(prefix)) continue;
      list.add(typeof prefix === 'string' ? prefix : '', region);
    }
  }
  return list.finish();
}

/** Empty for all of Azure, undefined for tags that are not used. */
function regionOf(tag: unknown): string | undefined {
  const name = textMember(tag, 'name');
  if (name === ALL) return '';
  return name.startsWith(`${ALL}.`) ? name.slice(ALL.length + 1) : undefined;
}

function regionsFirst(a: unknown, b: unknown): number {
  return Number(regionOf(a) === '') - Number(regionOf(b) === '');
}
