/**
 * The table of bgp.tools: one JSON object per line with `CIDR`, `ASN` and `Hits`, the number of sessions that see it.
 */

import { MAX_ASN } from '../../../as-number.ts';
import type { Content } from '../../../io/content.ts';
import { parseCidr } from '../../../prefix.ts';
import type { Routes } from '../../parsed.ts';
import { RouteCollector } from './route-collector.ts';

export function parseBgptoolsTable(content: Content): Routes {
  const routes = new RouteCollector();
  let records = 0;
  let skipped = 0;
  for (const line of content.lines()) {
    if (line === '') continue;
    if (addRow(routes, line)) records++;
    else skipped++;
  }
  return { shape: 'routes', records, skipped, ...routes.finish(), names: new Map() };
}

function addRow(routes: RouteCollector, line: string): boolean {
  // A text that is not JSON takes twenty times as long as one that is, for its exception.
  if (!line.startsWith('{')) return false;
  let row: unknown;
  try {
    row = JSON.parse(line);
  } catch {
    return false;
  }
  const { CIDR, ASN, Hits } = (row ?? {}) as { CIDR?: unknown; ASN?: unknown; Hits?: unknown };
  const cidr = typeof CIDR === 'string' ? parseCidr(CIDR) : undefined;
  if (cidr === undefined || !isCount(ASN) || ASN > MAX_ASN || !isCount(Hits)) return false;
  routes.add(cidr.address, cidr.length, ASN, Hits);
  return true;
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0;
}
