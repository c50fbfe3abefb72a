// The tables in `dataset/data` (README.md there) with their columns. A lookup reads none of them.
import { CONNECTION_TYPES, isCountry, RIRS } from '../record.ts';
import * as column from './columns.ts';
import { type Column, CsvTable } from './csv-table.ts';

const { asn, day, number, oneOf, optional, pattern, prefix } = column;
const connectionType = oneOf(CONNECTION_TYPES);
const registry = oneOf(RIRS);
const text = column.text();
/** When the row was known to be right, and how it is known. */
const provenance = { as_of: day, source: text };

/** Also has `EU` and `AP`, which registries use for more than one country. */
export const registryCountries = new CsvTable(
  'registry-countries.csv',
  {
    country: column.text(2),
    registry,
    continent: optional(oneOf(['AF', 'AN', 'AS', 'EU', 'NA', 'OC', 'SA'])),
    is_eu: optional(column.flag),
    ...provenance,
  },
  ['country'],
);

const country: Column<string> = {
  parse: (code) =>
    isCountry(code) && registryCountries.find(code) !== undefined ? code : undefined,
  wanted: 'the code of a country (ISO 3166-1), such as DE',
};

export const labelledNetworks = new CsvTable(
  'networks.csv',
  {
    asn,
    connection_type: connectionType,
    // A carrier sells transit to other networks, and is neither access nor hosting.
    role: optional(oneOf(['carrier'])),
    // Shown in answers where the registered name is none.
    name: column.text(48),
    cloud_provider: optional(text),
    vpn_operator: optional(text),
    misnamed_as: optional(text),
    group: text,
    ...provenance,
  },
  ['asn'],
  'asn',
);

export const networkNames = new CsvTable(
  'network-names.csv',
  { asn, name: text, ...provenance },
  ['asn'],
  'asn',
);

/** Texts that registries have as names of networks, and that are places. */
export const placeNames = new CsvTable(
  'place-names.csv',
  { name: text, kind: oneOf(['street', 'building', 'sector']), ...provenance },
  ['name'],
);

export const asCountries = new CsvTable(
  'as-countries.csv',
  { asn, country, ...provenance },
  ['asn'],
  'asn',
);

export const typeLabels = new CsvTable(
  'type-labels.csv',
  { asn, connection_type: connectionType, ...provenance },
  ['asn'],
  'asn',
);

export const countryLabels = new CsvTable(
  'country-labels.csv',
  { prefix, country, operator: text, feeds: text, ...provenance },
  ['prefix'],
);

export const addressTypes = new CsvTable(
  'address-types.csv',
  { prefix, connection_type: connectionType, operator: text, ...provenance },
  ['prefix'],
);

export const addressCountries = new CsvTable(
  'address-countries.csv',
  { prefix, country, name: text, ...provenance },
  ['prefix'],
);

export const cloudCountries = new CsvTable(
  'cloud-countries.csv',
  { prefix, country, feed: text, credit: text, ...provenance },
  ['prefix'],
);

/**
 * What can be rented in networks that also run services of their owner; without a provider, such
 * services. `feed`: the id of the feed with the whole list, which replaces the rows.
 */
export const cloudRanges = new CsvTable(
  'cloud-ranges.csv',
  { prefix, provider: optional(text), feed: optional(text), ...provenance },
  ['prefix'],
);

export const mistakenCountries = new CsvTable(
  'mistaken-countries.csv',
  { asn, country, ...provenance },
  ['asn', 'country'],
);

export const cloudRegions = new CsvTable(
  'cloud-regions.csv',
  { provider: text, region: text, country, ...provenance },
  ['provider', 'region'],
);

export const crawlers = new CsvTable(
  'crawlers.csv',
  { prefix, company: text, bot: text, is_ai: column.flag, ...provenance },
  ['company', 'bot', 'prefix'],
);

/**
 * Who a user agent claims to be, and how that is verified. `has_ranges`: in the evidence, under its
 * name.
 */
