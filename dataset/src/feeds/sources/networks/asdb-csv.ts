/**
 * Stanford ASdb: `ASN,Category 1 - Layer 1,Category 1 - Layer 2,…`, the business of a network's owner in NAICSlite
 * categories. The label has all categories.
 *
 * A network can have several categories. The first one that says how the addresses are used decides. A network with
 * only other categories is a business. IP transit and `Other` say nothing about the use of addresses.
 */

import type { Content } from '../../../io/content.ts';
import { csvRow } from '../../../io/csv-row.ts';
import type { ConnectionType } from '../../../record.ts';
import type { Networks } from '../../parsed.ts';
import { NetworkListBuilder } from './network-list.ts';

type Category = readonly [layer1: string, layer2: string];

export function parseAsdbCsv(content: Content): Networks {
  const list = new NetworkListBuilder();
  for (const line of content.lines()) {
    if (line.trim() === '' || /^"?ASN"?,/.test(line)) continue;
    const [asn, ...fields] = csvRow(line);
    const categories = pairs(fields);
    if (categories.length === 0) list.skip();
    else list.add(asn, categories.map(categoryName).join('; '), roleOf(categories));
  }
  return list.finish();
}

const IT = 'Computer and Information Technology';

function roleOf(categories: readonly Category[]): ConnectionType | undefined {
  for (const [layer1, layer2] of categories) {
    if (layer1 === 'Education and Research') return 'education';
    if (layer1 !== IT) continue;
    if (layer2 === 'Internet Service Provider (ISP)') return 'residential';
    if (layer2 === 'Phone Provider') return 'mobile';
    // `Hosting, Cloud Provider, Data Center, Server Colocation`, in some rows `Hosting and Cloud Provider` or
    // misspelled.
    if (layer2.startsWith('Hosting')) return 'datacenter';
  }
  return categories.some(isTrade) ? 'business' : undefined;
}

function isTrade([layer1, layer2]: Category): boolean {
  if (layer1 === IT) return layer2 !== '' && layer2 !== 'Other' && layer2 !== 'Unknown' && layer2 !== 'IP Transit';
  return layer1 !== 'Other' && layer1 !== 'Unknown' && !layer1.startsWith('Website issue');
}

function pairs(fields: readonly string[]): Category[] {
  const categories: Category[] = [];
  for (let i = 0; i < fields.length; i += 2) {
    const layer1 = fields[i]?.trim() ?? '';
    if (layer1 !== '') categories.push([layer1, fields[i + 1]?.trim() ?? '']);
  }
  return categories;
}

const categoryName = ([layer1, layer2]: Category): string => (layer2 === '' ? layer1 : `${layer1}: ${layer2}`);
