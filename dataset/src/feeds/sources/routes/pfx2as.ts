/**
 * CAIDA's prefix-to-AS files: base address, length and origin, separated by tabs. `30_10_20` are several origins, of
 * which the first is chosen; `10,20` is an AS_SET. There are no peer counts.
 */

import { parseAsn } from '../../../as-number.ts';
import type { Content } from '../../../io/content.ts';
import { parseCidr } from '../../../prefix.ts';
import type { Routes } from '../../parsed.ts';
import { RouteCollector } from './route-collector.ts';

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
  // Their order replaces the number of peers: the first gets the highest.
  origins.forEach((members, i) => {
    routes.addSet(cidr.address, cidr.length, members, origins.length - i);
  });
  return true;
}
