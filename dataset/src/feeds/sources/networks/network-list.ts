import { StringDecoder } from 'node:string_decoder';
import { parsePrefixedAsn } from '../../../as-number.ts';
import { type Content, tooManyRecords } from '../../../io/content.ts';
import { csvRow } from '../../../io/csv-row.ts';
import type { ConnectionType } from '../../../record.ts';
import type { ListedNetwork, Networks } from '../../parsed.ts';
import { dayOfSeconds, dayOfText } from '../feed-day.ts';
import { jsonDocument, jsonLine, listMember, member, requiredList, textMember } from '../json-value.ts';

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

/** `64496,"Name"`, `AS64496,"Name"` or `AS64496 # Name`. Not every list quotes names with commas. */
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

/** Spamhaus ASN-DROP: `{"asn":64496,"domain":"example.com","asname":"EXAMPLE-AS"}` per line; then metadata. */
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

/** PeeringDB `/api/net`: `{"data":[{"asn":64496,"info_types":["Content"],…}]}`. The newest change is the date. */
export function parsePeeringdbNet(content: Content): Networks {
  const what = 'a PeeringDB list of networks';
  const list = new NetworkListBuilder();
  let asOf: string | undefined;
  for (const network of requiredList(jsonDocument(content, what), 'data', what)) {
    const types = typesOf(network);
    list.add(member(network, 'asn'), types[0] ?? '', PEERINGDB_ROLES.find(([type]) => types.includes(type))?.[1]);
    const updated = dayOfText(textMember(network, 'updated'));
    if (updated !== undefined && (asOf === undefined || updated > asOf)) asOf = updated;
  }
  return list.finish(asOf);
}

/** The first that a network has decides. NSP and infrastructure say nothing about the users of an address. */
const PEERINGDB_ROLES: readonly (readonly [type: string, role: ConnectionType])[] = [
  ['Cable/DSL/ISP', 'residential'],
  ['Content', 'datacenter'],
  ['Educational/Research', 'education'],
  ['Enterprise', 'business'],
  ['Government', 'business'],
  ['Non-Profit', 'business'],
];

function typesOf(network: unknown): string[] {
  const types = [textMember(network, 'info_type'), ...(listMember(network, 'info_types') ?? [])];
  return types.filter((type) => typeof type === 'string' && type !== '') as string[];
}

/** Stanford ASdb: the business of the owner. The first category that says how addresses are used decides. */
export function parseAsdbCsv(content: Content): Networks {
  const list = new NetworkListBuilder();
  for (const line of content.lines()) {
    if (line.trim() === '' || /^"?ASN"?,/.test(line)) continue;
    const [asn, ...fields] = csvRow(line);
    const categories = pairs(fields);
    if (categories.length === 0) list.skip();
    else list.add(asn, categories.map(categoryName).join('; '), roleOf(categories));
  }
  return list.finish();
}

type Category = readonly [layer1: string, layer2: string];

const IT = 'Computer and Information Technology';

function roleOf(categories: readonly Category[]): ConnectionType | undefined {
  for (const [layer1, layer2] of categories) {
    if (layer1 === 'Education and Research') return 'education';
    if (layer1 !== IT) continue;
    if (layer2 === 'Internet Service Provider (ISP)') return 'residential';
    if (layer2 === 'Phone Provider') return 'mobile';
    // `Hosting, Cloud Provider, Data Center, Server Colocation`, in some rows `Hosting and Cloud Provider` or
    // misspelled.
    if (layer2.startsWith('Hosting')) return 'datacenter';
  }
  return categories.some(isTrade) ? 'business' : undefined;
}

function isTrade([layer1, layer2]: Category): boolean {
  if (layer1 === IT) return layer2 !== '' && layer2 !== 'Other' && layer2 !== 'Unknown' && layer2 !== 'IP Transit';
  return layer1 !== 'Other' && layer1 !== 'Unknown' && !layer1.startsWith('Website issue');
}

function pairs(fields: readonly string[]): Category[] {
  const categories: Category[] = [];
  for (let i = 0; i < fields.length; i += 2) {
    const layer1 = fields[i]?.trim() ?? '';
    if (layer1 !== '') categories.push([layer1, fields[i + 1]?.trim() ?? '']);
  }
  return categories;
}

const categoryName = ([layer1, layer2]: Category): string => (layer2 === '' ? layer1 : `${layer1}: ${layer2}`);

// ipverse as-metadata, `[{"asn":64496,"metadata":{…,"category":"isp"}},…]`, 60 MB: read in pieces, because a parsed
// document would take ten times its size.
const ROLES: Readonly<Record<string, ConnectionType>> = {
  isp: 'residential',
  hosting: 'datacenter',
  business: 'business',
  education_research: 'education',
  government_admin: 'business',
};

/** Begins an entry. Quotes inside a text are escaped, so this is no part of one. */
const ENTRY = '"asn"';
const MAX_ENTRY_LENGTH = 1_000_000;

export function parseAsMetadataJson(content: Content): Networks {
  const list = new NetworkListBuilder();
  let entries = 0;
  for (const entry of entriesOf(content)) {
    if (++entries > content.maxRecords) throw tooManyRecords(content.maxRecords);
    const asn = /^\s*:\s*(\d+)/.exec(entry)?.[1];
    const category = /"category"\s*:\s*(?:"([a-z_]+)"|null)/.exec(entry);
    if (asn === undefined || category === null) list.skip();
    else if (category[1] !== undefined) list.add(asn, category[1], ROLES[category[1]]);
  }
  if (entries === 0) throw new Error('not a list of AS metadata: no entry with "asn"');
  return list.finish();
}

/** The text after each `"asn"`, up to the next one. */
function* entriesOf(content: Content): Generator<string> {
  const decoder = new StringDecoder('utf8');
  let text = '';
  let isInside = false;
  for (const chunk of content.chunks()) {
    text += decoder.write(chunk);
    const parts = text.split(ENTRY);
    text = parts.pop() ?? '';
    for (const part of parts) {
      if (isInside) yield part;
      isInside = true;
    }
    if (text.length > MAX_ENTRY_LENGTH) throw new Error('not a list of AS metadata: an entry is too long');
  }
  if (isInside) yield text + decoder.end();
}
