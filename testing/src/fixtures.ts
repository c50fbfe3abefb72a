/**
 * Real feed files, in a folder next to the repository, which are never committed; and a catalogue
 * of feeds over them, as
 * `file:` URLs: everything that a live dataset can be made of.
 */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const folder =
  process.env['WHENCE_FIXTURES'] ??
  fileURLToPath(new URL('../../../shared/feeds', import.meta.url));

/** The path of a fixture, or undefined where the folder is missing. */
export function fixture(path: string): string | undefined {
  return existsSync(folder) ? resolve(folder, path) : undefined;
}

export const NO_FIXTURES = 'there is no folder shared/feeds next to the repository';

/** The fields of a row of the catalogue; the catalogue's reader checks them. */
type Row = readonly [
  id: string,
  path: string,
  format: string,
  drives: readonly string[],
  more?: object,
];

const CLOUD = ['cloud_provider', 'country'];

const ROWS: readonly Row[] = [
  ['ris-v4', 'routing/riswhoisdump.IPv4.derived.gz', 'riswhois', ['routes']],
  ['ris-v6', 'routing/riswhoisdump.IPv6.gz', 'riswhois', ['routes']],
  ['iptoasn', 'routing/ip2asn-v4.excerpt.tsv', 'iptoasn-tsv', ['routes']],
  ['ripe-asnames', 'asn-names/ripe-asn.txt.gz', 'asnames', ['names']],
  [
    'delegated-afrinic',
    'delegated/delegated-afrinic-extended-latest',
    'delegated-ext',
    ['delegation'],
  ],
  [
    'delegated-ripencc',
    'delegated/2014-07-01/delegated-ripencc-latest.gz',
    'delegated-ext',
    ['delegation'],
  ],
  [
    'delegated-apnic',
    'delegated/2014-07-01/delegated-apnic-latest.gz',
    'delegated-ext',
    ['delegation'],
  ],
  [
    'delegated-lacnic',
    'delegated/2014-07-01/delegated-lacnic-latest.gz',
    'delegated-ext',
    ['delegation'],
  ],
  [
    'delegated-arin',
    'delegated/excerpt-2019-09-extended/delegated-arin-extended-latest',
    'delegated-ext',
    ['delegation'],
  ],
  ['geofeed-starlink', 'geofeed/operators/starlink.2026-03-30.csv', 'geofeed', ['country']],
  ['geofeed-linode', 'geofeed/linode.csv', 'geofeed', CLOUD, { provider: 'Linode' }],
  [
    'geofeed-digitalocean',
    'geofeed/digitalocean-google.csv',
    'geofeed',
    CLOUD,
    { provider: 'DigitalOcean' },
  ],
  ['aws', 'cloud/aws-ip-ranges.json', 'aws-json', CLOUD, { provider: 'AWS' }],
  ['azure', 'cloud/azure-ServiceTags_Public.json', 'azure-tags', CLOUD, { provider: 'Azure' }],
  ['gcp', 'cloud/gcp-cloud.json', 'google-json', CLOUD, { provider: 'Google Cloud' }],
  ['oracle', 'cloud/oracle-public_ip_ranges.json', 'oci-json', CLOUD, { provider: 'Oracle Cloud' }],
  [
    'cloudflare-v4',
    'cloud/cloudflare-ips-v4.txt',
    'cidr-lines',
    ['cloud_provider'],
    { provider: 'Cloudflare' },
  ],
  [
    'cloudflare-v6',
    'cloud/cloudflare-ips-v6.txt',
    'cidr-lines',
    ['cloud_provider'],
    { provider: 'Cloudflare' },
  ],
  [
    'fastly',
    'cloud/fastly-public-ip-list.json',
    'fastly-json',
    ['cloud_provider'],
    { provider: 'Fastly' },
  ],
  aiCrawler('openai-gptbot', 'OpenAI', 'GPTBot', 'reconstructed/gptbot.json'),
  aiCrawler('openai-oai-searchbot', 'OpenAI', 'OAI-SearchBot', 'reconstructed/oai-searchbot.json'),
  aiCrawler('openai-chatgpt-user', 'OpenAI', 'ChatGPT-User', 'reconstructed/chatgpt-user.json'),
  aiCrawler('anthropic-claudebot', 'Anthropic', 'ClaudeBot', 'reconstructed/claudebot.json'),
  aiCrawler(
    'perplexity-perplexitybot',
    'Perplexity',
    'PerplexityBot',
    'reconstructed/perplexitybot.json',
  ),
  aiCrawler(
    'perplexity-perplexity-user',
    'Perplexity',
    'Perplexity-User',
    'reconstructed/perplexity-user.json',
  ),
  searchCrawler('microsoft-bingbot', 'bingbot', 'reconstructed/bingbot.json'),
  aiCrawler('apple-applebot', 'Apple', 'Applebot', 'reconstructed/applebot.json'),
  searchCrawler('duckduckgo-duckduckbot', 'DuckDuckBot', 'reconstructed/duckduckbot.json'),
  searchCrawler(
    'google-special-case-crawlers',
    'Google special-case crawlers',
    'google-special-crawlers.json',
  ),
  ['tor-exits', 'tor/torbulkexitlist.2024-02-27.txt', 'ip-lines', ['is_tor_exit']],
  ['apple-relay', 'geofeed/icloud-private-relay.excerpt.csv', 'geofeed', ['is_vpn', 'country']],
  ['vpn-mullvad', 'vpn/services/mullvad.2026-08-21.txt', 'ip-lines', ['is_vpn']],
  ['vpn-pia', 'vpn/services/pia.2026-08-22.txt', 'ip-lines', ['is_vpn']],
  ['x4b-vpn-v4', 'vpn/x4bnet-vpn-ipv4.txt', 'cidr-lines', ['is_vpn']],
  ['x4b-vpn-v6', 'vpn/x4bnet-vpn-ipv6.txt', 'cidr-lines', ['is_vpn']],
  ['x4b-datacenter-v4', 'hosting/x4bnet-datacenter-ipv4.txt', 'cidr-lines', ['is_datacenter']],
  ['x4b-datacenter-v6', 'hosting/x4bnet-datacenter-ipv6.txt', 'cidr-lines', ['is_datacenter']],
  ['bad-asn', 'hosting/brianhama-bad-asn-list.csv', 'asn-csv', ['is_datacenter']],
  ['proxies-http', 'proxy/thespeedx-http.txt', 'ip-port', ['is_proxy']],
  ['proxies-socks4', 'proxy/thespeedx-socks4.txt', 'ip-port', ['is_proxy']],
  ['proxies-socks5', 'proxy/thespeedx-socks5.txt', 'ip-port', ['is_proxy']],
  [
    'spamhaus-drop',
    'threat/spamhaus-drop_v4.2025-04-15.json',
    'ndjson-drop',
    ['criminal_netblock'],
  ],
  [
    'spamhaus-asn-drop',
    'format-samples/spamhaus-asndrop.json',
    'ndjson-asndrop',
    ['criminal_netblock'],
  ],
  ['blocklist-de', 'threat/firehol/blocklist_de.ipset', 'netset', ['blocklist']],
  ['cins', 'threat/firehol/ciarmy.ipset', 'netset', ['blocklist']],
  ['feodo', 'threat/firehol/feodo.ipset', 'netset', ['blocklist']],
  ['et-block', 'threat/firehol/et_block.netset', 'netset', ['blocklist'], { is_aggregate: true }],
  ['dshield', 'threat/firehol/dshield.netset', 'netset', ['blocklist']],
  [
    'firehol-l1',
    'threat/firehol/firehol_level1.netset',
    'netset',
    ['blocklist'],
    { is_aggregate: true },
  ],
  [
    'firehol-l2',
    'threat/firehol/firehol_level2.netset',
    'netset',
    ['blocklist'],
    { is_aggregate: true },
  ],
  ['ipsum', 'threat/ipsum.half-a.txt', 'ip-count', ['blocklist']],
];

/** Undefined where the folder of the real files is missing. */
export function fixtureFeeds(): object[] | undefined {
  if (fixture('') === undefined) return undefined;
  return ROWS.map(([id, path, format, drives, more]) => ({
    id,
    url: pathToFileURL(fixture(path) ?? '').href,
    format,
    drives,
    ...more,
  }));
}

function aiCrawler(bot: string, company: string, crawler: string, file: string): Row {
  return [
    `crawler-${bot}`,
    `crawlers/${file}`,
    'google-json',
    ['is_ai_crawler'],
    { company, crawler },
  ];
}

function searchCrawler(bot: string, crawler: string, file: string): Row {
  return [`crawler-${bot}`, `crawlers/${file}`, 'google-json', ['crawler'], { crawler }];
}
