/**
 * The feed files beside the repository as a catalogue, those whose statements weigh more first. Some are excerpts and some are years old, so what comes
 * out has the size of a live dataset but is no picture of today.
 */
import { pathToFileURL } from 'node:url';
import type { Feed } from '@whence/dataset/compile/feed';

type FixtureFeed = Pick<Feed, 'id' | 'format' | 'drives' | 'provider' | 'company'> & {
  /** Below the folder of the feeds. */
  readonly file: string;
  readonly min_records?: number;
};

/**
 * The text of the catalogue. `pathOf` finds a file below the folder of the feeds. `changing` is the path of a list of addresses that the benchmark writes anew
 * before an update, so that there is something to publish.
 */
export function fixtureCatalogue(pathOf: (file: string) => string, changing: string): string {
  const feeds = FEEDS.map(({ file, ...feed }) => ({ ...feed, url: pathToFileURL(pathOf(file)).href }));
  const own = { id: 'changing', url: pathToFileURL(changing).href, format: 'ip-lines', drives: ['is_vpn'] };
  return JSON.stringify({ feeds: [...feeds, own] });
}

const FEEDS: readonly FixtureFeed[] = [
  { id: 'ris-v4', file: 'routing/riswhoisdump.IPv4.derived.gz', format: 'riswhois', drives: ['routes'] },
  { id: 'ris-v6', file: 'routing/riswhoisdump.IPv6.gz', format: 'riswhois', drives: ['routes'] },
  { id: 'caida-pfx2as', file: 'routing/routeviews-rv2.derived.pfx2as.gz', format: 'pfx2as', drives: ['routes'] },
  { id: 'iptoasn', file: 'routing/ip2asn-v4.excerpt.tsv', format: 'iptoasn-tsv', drives: ['routes'] },
  { id: 'ripe-asnames', file: 'asn-names/ripe-asn.txt.gz', format: 'asnames', drives: ['names'] },
  {
    id: 'delegated-afrinic',
    file: 'delegated/delegated-afrinic-extended-latest',
    format: 'delegated-ext',
    drives: ['delegation'],
  },
  {
    id: 'delegated-ripencc',
    file: 'delegated/2014-07-01/delegated-ripencc-latest.gz',
    format: 'delegated-ext',
    drives: ['delegation'],
  },
  {
    id: 'delegated-apnic',
    file: 'delegated/2014-07-01/delegated-apnic-latest.gz',
    format: 'delegated-ext',
    drives: ['delegation'],
  },
  {
    id: 'delegated-lacnic',
    file: 'delegated/2014-07-01/delegated-lacnic-latest.gz',
    format: 'delegated-ext',
    drives: ['delegation'],
  },
  {
    id: 'delegated-arin',
    file: 'delegated/excerpt-2019-09-extended/delegated-arin-extended-latest',
    format: 'delegated-ext',
    drives: ['delegation'],
  },
  {
    id: 'geofeed-linode',
    file: 'geofeed/linode.csv',
    format: 'geofeed',
    drives: ['country', 'cloud_provider'],
    provider: 'Linode',
  },
  {
    id: 'geofeed-digitalocean',
    file: 'geofeed/digitalocean-google.csv',
    format: 'geofeed',
    drives: ['country', 'cloud_provider'],
    provider: 'DigitalOcean',
  },
  {
    id: 'aws',
    file: 'cloud/aws-ip-ranges.json',
    format: 'aws-json',
    drives: ['cloud_provider', 'country'],
    provider: 'AWS',
  },
  {
    id: 'azure',
    file: 'cloud/azure-ServiceTags_Public.json',
    format: 'azure-tags',
    drives: ['cloud_provider', 'country'],
    provider: 'Azure',
  },
  {
    id: 'gcp',
    file: 'cloud/gcp-cloud.json',
    format: 'google-json',
    drives: ['cloud_provider', 'country'],
    provider: 'Google Cloud',
  },
  {
    id: 'oracle',
    file: 'cloud/oracle-public_ip_ranges.json',
    format: 'oci-json',
    drives: ['cloud_provider', 'country'],
    provider: 'Oracle Cloud',
  },
  {
    id: 'cloudflare-v4',
    file: 'cloud/cloudflare-ips-v4.txt',
    format: 'cidr-lines',
    drives: ['cloud_provider'],
    provider: 'Cloudflare',
  },
  {
    id: 'cloudflare-v6',
    file: 'cloud/cloudflare-ips-v6.txt',
    format: 'cidr-lines',
    drives: ['cloud_provider'],
    provider: 'Cloudflare',
  },
  {
    id: 'fastly',
    file: 'cloud/fastly-public-ip-list.json',
    format: 'fastly-json',
    drives: ['cloud_provider'],
    provider: 'Fastly',
  },
  {
    id: 'crawler-openai-gptbot',
    file: 'crawlers/reconstructed/gptbot.json',
    format: 'google-json',
    drives: ['is_ai_crawler'],
    company: 'OpenAI',
  },
  {
    id: 'crawler-openai-oai-searchbot',
    file: 'crawlers/reconstructed/oai-searchbot.json',
    format: 'google-json',
    drives: ['is_ai_crawler'],
    company: 'OpenAI',
  },
  {
    id: 'crawler-openai-chatgpt-user',
    file: 'crawlers/reconstructed/chatgpt-user.json',
    format: 'google-json',
    drives: ['is_ai_crawler'],
    company: 'OpenAI',
  },
  {
    id: 'crawler-anthropic-claudebot',
    file: 'crawlers/reconstructed/claudebot.json',
    format: 'google-json',
    drives: ['is_ai_crawler'],
    company: 'Anthropic',
  },
  {
    id: 'crawler-perplexity-perplexitybot',
    file: 'crawlers/reconstructed/perplexitybot.json',
    format: 'google-json',
    drives: ['is_ai_crawler'],
    company: 'Perplexity',
  },
  {
    id: 'crawler-perplexity-perplexity-user',
    file: 'crawlers/reconstructed/perplexity-user.json',
    format: 'google-json',
    drives: ['is_ai_crawler'],
    company: 'Perplexity',
  },
  {
    id: 'crawler-microsoft-bingbot',
    file: 'crawlers/reconstructed/bingbot.json',
    format: 'google-json',
    drives: ['is_ai_crawler'],
    company: 'Microsoft',
  },
  {
    id: 'crawler-apple-applebot',
    file: 'crawlers/reconstructed/applebot.json',
    format: 'google-json',
    drives: ['is_ai_crawler'],
    company: 'Apple',
  },
  {
    id: 'crawler-duckduckgo-duckduckbot',
    file: 'crawlers/reconstructed/duckduckbot.json',
    format: 'google-json',
    drives: ['is_ai_crawler'],
    company: 'DuckDuckGo',
  },
  {
    id: 'crawler-google-special-case-crawlers',
    file: 'crawlers/google-special-crawlers.json',
    format: 'google-json',
    drives: ['is_ai_crawler'],
    company: 'Google',
  },
  {
    id: 'tor-exits',
    file: 'tor/torbulkexitlist.2024-02-27.txt',
    format: 'ip-lines',
    drives: ['is_tor_exit'],
    min_records: 500,
  },
  { id: 'x4b-vpn-v4', file: 'vpn/x4bnet-vpn-ipv4.txt', format: 'cidr-lines', drives: ['is_vpn'] },
  { id: 'x4b-vpn-v6', file: 'vpn/x4bnet-vpn-ipv6.txt', format: 'cidr-lines', drives: ['is_vpn'] },
  {
    id: 'x4b-datacenter-v4',
    file: 'hosting/x4bnet-datacenter-ipv4.txt',
    format: 'cidr-lines',
    drives: ['is_datacenter'],
  },
  {
    id: 'x4b-datacenter-v6',
    file: 'hosting/x4bnet-datacenter-ipv6.txt',
    format: 'cidr-lines',
    drives: ['is_datacenter'],
  },
  { id: 'bad-asn', file: 'hosting/brianhama-bad-asn-list.csv', format: 'asn-csv', drives: ['is_datacenter'] },
  { id: 'peeringdb', file: 'nettype/peeringdb-net.page-1.json', format: 'peeringdb-net', drives: ['connection_type'] },
  { id: 'proxies-http', file: 'proxy/thespeedx-http.txt', format: 'ip-port', drives: ['is_proxy'] },
  { id: 'proxies-socks4', file: 'proxy/thespeedx-socks4.txt', format: 'ip-port', drives: ['is_proxy'] },
  { id: 'proxies-socks5', file: 'proxy/thespeedx-socks5.txt', format: 'ip-port', drives: ['is_proxy'] },
  {
    id: 'spamhaus-drop',
    file: 'threat/spamhaus-drop_v4.2025-04-15.json',
    format: 'ndjson-drop',
    drives: ['criminal_netblock'],
  },
  {
    id: 'spamhaus-asn-drop',
    file: 'format-samples/spamhaus-asndrop.json',
    format: 'ndjson-asndrop',
    drives: ['criminal_netblock'],
  },
  { id: 'blocklist-de', file: 'threat/firehol/blocklist_de.ipset', format: 'netset', drives: ['blocklist'] },
  { id: 'cins', file: 'threat/firehol/ciarmy.ipset', format: 'netset', drives: ['blocklist'] },
  { id: 'feodo', file: 'threat/firehol/feodo.ipset', format: 'netset', drives: ['blocklist'], min_records: 0 },
  { id: 'et-block', file: 'threat/firehol/et_block.netset', format: 'netset', drives: ['blocklist'] },
  { id: 'dshield', file: 'threat/firehol/dshield.netset', format: 'netset', drives: ['blocklist'] },
  { id: 'firehol-l1', file: 'threat/firehol/firehol_level1.netset', format: 'netset', drives: ['blocklist'] },
  { id: 'firehol-l2', file: 'threat/firehol/firehol_level2.netset', format: 'netset', drives: ['blocklist'] },
  { id: 'ipsum', file: 'threat/ipsum.half-a.txt', format: 'ip-count', drives: ['blocklist'] },
];
