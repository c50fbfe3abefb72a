/** Routing tables with a route per line: origin, prefix, and mostly the number of peers that see it. */
import { MAX_ASN, parseAsn } from '../../../as-number.ts';
import type { Content } from '../../../io/content.ts';
import { parseCidr } from '../../../prefix.ts';
import type { Routes } from '../../parsed.ts';
import { dayOfText } from '../feed-day.ts';
import { jsonLine } from '../json-value.ts';
import { RouteCollector } from './route-collector.ts';

type Table = {
  /** Begins a line that is no route. */
  readonly comment?: string;
  readonly minPeers?: number;
  readonly dayOf?: (comment: string) => string | undefined;
  readonly addRow: (routes: RouteCollector, line: string) => boolean;
};

const tableFormat =
  ({ comment, minPeers, dayOf, addRow }: Table) =>
  (content: Content): Routes => {
    const routes = new RouteCollector();
    let records = 0;
    let skipped = 0;
    let asOf: string | undefined;
    for (const line of content.lines()) {
      if (line === '') continue;
      if (comment !== undefined && line.startsWith(comment)) asOf ??= dayOf?.(line);
      else if (addRow(routes, line)) records++;
      else skipped++;
    }
    return { shape: 'routes', records, skipped, ...(asOf && { asOf }), ...routes.finish(minPeers), names: new Map() };
  };

/** RIPE RIS: origin, prefix and number of peers, by tabs; `%` comments. An origin in braces is an AS_SET. */
export const parseRiswhois = tableFormat({
  comment: '%',
  dayOf: (comment) => (comment.includes('generated at') ? dayOfText(comment) : undefined),
  addRow(routes, line) {
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
  },
});

/** CAIDA: base address, length and origin, by tabs. `30_10_20`: several, the first is chosen; `10,20`: an AS_SET. */
export const parsePfx2as = tableFormat({
  comment: '#',
  minPeers: 0,
  addRow(routes, line) {
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
  },
});

/** The table of bgp.tools: one JSON object per line with `CIDR`, `ASN` and `Hits`, the number of sessions that see it. */
export const parseBgptoolsTable = tableFormat({
  addRow(routes, line) {
    const { CIDR, ASN, Hits } = (jsonLine(line) ?? {}) as { CIDR?: unknown; ASN?: unknown; Hits?: unknown };
    const cidr = typeof CIDR === 'string' ? parseCidr(CIDR) : undefined;
    if (cidr === undefined || !isCount(ASN) || ASN > MAX_ASN || !isCount(Hits)) return false;
    routes.add(cidr.address, cidr.length, ASN, Hits);
    return true;
  },
});

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0;
}
