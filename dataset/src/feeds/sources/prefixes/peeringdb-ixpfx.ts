/**
 * PeeringDB `/api/ixpfx`: `{"data":[{"prefix":"192.0.2.0/24","ixlan_id":26,"status":"ok",…}]}`, the peering LANs of internet
 * exchanges. The label is the number of the exchange: an exchange and its LAN have the same number.
 */
import type { Content } from '../../../io/content.ts';
import type { PrefixList } from '../../parsed.ts';
import { jsonDocument, member, requiredList, textMember } from '../json-value.ts';
import { PrefixListBuilder } from '../prefix-list.ts';

const WHAT = 'a PeeringDB list of peering LANs';

export function parsePeeringdbIxpfx(content: Content): PrefixList {
  const list = new PrefixListBuilder();
  for (const row of requiredList(jsonDocument(content, WHAT), 'data', WHAT)) {
    const exchange = member(row, 'ixlan_id');
    const prefix = textMember(row, 'prefix');
    if (!Number.isInteger(exchange) || !prefix.includes('/')) list.skip();
    else if (['', 'ok'].includes(textMember(row, 'status'))) list.add(prefix, String(exchange));
  }
  return list.finish();
}
