import { parseAsn } from '../../../as-number.ts';
import type { Content } from '../../../io/content.ts';
import { parseCidr } from '../../../prefix.ts';
import type { Routes } from '../../parsed.ts';
import { dayOfText } from '../feed-day.ts';
import { RouteCollector } from './route-collector.ts';

/**
 * RIPE RIS: origin, prefix and number of peers, by tabs; `%` comments. An origin in braces is an
 * AS_SET.
 */
export function parseRiswhois(content: Content): Routes {
  const routes = new RouteCollector();
  let records = 0;
  let skipped = 0;
  let asOf: string | undefined;
  for (const line of content.lines()) {
    if (line === '') continue;
    if (line.startsWith('%')) {
      if (line.includes('generated at')) asOf ??= dayOfText(line);
    } else if (addRow(routes, line)) records++;
    else skipped++;
  }
  return {
    shape: 'routes',
    records,
    skipped,
    ...(asOf && { asOf }),
    ...routes.finish(),
    names: new Map(),
  };
}

function addRow(routes: RouteCollector, line: string): boolean {
  const [origin = '', prefix = '', peersText = ''] = line.split('\t');
  const cidr = parseCidr(prefix);
  if (cidr === undefined || !/^[0-9]{1,9}$/.test(peersText)) return false;
  const { address, length } = cidr;
  const peers = Number(peersText);
  if (!origin.startsWith('{')) {
    const asn = parseAsn(origin);
    if (asn === undefined) return false;
    routes.add(address, length, asn, peers);
    return true;
  }
  const members = origin.endsWith('}') ? origin.slice(1, -1).split(',').map(parseAsn) : [undefined];
  if (!members.every((asn) => asn !== undefined)) return false;
  routes.addSet(address, length, members, peers);
  return true;
}
