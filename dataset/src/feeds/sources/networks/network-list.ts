/** Lists of networks with a row per line, and the list that all formats build. */
import { parseAsn, parsePrefixedAsn } from '../../../as-number.ts';
import type { Content } from '../../../io/content.ts';
import { csvRow } from '../../../io/csv-row.ts';
import type { ConnectionType } from '../../../record.ts';
import type { ListedNetwork, Networks } from '../../parsed.ts';
import { dayOfSeconds } from '../feed-day.ts';
import { jsonLine, member, textMember } from '../json-value.ts';

/** The first row of a network is kept, and rows that cannot be parsed are counted. */
export class NetworkListBuilder {
  readonly #networks = new Map<number, ListedNetwork>();
  #skipped = 0;

  /** Accepts `64496`, `AS64496` or a number. AS 0 is reserved (RFC 7607) and is left out. */
  add(asn: unknown, label: string, role?: ConnectionType): void {
    const number = parsePrefixedAsn(typeof asn === 'number' ? String(asn) : typeof asn === 'string' ? asn.trim() : '');
    if (number === undefined) this.skip();
    else if (number !== 0 && !this.#networks.has(number)) {
      this.#networks.set(number, { label, ...(role === undefined ? {} : { role }) });
    }
  }

  /** Counts a row that the parser of the format could not read. */
  skip(): void {
    this.#skipped++;
  }

  finish(asOf?: string): Networks {
    return {
      shape: 'networks',
      networks: this.#networks,
      records: this.#networks.size,
      skipped: this.#skipped,
      ...(asOf === undefined ? {} : { asOf }),
    };
  }
}

/**
 * Lists of networks, a number and a name: `64496,"Name"` (brianhama; also with a space after the comma, and with the
 * number in quotes), `AS64496,"Name"` (the tags of bgp.tools) and `AS64496 # Name` (X4BNet). A header in the first row
 * is skipped. The name is everything after the number, because not every list quotes names with commas.
 */
export function parseAsnCsv(content: Content): Networks {
  const list = new NetworkListBuilder();
  let isFirst = true;
  for (const line of content.lines()) {
    const text = line.trim();
    if (text === '' || text.startsWith('#')) continue;
    const [, asn, name = ''] = /^"?((?:AS)?[0-9]+)"?\s*(?:[,#]\s*(.*))?$/i.exec(text) ?? [];
    if (asn !== undefined) list.add(asn, unquote(name));
    else if (!isFirst || !/^"?asn?\b/i.test(text)) list.skip();
    isFirst = false;
  }
  return list.finish();
}

function unquote(name: string): string {
  const [, quoted] = /^"((?:[^"]|"")*)"/.exec(name) ?? [];
  return quoted?.replaceAll('""', '"') ?? name;
}

/**
 * bgp.tools `asns.csv`: `asn,name,class,cc`. `Eyeball` are access networks, `Content` are servers. `Unknown` and the
 * classes of carriers say nothing about the users of an address and give no connection type.
 */
export function parseBgptoolsAsns(content: Content): Networks {
  const list = new NetworkListBuilder();
  for (const line of content.lines()) {
    if (line.trim() === '' || line.startsWith('asn,')) continue;
    const [asn, name, networkClass] = csvRow(line);
    if (name === undefined || networkClass === undefined) list.skip();
    else list.add(asn, name, BGPTOOLS_ROLES.get(networkClass.trim()));
  }
  return list.finish();
}

const BGPTOOLS_ROLES: ReadonlyMap<string, ConnectionType> = new Map([
  ['Eyeball', 'residential'],
  ['Content', 'datacenter'],
]);

/**
 * Spamhaus ASN-DROP: NDJSON, `{"asn":64496,"rir":"arin","domain":"example.com","cc":"US","asname":"EXAMPLE-AS"}`. The
 * last line is metadata with the time of the list. The label is the name of the network, or its domain.
 */
export function parseNdjsonAsndrop(content: Content): Networks {
  const list = new NetworkListBuilder();
  let asOf: string | undefined;
  for (const line of content.lines()) {
    if (line.trim() === '') continue;
    const row = jsonLine(line);
    if (textMember(row, 'type') === 'metadata') asOf = dayOfSeconds(member(row, 'timestamp'));
    else list.add(member(row, 'asn'), textMember(row, 'asname') || textMember(row, 'domain'));
  }
  return list.finish(asOf);
}

/**
 * CAIDA's classes of networks: `1|CAIDA_class|Enterprise`, with the method in the second field. The file of 2015 spells
 * it `Enterpise`. Transit and access networks serve homes and servers alike, so that class gives no connection type.
 */
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
