/**
 * bgp.tools `asns.csv`: `asn,name,class,cc`. `Eyeball` are access networks, `Content` are servers. `Unknown` and the
 * classes of carriers say nothing about the users of an address and give no connection type.
 */

import type { Content } from '../../../io/content.ts';
import { csvRow } from '../../../io/csv-row.ts';
import type { ConnectionType } from '../../../record.ts';
import type { Networks } from '../../parsed.ts';
import { NetworkListBuilder } from './network-list.ts';

const ROLES: ReadonlyMap<string, ConnectionType> = new Map([
  ['Eyeball', 'residential'],
  ['Content', 'datacenter'],
]);

export function parseBgptoolsAsns(content: Content): Networks {
  const list = new NetworkListBuilder();
  for (const line of content.lines()) {
    if (line.trim() === '' || line.startsWith('asn,')) continue;
    const [asn, name, networkClass] = csvRow(line);
    if (name === undefined || networkClass === undefined) list.skip();
    else list.add(asn, name, ROLES.get(networkClass.trim()));
  }
  return list.finish();
}
