import type { Content } from '../io/content.ts';
import type { Drive } from './feed.ts';
import type { Parsed } from './parsed.ts';
import * as lineLists from './sources/lists/line-lists.ts';
import { parseOnionoo } from './sources/lists/onionoo.ts';
import { parseLocationDatabase } from './sources/locations/location-mmdb.ts';
import { parseAsn2orgCsv, parseAsnames } from './sources/names/network-names.ts';
import { parseAsnCsv, parseNdjsonAsndrop } from './sources/networks/network-list.ts';
import { parseGeofeed } from './sources/prefixes/geofeed.ts';
import * as jsonLists from './sources/prefixes/json-lists.ts';
import { parseDelegatedExt } from './sources/routes/delegated-ext.ts';
import {
  parseIptoasnTsv,
  parseRangeCsvAsn,
  parseRangeCsvCountry,
} from './sources/routes/range-csv.ts';
import { parseRiswhois } from './sources/routes/riswhois.ts';

type Shape = Parsed['shape'];
type Format = {
  readonly shape: Shape;
  readonly parse: (content: Content) => Parsed;
  readonly isHtml?: boolean;
};

export const FORMATS: Readonly<Record<string, Format>> = {
  riswhois: { shape: 'routes', parse: parseRiswhois },
  'iptoasn-tsv': { shape: 'routes', parse: parseIptoasnTsv },
  'range-csv-asn': { shape: 'routes', parse: parseRangeCsvAsn },
  'range-csv-cc': { shape: 'countries', parse: parseRangeCsvCountry },
  'delegated-ext': { shape: 'delegations', parse: parseDelegatedExt },
  asnames: { shape: 'names', parse: parseAsnames },
  'asn2org-csv': { shape: 'names', parse: parseAsn2orgCsv },
  'asn-csv': { shape: 'networks', parse: parseAsnCsv },
  'ndjson-asndrop': { shape: 'networks', parse: parseNdjsonAsndrop },
  'ip-lines': { shape: 'prefixes', parse: lineLists.parseCidrLines },
  'cidr-lines': { shape: 'prefixes', parse: lineLists.parseCidrLines },
  netset: { shape: 'prefixes', parse: lineLists.parseNetset },
  'ip-count': { shape: 'prefixes', parse: lineLists.parseIpCount },
  'ip-port': { shape: 'prefixes', parse: lineLists.parseIpPort },
  'named-scanners': { shape: 'prefixes', parse: lineLists.parseNamedScanners },
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
  'location-mmdb': { shape: 'locations', parse: parseLocationDatabase },
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
  ],
  locations: ['location'],
};
