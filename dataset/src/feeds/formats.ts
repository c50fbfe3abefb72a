import type { Content } from '../io/content.ts';
import type { Drive } from './feed.ts';
import type { Parsed } from './parsed.ts';
import * as lineLists from './sources/lists/line-lists.ts';
import { parseOnionoo } from './sources/lists/onionoo.ts';
import { parseDbipCityCsv } from './sources/locations/dbip-city-csv.ts';
import { parseAsMetadataCsv, parseAsn2orgCsv, parseAsnames, parsePeeringdbIx } from './sources/names/names-csv.ts';
import {
  parseAsdbCsv,
  parseAsMetadataJson,
  parseAsnCsv,
  parseNdjsonAsndrop,
  parsePeeringdbNet,
} from './sources/networks/network-list.ts';
import { parseGeofeed } from './sources/prefixes/geofeed.ts';
import * as jsonLists from './sources/prefixes/json-lists.ts';
import { parseDelegatedExt } from './sources/routes/delegated-ext.ts';
import { parseIptoasnTsv, parseRangeCsvAsn, parseRangeCsvCountry } from './sources/routes/range-csv.ts';
import { parseBgptoolsTable, parsePfx2as, parseRiswhois } from './sources/routes/route-tables.ts';

type Shape = Parsed['shape'];
type Format = {
  readonly shape: Shape;
  readonly parse: (content: Content) => Parsed;
  readonly isHtml?: boolean;
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
  'asdb-csv': { shape: 'networks', parse: parseAsdbCsv, hasRoles: true },
  'peeringdb-net': { shape: 'networks', parse: parsePeeringdbNet, hasRoles: true },
  'as-metadata-json': { shape: 'networks', parse: parseAsMetadataJson, hasRoles: true },
  'ndjson-asndrop': { shape: 'networks', parse: parseNdjsonAsndrop },
  'ip-lines': { shape: 'prefixes', parse: lineLists.parseCidrLines },
  'cidr-lines': { shape: 'prefixes', parse: lineLists.parseCidrLines },
  netset: { shape: 'prefixes', parse: lineLists.parseNetset },
  'ip-count': { shape: 'prefixes', parse: lineLists.parseIpCount },
  'ip-port': { shape: 'prefixes', parse: lineLists.parseIpPort },
  'named-scanners': { shape: 'prefixes', parse: lineLists.parseNamedScanners },
  'monosans-json': { shape: 'prefixes', parse: jsonLists.parseMonosansJson },
  'json-addresses': { shape: 'prefixes', parse: jsonLists.parseJsonAddresses },
  'tor-exit-addresses': { shape: 'prefixes', parse: lineLists.parseTorExitAddresses },
  onionoo: { shape: 'prefixes', parse: parseOnionoo },
  'ndjson-drop': { shape: 'prefixes', parse: lineLists.parseNdjsonDrop },
  'dshield-block': { shape: 'prefixes', parse: lineLists.parseDshieldBlock },
  'aws-json': { shape: 'prefixes', parse: jsonLists.parseAwsJson },
  'azure-tags': { shape: 'prefixes', parse: jsonLists.parseAzureTags },
  'google-json': { shape: 'prefixes', parse: jsonLists.parseGoogleJson },
  'oci-json': { shape: 'prefixes', parse: jsonLists.parseOciJson },
  'fastly-json': { shape: 'prefixes', parse: jsonLists.parseFastlyJson },
  'github-meta': { shape: 'prefixes', parse: jsonLists.parseGithubMeta },
  geofeed: { shape: 'prefixes', parse: parseGeofeed },
  'embedded-json-html': { shape: 'prefixes', parse: jsonLists.parseEmbeddedJsonHtml, isHtml: true },
  'dbip-city-csv': { shape: 'locations', parse: parseDbipCityCsv },
  'peeringdb-ixpfx': { shape: 'prefixes', parse: jsonLists.parsePeeringdbIxpfx },
  'peeringdb-ix': { shape: 'exchanges', parse: parsePeeringdbIx },
};

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
