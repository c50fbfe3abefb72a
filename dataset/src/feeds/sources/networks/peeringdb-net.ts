/**
 * PeeringDB `/api/net`: `{"data":[{"asn":64496,"info_type":"Content","info_types":["Content"],…}]}`, as operators
 * describe their own networks. Newer records have several types. The label is the first type. The date of the list is that of its newest change, where records have one.
 */

import type { Content } from '../../../io/content.ts';
import type { ConnectionType } from '../../../record.ts';
import type { Networks } from '../../parsed.ts';
import { dayOfText } from '../feed-day.ts';
import { jsonDocument, listMember, member, requiredList, textMember } from '../json-value.ts';
import { NetworkListBuilder } from './network-list.ts';

const WHAT = 'a PeeringDB list of networks';

/**
 * If a network has several types, the first in this list decides. NSP and infrastructure types say
 * nothing about the users of an address.
 */
const ROLES: readonly (readonly [type: string, role: ConnectionType])[] = [
  ['Cable/DSL/ISP', 'residential'],
  ['Content', 'datacenter'],
  ['Educational/Research', 'education'],
  ['Enterprise', 'business'],
  ['Government', 'business'],
  ['Non-Profit', 'business'],
];

export function parsePeeringdbNet(content: Content): Networks {
  const list = new NetworkListBuilder();
  let asOf: string | undefined;
  for (const network of requiredList(jsonDocument(content, WHAT), 'data', WHAT)) {
    const types = typesOf(network);
    list.add(member(network, 'asn'), types[0] ?? '', ROLES.find(([type]) => types.includes(type))?.[1]);
    const updated = dayOfText(textMember(network, 'updated'));
    if (updated !== undefined && (asOf === undefined || updated > asOf)) asOf = updated;
  }
  return list.finish(asOf);
}

/** `info_type` first. */
function typesOf(network: unknown): string[] {
  const types = [textMember(network, 'info_type'), ...(listMember(network, 'info_types') ?? [])];
  return types.filter((type) => typeof type === 'string' && type !== '') as string[];
}
