/**
 * The most expensive valid request that is known of every route, tool and page, with its class and
 * what it was measured to cost on the embedded dataset. costs.full.test makes these requests, and
 * docs/costs.md shows them.
 */
import { repeat, type SearchedField } from '@whence/testing/expensive-texts';
import type { routes } from '../../dashboard/wire/contract.ts';

/**
 * Milliseconds of processor time and bytes that an answer may take. A class in slices is bounded by
 * its walk.
 */
export const BUDGETS = {
  lookup: { ms: 50, bytes: 64_000 },
  turn: { ms: 200, bytes: 1_000_000 },
  search: { ms: 300, bytes: 64_000 },
  scan: { ms: 1_000, bytes: 256_000 },
  download: { ms: 2_000, bytes: 32_000_000 },
  email_check: { ms: 200, bytes: 64_000 },
  past_version: { ms: 100, bytes: 64_000 },
  comparison: { ms: 100, bytes: 64_000 },
  storage: { ms: 500, bytes: 1_000_000 },
  once: { ms: 2_000, bytes: 400_000 },
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
  readonly method?: string;
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
/** What the search below finds to be the most expensive. */
const SPF = repeat('v=spf1 ', 'a:h#.example ', 16 * 1024);

export const COST_ROWS: readonly CostRow[] = [
  row(
    '/v1/ip/:ip',
    'lookup',
    'explain, sections',
    ['1.4', 1_400],
    `/v1/ip/8.8.8.8?explain=true&include=${sections}`,
  ),
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
  row('/v1/asn/search', 'search', '100 results', ['80, 4', 17_000], '/v1/asn/search?q=e&limit=100'),
  row(
    '/v1/email/domain/:domain/dns',
    'email_check',
    'sections',
    ['10', 4_000],
    `${CHECK}/dns?include=transport,networks`,
  ),
  row(
    '/v1/email/domain/:domain/try',
    'email_check',
    '16 KiB of SPF',
    ['110', 9_000],
    `${CHECK}/try`,
    { spf: SPF },
  ),
  row(
    '/v1/email/domain/:domain/tls-reports',
    'email_check',
    '35 days',
    ['10', 4_000],
    `${CHECK}/tls-reports`,
  ),
  row(
    '/v1/decide',
    'lookup',
    '1,000 rules',
    ['3', 2_000],
    '/v1/decide?ip=8.8.8.8&path=/login&explain=true',
  ),
  row('/v1/databases', 'lookup', '', ['2', 7_500]),
  row(
    '/v1/databases/:name',
    'download',
    'largest file',
    ['70, 50', 18_000_000],
    '/v1/databases/whence',
  ),
  row(
    '/v1/lists/:list',
    'download',
    'residential networks',
    ['15, 10', 3_030_000],
    '/v1/lists/homes.txt',
  ),
  row('/v1/dataset', 'lookup', '', ['1', 32_000]),
  row('/openapi.json', 'once', 'first request', ['270, 3', 295_000]),
  row('/ip', 'lookup', '', ['0.8', 1_400]),
  tool('address', 'lookup', 'explain, sections', ['6', 3_000], {
    ip: '8.8.8.8',
    explain: true,
    include: sections,
  }),
  tool('batch', 'turn', '1,000 addresses, sections', ['40', 713_000], {
    ips: addresses,
    include: sections,
  }),
  tool('network', 'turn', '1,000 prefixes', ['10', 36_000], { asn: LARGE, prefixes: 1_000 }),
  tool('search', 'search', '100 results', ['4', 35_000], { query: 'e', limit: 100 }),
  tool('domain', 'email_check', 'explain, sections', ['12', 7_000], {
    domain: 'example.com',
    include: ['transport', 'networks'],
    explain: true,
  }),
  tool('dataset', 'turn', 'explain', ['5', 73_000], { explain: true }),
  page('lookUpIp', 'lookup', ['2', 2_500], 'ip/8.8.8.8'),
  page('lookUpHostname', 'lookup', ['2', 300], 'ip/8.8.8.8/hostname'),
  page('lookUpPrefix', 'scan', ['130, 2', 85_000], 'prefix/2001::/16'),
  page('lookUpAsn', 'scan', ['390, 1', 195_000], `asn/${LARGE}`),
  page('searchAsn', 'search', ['1.2', 17_000], 'asn?q=e&limit=100'),
  page(
    'checkDomain',
    'email_check',
    ['12', 8_000],
    'domain/example.com?include=transport,networks',
  ),
  row('/v1/prefix/:cidr', 'scan', '0.0.0.0/0', ['150, 4', 66_000], '/v1/prefix/0.0.0.0/0'),
  row('/v1/events', 'storage', '', ['2', 300]),
  {
    ...row('/v1/events/:id/accept', 'storage', '', ['2', 200], '/v1/events/x/accept'),
    method: 'POST',
  },
  // Adding domains begins checks of them, so it comes last.
  row('/v1/watched-domains', 'storage', '1,000 domains', ['60', 20_000], '/v1/watched-domains', {
    domains: Array.from({ length: 1_000 }, (_, i) => `h${i}.invalid`),
  }),
  {
    ...row(
      '/v1/watched-domains/:domain',
      'storage',
      '',
      ['3', 600],
      '/v1/watched-domains/h0.invalid',
      {
        tags: ['a'],
      },
    ),
    method: 'PATCH',
  },
  {
    ...row(
      '/v1/watched-domains/:domain/check',
      'storage',
      '',
      ['3', 600],
      '/v1/watched-domains/h0.invalid/check',
    ),
    method: 'POST',
  },
];

type Asked = { readonly path: string; readonly body?: string };
/**
 * A field that takes a text, or a body: searched for texts whose answer costs more than its class
 * may.
 */
export type SearchRow = SearchedField & {
  readonly field: string;
  readonly cost: Cost;
  ask(text: string): Asked;
};

const SPF_PIECES = [
  'a ',
  'mx ',
  'x ',
  'a/0 ',
  'ip4:#.#.1.0/24 ',
  'ip4:#.1.1.1 ',
  'ip6:2001:#::/48 ',
  'a:h#.example ',
  'include:h#.example ',
  'include:example.com ',
  'exists:%{i}.#.example ',
  '%{d} ',
  'redirect=a.example ',
  'exp=a ',
  '?all ',
  'v=spf1 ',
];
const TAG_PIECES = [
  'a=b;',
  'p=none;',
  'x#=1;',
  ';',
  'rua=mailto:a@b.example;',
  'mailto:a@h#.example,',
  'mailto:a@b.example!1g,',
  'MIIB',
  'k=rsa;',
  'h=sha256:',
  't=y:s:',
  'A=B;',
];
const ZONE_PIECES = [
  '\n',
  '@ TXT ""\n',
  '@ TXT "v=spf1 a mx -all"\n',
  '_dmarc TXT "v=DMARC1; p=none"\n',
  '@ MX # h#\n',
  'h# A 192.0.2.#\n',
  'h# CNAME h#\n',
  '1 ',
  '1h1m',
  'IN ',
  '"a" ',
  '"" ',
  '$TTL 1\n',
  '@ X\n',
  '\\000',
  '@ TXT "v=spf1 include:h#.example.com"\nh# TXT "v=spf1 include:h#.example.com include:example.com a mx"\n',
  's#._domainkey TXT "v=DKIM1; p=MIIB"\n',
];

/** A text as a member of a JSON body, with the others that are needed. */
const member =
  (path: string, name: string, others: object = {}) =>
  (text: string) => ({ path, body: JSON.stringify({ ...others, [name]: text }) });
const trial = (
  name: string,
  pieces: readonly string[],
  others?: object,
  start = '',
): SearchRow => ({
  field: `try: ${name}`,
  cost: 'email_check',
  start,
  maxLength: 16 * 1024,
  pieces,
  ask: member(`${CHECK}/try`, name, others),
});
const inTarget = (
  field: string,
  cost: Cost,
  maxLength: number,
  ask: (text: string) => string,
  pieces: readonly string[] = [],
): SearchRow => ({
  field,
  cost,
  // A character may be nine when it is encoded.
  maxLength,
  pieces,
  ask: (text) => ({ path: ask(encodeURIComponent(Buffer.from(text).toString())) }),
});
const rawBody = (path: string, cost: Cost, start: string): SearchRow => ({
  field: `${path}: body ${start.slice(0, 20)}`,
  cost,
  start,
  maxLength: 250_000,
  pieces: [
    '"1.1.1.#",',
    '"",',
    '{"a":',
    '[[',
    '{"a":[',
    '"\\u0000',
    '1e9,',
    '"ips":[],',
    'null,',
    '"__proto__":',
  ],
  ask: (body) => ({ path, body }),
});

export const SEARCH_ROWS: readonly SearchRow[] = [
  trial('spf', SPF_PIECES, {}, 'v=spf1 '),
  trial('dmarc', TAG_PIECES, {}, 'v=DMARC1; p=none; '),
  trial('mx', ['h#.example\n', '10 a\n', '.\n', '1 '], {}),
  trial('selectors', ['s#,', 'S#,'], { spf: 'v=spf1 -all' }),
  {
    ...trial('dkim', TAG_PIECES, {}, 'v=DKIM1; '),
    ask: (text) => ({
      path: `${CHECK}/try`,
      body: JSON.stringify({ dkim: { selector: 's', text } }),
    }),
  },
  { ...trial('zone', ZONE_PIECES), maxLength: 64 * 1024 },
  {
    ...trial('zone', ZONE_PIECES, {}, '@ TXT "v=spf1 " '),
    field: 'try: zone, one record',
    maxLength: 64 * 1024,
  },
  rawBody('/v1/ip/batch', 'turn', '{"ips":['),
  rawBody('/v1/ip/batch', 'turn', ''),
  rawBody(
    '/mcp',
    'turn',
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"batch","arguments":{"ips":[',
  ),
  rawBody(`${CHECK}/try`, 'email_check', '{"zone":"'),
  inTarget('ip', 'lookup', 900, (text) => `/v1/ip/${text}`, ['1:', '2001:db8:', '255.']),
  inTarget('history', 'past_version', 900, (text) => `/v1/ip/${text}/history`),
  inTarget('asn', 'scan', 900, (text) => `/v1/asn/${text}`, ['AS', '4']),
  inTarget('prefix', 'scan', 900, (text) => `/v1/prefix/${text}`, ['/', '0', '::/']),
  inTarget('search', 'search', 100, (text) => `/v1/asn/search?limit=100&q=${text}`, [
    'e',
    'e ',
    'as',
    'net ',
  ]),
  inTarget('domain', 'email_check', 250, (text) => `/v1/email/domain/${text}/dns`, [
    'xn--a',
    'xn--#.',
    'ß',
    'a#.',
  ]),
  inTarget(
    'domain and zone',
    'email_check',
    240,
    (text) => `/v1/email/domain/${text}.example/dns`,
    ['a#.', 'b.'],
  ),
  inTarget('selectors', 'email_check', 900, (text) => `${CHECK}/dns?selectors=${text}`, ['s#,']),
  inTarget('include', 'lookup', 900, (text) => `/v1/ip/8.8.8.8?include=${text}`, [
    'routing,',
    'privacy,',
  ]),
  ...['ip', 'host', 'path', 'method', 'set'].map((name) =>
    inTarget(
      `decide: ${name}`,
      'lookup',
      900,
      (text) => `/v1/decide?ip=8.8.8.8&explain=true&${name}=${text}`,
      ['/../', '/a/', '%252e', ';a=', 'xn--', '/%2e%2e'],
    ),
  ),
  inTarget('list', 'lookup', 900, (text) => `/v1/lists/${text}`, ['homes', '.json']),
  inTarget('database', 'lookup', 900, (text) => `/v1/databases/${text}`, ['whence', '.mmdb']),
];
