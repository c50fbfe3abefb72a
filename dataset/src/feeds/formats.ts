/** The formats of feeds: the parser of each, and the shape of its statements. */
import type { Drive } from './feed.ts';
import type { Parsed } from './parsed.ts';
import { parseAsMetadataCsv } from './sources/as-metadata-csv.ts';
import { parseAs2types } from './sources/as2types.ts';
import { parseAsdbCsv } from './sources/asdb-csv.ts';
import { parseAsnCsv } from './sources/asn-csv.ts';
import { parseAsn2orgCsv } from './sources/asn2org-csv.ts';
import { parseAsnames } from './sources/asnames.ts';
import { parseAwsJson } from './sources/aws-json.ts';
import { parseAzureTags } from './sources/azure-tags.ts';
import { parseBgptoolsAsns } from './sources/bgptools-asns.ts';
import { parseBgptoolsTable } from './sources/bgptools-table.ts';
import { parseCidrLines } from './sources/cidr-lines.ts';
import type { Content } from './sources/content.ts';
import { parseDelegatedExt } from './sources/delegated-ext.ts';
import { parseDshieldBlock } from './sources/dshield-block.ts';
import { parseEmbeddedJsonHtml } from './sources/embedded-json-html.ts';
import { parseFastlyJson } from './sources/fastly-json.ts';
import { parseGeofeed } from './sources/geofeed.ts';
import { parseGithubMeta } from './sources/github-meta.ts';
import { parseGoogleJson } from './sources/google-json.ts';
import { parseIpCount } from './sources/ip-count.ts';
import { parseIpPort } from './sources/ip-port.ts';
import { parseIpcatCsv } from './sources/ipcat-csv.ts';
import { parseIptoasnTsv } from './sources/iptoasn-tsv.ts';
import { parseJsonAddresses } from './sources/json-addresses.ts';
import { parseMonosansJson } from './sources/monosans-json.ts';
import { parseMrtRib } from './sources/mrt-rib.ts';
import { parseNdjsonAsndrop } from './sources/ndjson-asndrop.ts';
import { parseNdjsonDrop } from './sources/ndjson-drop.ts';
import { parseNetset } from './sources/netset.ts';
import { parseOciJson } from './sources/oci-json.ts';
import { parseOnionoo } from './sources/onionoo.ts';
import { parsePeeringdbNet } from './sources/peeringdb-net.ts';
import { parsePfx2as } from './sources/pfx2as.ts';
import { parseRangeCsvAsn, parseRangeCsvCountry } from './sources/range-csv.ts';
import { parseRiswhois } from './sources/riswhois.ts';
import { parseTorExitAddresses } from './sources/tor-exit-addresses.ts';
import { parseVultrJson } from './sources/vultr-json.ts';

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
  'mrt-rib': { shape: 'routes', parse: parseMrtRib },
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
  as2types: { shape: 'networks', parse: parseAs2types, hasRoles: true },
  'ndjson-asndrop': { shape: 'networks', parse: parseNdjsonAsndrop },
  'ip-lines': { shape: 'prefixes', parse: parseCidrLines },
  'cidr-lines': { shape: 'prefixes', parse: parseCidrLines },
  netset: { shape: 'prefixes', parse: parseNetset },
  'ip-count': { shape: 'prefixes', parse: parseIpCount },
  'ip-port': { shape: 'prefixes', parse: parseIpPort },
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
    'is_tor_exit',
    'is_vpn',
    'is_proxy',
    'blocklist',
    'criminal_netblock',
  ],
};
