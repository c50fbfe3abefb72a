/**
 * CAIDA's prefix-to-AS files: `192.0.2.0`, length and origin between tabs. `30_10_20` are several origins, the first the one to take;
 * `10,20` is an AS_SET. Peers are not counted.
 */
import { parseCidr } from '../../prefix.ts';
import { parseAsn } from '../as-number.ts';
import type { Routes } from '../parsed.ts';
import { RouteCollector } from '../route-collector.ts';
import type { Content } from './content.ts';

export function parsePfx2as(content: Content): Routes {
  const routes = new RouteCollector();
  let records = 0;
  let skipped = 0;
  for (const line of content.lines()) {
    if (line === '' || line.startsWith('#')) continue;
    if (addRow(routes, line)) records++;
    else skipped++;
  }
  return { shape: 'routes', records, skipped, ...routes.finish(0), names: new Map() };
}

function addRow(routes: RouteCollector, line: string): boolean {
  const [base, lengthText, originsText = ''] = line.split('\t');
  const cidr = lengthText === undefined ? undefined : parseCidr(`${base}/${lengthText}`);
  if (cidr === undefined) return false;
  const origins: number[][] = [];
  for (const text of originsText.split('_')) {
    const members = text.split(',').map(parseAsn);
    if (!members.every((asn) => asn !== undefined)) return false;
    origins.push(members);
  }
  // Their order takes the place of the peers: the first counts most.
  origins.forEach((members, i) => {
    routes.addSet(cidr.address, cidr.length, members, origins.length - i);
  });
  return true;
}