export const crawlerAgents = new CsvTable(
  'crawler-agents.csv',
  {
    name: text,
    user_agent: pattern,
    hostname: optional(pattern),
    // From which it comes, where the operator crawls from networks of its own only.
    networks: optional(column.list(' ')),
    has_ranges: optional(column.flag),
    // The operator documents its ranges first; not every address has a name.
    may_lack_name: optional(column.flag),
    is_scanner: optional(column.flag),
    ...provenance,
  },
  ['name'],
);

/** Ranges that a service holds itself. They count without a limit, whatever lists say. */
export const lastingRanges = new CsvTable(
  'lasting-ranges.csv',
  {
    prefix,
    use: oneOf(['vpn', 'relay', 'ai_crawler']),
    operator: text,
    // The name of the bot.
    crawler: optional(text),
    ...provenance,
  },
  ['prefix'],
);

export const torExits = new CsvTable(
  'tor-exits.csv',
  { prefix, operator: text, group: text, ...provenance },
  ['prefix'],
);

/** A row is about a prefix or about a whole network. */
export const scanners = new CsvTable(
  'scanners.csv',
  { prefix: optional(prefix), asn: optional(asn), operator: text, ...provenance },
  ['prefix', 'asn'],
);
export const scannerNames = new CsvTable(
  'scanner-names.csv',
  { ending: text, operator: text, ...provenance },
  ['ending'],
);

/** `feed`: the id of the feed with the whole list, which replaces the rows. */
export const knownGood = new CsvTable(
  'known-good.csv',
  { prefix, service: text, feed: optional(text), ...provenance },
  ['prefix'],
);

export const registryAddresses = new CsvTable(
  'registry-addresses.csv',
  { range: column.addressRange, registry, ...provenance },
  ['range'],
);

const asNumbers = { first: number, last: number, registry, ...provenance };
export const registryAsNumbers = new CsvTable(
  'registry-as-numbers.csv',
  asNumbers,
  ['first'],
  'first',
);
export const transferredAsNumbers = new CsvTable(
  'transferred-as-numbers.csv',
  asNumbers,
  ['first'],
  'first',
);

export const nameRules = new CsvTable(
  'name-rules.csv',
  {
    rule: number,
    connection_type: optional(connectionType),
    match: oneOf(['ignore', 'word', 'part']),
    pattern,
    note: optional(text),
    as_of: day,
  },
  ['rule', 'match', 'pattern'],
  'rule',
);

export const wordClasses = new CsvTable(
  'word-classes.csv',
  {
    match: oneOf(['word', 'ending', 'beginning', 'company']),
    class: optional(text),
    pattern,
    note: optional(text),
    as_of: day,
  },
  ['match', 'class', 'pattern'],
);

export const typePoints = new CsvTable(
  'type-points.csv',
  { signal: text, residential: number, datacenter: number, business: number, ...provenance },
  ['signal'],
);

/**
 * Packages of ip-location-db, which are no longer published on npm: version and content are pinned.
 */
export const npmPackages = new CsvTable(
  'npm-packages.csv',
  {
    use: oneOf(['asn', 'country', 'delegated']),
    id: text,
    package: text,
    version: text,
    ipv4_sha256: text,
    ipv6_sha256: text,
    licence: text,
    credit: text,
    as_of: day,
  },
  ['use'],
);

const { flag, list } = column;
const count = optional(number);

/** In the order of trust. Formats and drives are those of feeds/formats.ts. */
export const feeds = new CsvTable(
  'feeds.csv',
  {
    id: text,
    format: text,
    drives: list(' '),
    mode: oneOf(['on', 'opt-in']),
    refresh_hours: number,
    expire_hours: count,
    max_age_days: count,
    min_records: number,
    max_records: number,
    max_bytes: count,
    url: column.text(300),
    link: optional(column.text(300)),
    licence: text,
    credit: text,
    needs_contact: optional(flag),
    is_aggregate: optional(flag),
    direct: optional(flag),
    broad: optional(flag),
    contains: optional(list(' ')),
    fallback_for: optional(text),
    networks: optional(list(';')),
    provider: optional(text),
    company: optional(text),
    operator: optional(text),
    crawler: optional(text),
    is_relay: optional(flag),
    is_generic: optional(flag),
    connection_type: optional(connectionType),
    note: optional(text),
    as_of: day,
  },
  ['id'],
);
