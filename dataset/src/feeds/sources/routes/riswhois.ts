/**
 * The routing tables of RIPE's Routing Information Service: origin, prefix and number of peers that see it, separated
 * by tabs. Comments begin with `%`; one of them has the date. An origin in braces is an AS_SET.
 */

import { parseAsn } from '../../../as-number.ts';
import type { Content } from '../../../io/content.ts';
import { parseCidr } from '../../../prefix.ts';
import type { Routes } from '../../parsed.ts';
import { RouteCollector } from './route-collector.ts';

export function parseRiswhois(content: Content): Routes {
  const routes = new RouteCollector();
  let records = 0;
  let skipped = 0;
  let asOf: string | undefined;
  for (const line of content.lines()) {
    if (line === '') continue;
    if (line.startsWith('%')) asOf ??= generatedOn(line);
    else if (addRow(routes, line)) records++;
    else skipped++;
  }
  return { shape: 'routes', records, skipped, ...(asOf && { asOf }), ...routes.finish(), names: new Map() };
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

/** `% This file was generated at Mon Mar  4 10:06:01 UTC 2019.` */
function generatedOn(comment: string): string | undefined {
  const [, month = '', day = '', year] =
    /generated at \w{3} (\w{3}) +(\d{1,2}) [\d:]{8} UTC (\d{4})/.exec(comment) ?? [];
  const number = MONTHS.indexOf(month) / 3 + 1;
  return year !== undefined && Number.isInteger(number) && number > 0
    ? `${year}-${String(number).padStart(2, '0')}-${day.padStart(2, '0')}`
    : undefined;
}

const MONTHS = 'JanFebMarAprMayJunJulAugSepOctNovDec';
