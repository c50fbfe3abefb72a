/** The formats of feeds: the parser of each format, and the shape of its statements. */

import type { Content } from '../io/content.ts';
import type { Drive } from './feed.ts';
import type { Parsed } from './parsed.ts';
import { parseCidrLines } from './sources/lists/cidr-lines.ts';
import { parseDshieldBlock } from './sources/lists/dshield-block.ts';
import { parseIpCount } from './sources/lists/ip-count.ts';
import { parseIpPort } from './sources/lists/ip-port.ts';
import { parseMonosansJson } from './sources/lists/monosans-json.ts';
import { parseNamedScanners } from './sources/lists/named-scanners.ts';
import { parseNdjsonDrop } from './sources/lists/ndjson-drop.ts';
import { parseNetset } from './sources/lists/netset.ts';
import { parseOnionoo } from './sources/lists/onionoo.ts';
import { parseTorExitAddresses } from './sources/lists/tor-exit-addresses.ts';
import { parseDbipCityCsv } from './sources/locations/dbip-city-csv.ts';
import { parseAsnames } from './sources/names/asnames.ts';
import { parseAsMetadataCsv, parseAsn2orgCsv } from './sources/names/names-csv.ts';
import { parsePeeringdbIx } from './sources/names/peeringdb-ix.ts';
import { parseAsMetadataJson } from './sources/networks/as-metadata-json.ts';
import { parseAs2types } from './sources/networks/as2types.ts';
import { parseAsdbCsv } from './sources/networks/asdb-csv.ts';
import { parseAsnCsv } from './sources/networks/asn-csv.ts';
import { parseBgptoolsAsns } from './sources/networks/bgptools-asns.ts';
import { parseNdjsonAsndrop } from './sources/networks/ndjson-asndrop.ts';
import { parsePeeringdbNet } from './sources/networks/peeringdb-net.ts';
import { parseAwsJson } from './sources/prefixes/aws-json.ts';
import { parseAzureTags } from './sources/prefixes/azure-tags.ts';
import { parseEmbeddedJsonHtml } from './sources/prefixes/embedded-json-html.ts';
import { parseFastlyJson } from './sources/prefixes/fastly-json.ts';
import { parseGeofeed } from './sources/prefixes/geofeed.ts';
import { parseGithubMeta } from './sources/prefixes/github-meta.ts';
import { parseGoogleJson } from './sources/prefixes/google-json.ts';
import { parseIpcatCsv } from './sources/prefixes/ipcat-csv.ts';
import { parseJsonAddresses } from './sources/prefixes/json-addresses.ts';
import { parseOciJson } from './sources/prefixes/oci-json.ts';
import { parsePeeringdbIxpfx } from './sources/prefixes/peeringdb-ixpfx.ts';
import { parseVultrJson } from './sources/prefixes/vultr-json.ts';
import { parseBgptoolsTable } from './sources/routes/bgptools-table.ts';
import { parseDelegatedExt } from './sources/routes/delegated-ext.ts';
import { parseIptoasnTsv } from './sources/routes/iptoasn-tsv.ts';
import { parsePfx2as } from './sources/routes/pfx2as.ts';
import { parseRangeCsvAsn, parseRangeCsvCountry } from './sources/routes/range-csv.ts';
import { parseRiswhois } from './sources/routes/riswhois.ts';

type Shape = Parsed['shape'];
type Format = {
  readonly shape: Shape;
  readonly parse: (content: Content) => Parsed;
  readonly isHtml?: boolean;
  /** The format gives each network a connection type. */
  readonly hasRoles?: boolean;
};

