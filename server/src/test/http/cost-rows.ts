/**
 * The most expensive valid request that is known of every route, tool and page, with its class and what it was measured to cost on
 * the embedded dataset. costs.thorough.test makes these requests, and docs/costs.md shows them.
 */
import type { routes } from '../../dashboard/wire/contract.ts';

/** Milliseconds of processor time and bytes that an answer may take. A class in slices is bounded by its walk. */
export const BUDGETS = {
  lookup: { ms: 50, bytes: 64_000 },
  turn: { ms: 200, bytes: 1_000_000 },
  // A list has 18 bytes for each prefix.
  scan: { ms: 5_000, bytes: 8_000_000 },
  download: { ms: 2_000, bytes: 32_000_000 },
  email_check: { ms: 400, bytes: 64_000 },
  past_version: { ms: 100, bytes: 64_000 },
  comparison: { ms: 100, bytes: 64_000 },
  once: { ms: 2_000, bytes: 256_000 },
} as const;

type Cost = keyof typeof BUDGETS;
/** Measured milliseconds; a second figure is a repetition, which finds the result of the first. */
type Measured = readonly [ms: string, bytes: number];

export type CostRow = {
  readonly route: string;
  readonly cost: Cost;
  /** What makes it expensive. */
  readonly input: string;
  readonly ms: string;
  readonly bytes: number;
  readonly path: string;
  readonly body?: unknown;
};

/** The network with the most prefixes in the embedded dataset. */
const LARGE = 4134;
const addresses = Array.from(
  { length: 1_000 },
  (_, i) => `${((i * 37) % 223) + 1}.${(i * 91) % 256}.${(i * 57) % 256}.1`,
);
const sections = ['routing', 'privacy', 'location'];

function row(
  route: string,
  cost: Cost,
  input: string,
  [ms, bytes]: Measured,
  path: string = route,
  body?: unknown,
): CostRow {
  return { route, cost, input, ms, bytes, path, ...(body === undefined ? {} : { body }) };
}

function tool(name: string, cost: Cost, input: string, measured: Measured, given: object): CostRow {
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } };
  return row(`tool ${name}`, cost, input, measured, '/mcp', body);
}

function page(name: keyof typeof routes, cost: Cost, measured: Measured, path: string): CostRow {
  return row(`page ${name}`, cost, '', measured, `/dashboard/api/lookup/${path}`);
}

const CHECK = '/v1/email/domain/example.com';
const ZONE = '@ TXT "v=spf1 ip4:192.0.2.0/24 -all"\n_dmarc TXT "v=DMARC1; p=reject"';

export const COST_ROWS: readonly CostRow[] = [
  row('/v1/ip/:ip', 'lookup', 'explain, sections', ['1.4', 1_400], `/v1/ip/8.8.8.8?explain=true&include=${sections}`),
  row('/v1/ip/me', 'lookup', 'explain', ['0.8', 1_400], '/v1/ip/me?explain=true'),
  row('/v1/ip/:ip/history', 'past_version', '', ['1.3', 600], '/v1/ip/8.8.8.8/history'),
  row('/v1/ip/batch', 'turn', '1,000 addresses, sections', ['20', 398_000], '/v1/ip/batch', {
    ips: addresses,
    include: sections,
  }),
  row(
    '/v1/asn/:asn',
    'scan',
    '9,555 prefixes',
    ['18, 5', 170_000],
    `/v1/asn/${LARGE}?include_prefixes=true&include=routing`,
  ),
  row('/v1/asn/search', 'lookup', '100 results', ['4', 17_000], '/v1/asn/search?q=e&limit=100'),
  row(
    '/v1/email/domain/:domain/dns',
    'email_check',
    'sections',
    ['10', 4_000],
    `${CHECK}/dns?include=transport,networks`,
  ),
  row('/v1/email/domain/:domain/try', 'email_check', 'two records', ['15', 3_000], `${CHECK}/try`, { zone: ZONE }),
  row('/v1/decide', 'lookup', '1,000 rules', ['3', 2_000], '/v1/decide?ip=8.8.8.8&path=/login&explain=true'),
  row('/v1/databases', 'lookup', '', ['2', 7_500]),
  row('/v1/databases/:name', 'download', 'largest file', ['70, 50', 18_000_000], '/v1/databases/whence'),
  row('/v1/lists/:list', 'scan', 'residential networks', ['4000, 4', 3_500_000], '/v1/lists/homes.txt'),
  row('/v1/dataset', 'lookup', '', ['1', 32_000]),
  row('/v1/dataset/diff', 'comparison', 'whole versions', ['12', 6_000], '/v1/dataset/diff?from=1&to=1'),
  row('/openapi.json', 'once', 'first request', ['270, 3', 167_000]),
  row('/ip', 'lookup', '', ['0.8', 1_400]),
  tool('address', 'lookup', 'explain, sections', ['6', 2_600], { ip: '8.8.8.8', explain: true, include: sections }),
  tool('batch', 'turn', '1,000 addresses, sections', ['40', 627_000], { ips: addresses, include: sections }),
  tool('network', 'turn', '1,000 prefixes', ['10', 38_000], { asn: LARGE, prefixes: 1_000 }),
  tool('search', 'lookup', '100 results', ['4', 29_000], { query: 'e', limit: 100 }),
  tool('domain', 'email_check', 'explain, sections', ['12', 7_000], {
    domain: 'example.com',
    include: ['transport', 'networks'],
    explain: true,
  }),
  tool('dataset', 'turn', 'explain', ['5', 71_000], { explain: true }),
  page('lookUpIp', 'lookup', ['2', 2_500], 'ip/8.8.8.8'),
  page('lookUpHostname', 'lookup', ['2', 300], 'ip/8.8.8.8/hostname'),
  page('lookUpPrefix', 'scan', ['130, 2', 85_000], 'prefix/2001::/16'),
  page('lookUpAsn', 'scan', ['390, 1', 195_000], `asn/${LARGE}`),
  page('searchAsn', 'lookup', ['1.2', 17_000], 'asn?q=e&limit=100'),
  page('checkDomain', 'email_check', ['12', 8_000], 'domain/example.com?include=transport,networks'),
  row('/v1/prefix/:cidr', 'scan', '0.0.0.0/0', ['150, 4', 66_000], '/v1/prefix/0.0.0.0/0'),
];
