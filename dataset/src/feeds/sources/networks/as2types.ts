/**
 * CAIDA's classes of networks: `1|CAIDA_class|Enterprise`, with the method in the second field. The file of 2015 spells
 * it `Enterpise`. Transit and access networks serve homes and servers alike, so that class gives no connection type.
 */

import { parseAsn } from '../../../as-number.ts';
import type { Content } from '../../../io/content.ts';
import type { ConnectionType } from '../../../record.ts';
import type { ListedNetwork, Networks } from '../../parsed.ts';

export function parseAs2types(content: Content): Networks {
  const networks = new Map<number, ListedNetwork>();
  let skipped = 0;
  for (const line of content.lines()) {
    if (line === '' || line.startsWith('#')) continue;
    const [asnText = '', , type = ''] = line.split('|');
    const asn = parseAsn(asnText);
    const network = CLASSES.get(type);
    if (asn === undefined || network === undefined) skipped++;
    else networks.set(asn, network);
  }
  return { shape: 'networks', records: networks.size, skipped, networks };
}

const listed = (label: string, role?: ConnectionType): ListedNetwork => ({ label, ...(role && { role }) });

const CLASSES: ReadonlyMap<string, ListedNetwork> = new Map([
  ['Content', listed('Content', 'datacenter')],
  ['Enterprise', listed('Enterprise', 'business')],
  ['Enterpise', listed('Enterprise', 'business')],
  ['Transit/Access', listed('Transit/Access')],
]);