export const FORMATS: Readonly<Record<string, Format>> = {
  riswhois: { shape: 'routes', parse: parseRiswhois },
  pfx2as: { shape: 'routes', parse: parsePfx2as },
  'iptoasn-tsv': { shape: 'routes', parse: parseIptoasnTsv },
  'bgptools-table': { shape: 'routes', parse: parseBgptoolsTable },
  'range-csv-asn': { shape: 'routes', parse: parseRangeCsvAsn },
  'range-csv-cc': { shape: 'countries', parse: parseRangeCsvCountry },
  'delegated-ext': { shape: 'delegations', parse: parseDelegatedExt },
  asnames: { shape: 'names', parse: parseAsnames },
  'asn2org-csv': { shape: 'names', parse: parseAsn2orgCsv },
  'as-metadata-csv': { shape: 'names', parse: parseAsMetadataCsv },
  'asn-csv': { shape: 'networks', parse: parseAsnCsv },
  'bgptools-asns': { shape: 'networks', parse: parseBgptoolsAsns, hasRoles: true },
  'asdb-csv': { shape: 'networks', parse: parseAsdbCsv, hasRoles: true },
  'peeringdb-net': { shape: 'networks', parse: parsePeeringdbNet, hasRoles: true },
  'as-metadata-json': { shape: 'networks', parse: parseAsMetadataJson, hasRoles: true },
  as2types: { shape: 'networks', parse: parseAs2types, hasRoles: true },
  'ndjson-asndrop': { shape: 'networks', parse: parseNdjsonAsndrop },
  'ip-lines': { shape: 'prefixes', parse: parseCidrLines },
  'cidr-lines': { shape: 'prefixes', parse: parseCidrLines },
  netset: { shape: 'prefixes', parse: parseNetset },
  'ip-count': { shape: 'prefixes', parse: parseIpCount },
  'ip-port': { shape: 'prefixes', parse: parseIpPort },
  'named-scanners': { shape: 'prefixes', parse: parseNamedScanners },
  'monosans-json': { shape: 'prefixes', parse: parseMonosansJson },
  'json-addresses': { shape: 'prefixes', parse: parseJsonAddresses },
  'tor-exit-addresses': { shape: 'prefixes', parse: parseTorExitAddresses },
  onionoo: { shape: 'prefixes', parse: parseOnionoo },
  'ndjson-drop': { shape: 'prefixes', parse: parseNdjsonDrop },
  'dshield-block': { shape: 'prefixes', parse: parseDshieldBlock },
  'aws-json': { shape: 'prefixes', parse: parseAwsJson },
  'azure-tags': { shape: 'prefixes', parse: parseAzureTags },
  'google-json': { shape: 'prefixes', parse: parseGoogleJson },
  'oci-json': { shape: 'prefixes', parse: parseOciJson },
  'fastly-json': { shape: 'prefixes', parse: parseFastlyJson },
  'github-meta': { shape: 'prefixes', parse: parseGithubMeta },
  'vultr-json': { shape: 'prefixes', parse: parseVultrJson },
  geofeed: { shape: 'prefixes', parse: parseGeofeed },
  'ipcat-csv': { shape: 'prefixes', parse: parseIpcatCsv },
  'embedded-json-html': { shape: 'prefixes', parse: parseEmbeddedJsonHtml, isHtml: true },
  'dbip-city-csv': { shape: 'locations', parse: parseDbipCityCsv },
  'peeringdb-ixpfx': { shape: 'prefixes', parse: parsePeeringdbIxpfx },
  'peeringdb-ix': { shape: 'exchanges', parse: parsePeeringdbIx },
};

/** What the statements of each shape can decide. */
export const DRIVES_OF: Readonly<Record<Shape, readonly Drive[]>> = {
  routes: ['routes', 'names'],
  countries: ['country'],
  delegations: ['delegation'],
  names: ['names'],
  networks: ['connection_type', 'is_datacenter', 'is_vpn', 'criminal_netblock'],
  prefixes: [
    'country',
    'cloud_provider',
    'is_datacenter',
    'is_ai_crawler',
    'crawler',
    'scanner',
    'known_good',
    'is_tor_exit',
    'is_vpn',
    'is_proxy',
    'blocklist',
    'criminal_netblock',
    'is_anycast',
    'exchange',
  ],
  locations: ['location'],
  exchanges: ['exchange'],
};
