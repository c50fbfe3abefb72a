/**
 * Rules that the API and the dashboard share: the same input gets the same status, code, details,
 * `Retry-After` and data from both.
 */
import assert from 'node:assert/strict';
import { type ClientRequest, request as sendRequest } from 'node:http';
import test, { after, before } from 'node:test';
import {
  type ScriptedDnsServer,
  startScriptedDnsServer,
} from '@whence/testing/servers/scripted-dns-server';
import { until } from '@whence/testing/until';
import { type RouteName, routes } from '../../dashboard/wire/contract.ts';
import { type DashboardClient, signedInAs } from '../dashboard/dashboard-client.ts';
import { startInProcess, TestFolder } from '../test-server.ts';
import { SHARED_SAMPLE, SHARED_ZONE } from './shared-rules-sample.ts';

type Server = Awaited<ReturnType<typeof startInProcess>>;
type Answer = { status: number; data: Record<string, unknown>; retryAfter: string | null };
type Scope = { readonly url: string; readonly secret: string; readonly client: DashboardClient };

const folder = new TestFolder();
const emptyFolder = new TestFolder();
let dns: ScriptedDnsServer;
let server: Server;
let emptyServer: Server;
let scope: Scope;
let emptyScope: Scope;

before(async () => {
  folder.publish(SHARED_SAMPLE);
  dns = await startScriptedDnsServer(SHARED_ZONE, {
    scripts: { 'slow.example': { delayMs: 60_000 } },
  });
  [server, scope] = await start(folder);
  [emptyServer, emptyScope] = await start(emptyFolder);
});
after(async () => {
  await server.close();
  await emptyServer.close();
  await dns.close();
  folder.remove();
  emptyFolder.remove();
});

async function start(from: TestFolder): Promise<[Server, Scope]> {
  const started = await startInProcess(from, undefined, { WHENCE_DNS_SERVERS: dns.address });
  const { secret } = await from.createKey();
  const client = await signedInAs(from, started.url, 'Ada', 'admin');
  return [started, { url: started.url, secret, client }];
}

async function read(response: Response): Promise<Answer> {
  const { data } = (await response.json()) as { data: Record<string, unknown> };
  return { status: response.status, data, retryAfter: response.headers.get('Retry-After') };
}

const textOf = (query: Query) => new URLSearchParams(query).toString();

type Query = Record<string, string>;
type DashboardInput = { params?: Record<string, string>; query?: Query };
type Comparison = {
  readonly api: (text: string, query: Query) => string;
  readonly dashboard: (text: string, query: Query) => [RouteName, DashboardInput];
  readonly dataOf: (data: Record<string, unknown>) => object;
};

/**
 * Each endpoint of both scopes: how it is asked, and which part of the dashboard's answer is that
 * of the API.
 */
const ENDPOINTS = {
  ip: {
    api: (ip, query) => `/v1/ip/${encodeURIComponent(ip)}?explain=true&${textOf(query)}`,
    dashboard: (ip) => ['lookUpIp', { params: { ip } }],
    dataOf: ({ record, evidence, limits }) => ({
      ...(record as object),
      threat_is_known: !('threat_gap' in (limits as object)),
      evidence: (evidence as Record<string, unknown>[]).map(
        ({ licence: _, credit: __, ...row }) => row,
      ),
    }),
  },
  asn: {
    api: (asn) => `/v1/asn/${encodeURIComponent(asn)}?include_prefixes=true`,
    dashboard: (asn) => ['lookUpAsn', { params: { asn } }],
    dataOf: ({ record }) => record as object,
  },
  search: {
    api: (_, query) => `/v1/asn/search?${textOf(query)}`,
    dashboard: (_, query) => ['searchAsn', { query }],
    dataOf: (data) => data,
  },
  email: {
    api: (domain, query) => `/v1/email/domain/${encodeURIComponent(domain)}/dns?${textOf(query)}`,
    dashboard: (domain, query) => ['checkDomain', { params: { domain }, query }],
    dataOf: ({ report }) => report as object,
  },
} satisfies Record<string, Comparison>;
type Endpoint = keyof typeof ENDPOINTS;

async function askBoth(
  { url, secret, client }: Scope,
  endpoint: Endpoint,
  text: string,
  query = {},
) {
  const { api, dashboard, dataOf }: Comparison = ENDPOINTS[endpoint];
  const byKey = await read(
    await fetch(url + api(text, query), { headers: { 'X-API-Key': secret } }),
  );
  const bySession = await read(await client.ask(...dashboard(text, query)));
  return [
    byKey,
    bySession.status === 200 ? { ...bySession, data: dataOf(bySession.data) } : bySession,
  ] as const;
}

const selectors = (count: number) => Array.from({ length: count }, (_, i) => `s${i}`).join(',');

for (const [rule, endpoint, text, query, status, code] of [
  ['an address', 'ip', '8.8.8.8', {}, 200],
  ['an IPv6 address in another form', 'ip', '2001:4860:0::1', {}, 200],
  ['text that is no address', 'ip', '8.8.8', {}, 400, 'INVALID_IP'],
  ['a private address', 'ip', '10.0.0.1', {}, 404, 'NOT_FOUND'],
  ['an unannounced address', 'ip', '5.5.5.5', {}, 404, 'NOT_FOUND'],

  ['a network', 'asn', 'AS15169', {}, 200],
  ['text that is no AS number', 'asn', 'google', {}, 400, 'INVALID_ASN'],
  ['an AS number that is too large', 'asn', '4294967296', {}, 400, 'INVALID_ASN'],
  ['an unknown network', 'asn', '64499', {}, 404, 'NOT_FOUND'],

  ['a search', 'search', '', { q: 'google' }, 200],
  ['a search with a limit', 'search', '', { q: 'o', limit: '1' }, 200],
  ['a search with a limit over the maximum', 'search', '', { q: 'o', limit: '100000000000' }, 200],
  ['a search without a query', 'search', '', {}, 400, 'MISSING_QUERY'],
  ['a blank search', 'search', '', { q: '  ' }, 400, 'MISSING_QUERY'],
  ['a search that is too long', 'search', '', { q: 'a'.repeat(101) }, 400, 'INVALID_QUERY'],
  ['a limit of 0', 'search', '', { q: 'o', limit: '0' }, 400, 'INVALID_LIMIT'],
  ['a negative limit', 'search', '', { q: 'o', limit: '-1' }, 400, 'INVALID_LIMIT'],
  ['a limit with blanks', 'search', '', { q: 'o', limit: ' 1' }, 400, 'INVALID_LIMIT'],
  ['an empty limit', 'search', '', { q: 'o', limit: '' }, 400, 'INVALID_LIMIT'],
  ['a limit that is no number', 'search', '', { q: 'o', limit: 'all' }, 400, 'INVALID_LIMIT'],
  ['a cursor', 'search', '', { q: 'o', cursor: '4-64500' }, 200],
  ['a cursor of another kind', 'search', '', { q: 'o', cursor: 'next' }, 400, 'INVALID_QUERY'],

  ['a domain', 'email', 'example.com', {}, 200],
  ['a blank domain', 'email', ' ', {}, 400, 'MISSING_DOMAIN'],
  ['text that is no domain', 'email', 'not a domain', {}, 400, 'INVALID_DOMAIN'],
  ['one section', 'email', 'example.com', { include: 'networks' }, 200],
  ['sections with blanks', 'email', 'example.com', { include: 'transport, networks' }, 200],
  ['sections given twice', 'email', 'example.com', { include: 'networks,networks' }, 200],
  ['sections with empty names', 'email', 'example.com', { include: ',networks,, ' }, 200],
  ['no sections', 'email', 'example.com', { include: '' }, 200],
  [
    'an unknown section',
    'email',
    'example.com',
    { include: 'networks,wheather' },
    400,
    'INVALID_INCLUDE',
  ],
  [
    'a section in upper case',
    'email',
    'example.com',
    { include: 'Networks' },
    400,
    'INVALID_INCLUDE',
  ],
  [
    'selectors with blanks and duplicates',
    'email',
    'example.com',
    { selectors: ' a, A ,b,,b' },
    200,
  ],
  ['no selectors', 'email', 'example.com', { selectors: ' , ' }, 200],
  ['an invalid selector', 'email', 'example.com', { selectors: 'a,b c' }, 400, 'INVALID_SELECTOR'],
  ['as many selectors as are allowed', 'email', 'example.com', { selectors: selectors(50) }, 200],
  [
    'too many selectors',
    'email',
    'example.com',
    { selectors: selectors(51) },
    400,
    'TOO_MANY_SELECTORS',
  ],
  [
    'an invalid selector and section',
    'email',
    'x.example',
    { selectors: 'b c', include: 'x' },
    400,
    'INVALID_SELECTOR',
  ],
  ['a domain whose DNS does not work', 'email', 'broken.example', {}, 503, 'DNS_UNAVAILABLE'],
] as const) {
  test(`both scopes, ${endpoint}: ${rule}`, async () => {
    const [api, dashboard] = await askBoth(scope, endpoint, text, query);
    assert.deepEqual([api.status, api.data['code']], [status, code]);
    assert.deepEqual(dashboard, api);
  });
}

for (const [endpoint, text, query] of [
  ['ip', '8.8.8.8', {}],
  ['ip', 'nonsense', {}],
  ['asn', '15169', {}],
  ['search', '', { q: 'google' }],
  ['search', '', { q: 'google', limit: 'x' }],
  ['email', 'example.com', { include: 'networks' }],
] as const) {
  test(`both scopes, without a dataset: ${endpoint} ${text}${textOf(query)}`, async () => {
    const [api, dashboard] = await askBoth(emptyScope, endpoint, text, query);
    assert.deepEqual(
      [api.status, api.data['code'], api.retryAfter],
      [503, 'DATASET_UNAVAILABLE', '10'],
    );
    assert.deepEqual(dashboard, api);
  });
}

/**
 * The raw text of `data`: a parser would hide a `__proto__` member and the order of entries. Without
 * `threat_gap`, which is for people alone.
 */
async function batchTexts(
  { url, secret, client }: Scope,
  body: unknown,
): Promise<{ status: number; text: string }[]> {
  const headers = { 'X-API-Key': secret, 'Content-Type': 'application/json' };
  const sent = JSON.stringify(body);
  const byKey = await fetch(`${url}/v1/ip/batch`, { method: 'POST', headers, body: sent });
  const bySession = await client.ask('lookUpBatch', { body });
  return Promise.all(
    [byKey, bySession].map(async (response) => {
      const text = (await response.text())
        .replace(/,"meta":\{[^{}]*\}\}$/, '')
        .replaceAll(/,"threat_gap":"\w+"/g, '');
      return { status: response.status, text };
    }),
  );
}

for (const [rule, body, status, expected] of [
  [
    'records and errors by entry',
    { ips: ['8.8.8.8', '10.0.0.1', 'nonsense'] },
    200,
    /"nonsense":\{"error":"invalid/,
  ],
  [
    'a text given twice has one entry',
    { ips: ['8.8.8.8', '8.8.8.8', '8.8.8.8 '] },
    200,
    /"8\.8\.8\.8 ":\{"error"/,
  ],
  [
    'a member that objects inherit',
    { ips: ['__proto__', 'constructor'] },
    200,
    /"__proto__":\{"error"/,
  ],
  ['texts that need escapes', { ips: ['"', '\\', '\u0000', 'ü', '\ud800'] }, 200, /INVALID_IP/],
  ['a text of 5,000 characters', { ips: ['1'.repeat(5_000)] }, 200, /INVALID_IP/],
  [
    'as many addresses as are allowed',
    { ips: new Array(1_000).fill('8.8.8.8') },
    200,
    /"asn":15169/,
  ],
  [
    'too many addresses',
    { ips: new Array(1_001).fill('8.8.8.8') },
    400,
    /BATCH_TOO_LARGE.*1000.*1001/,
  ],
  ['no addresses', { ips: [] }, 400, /INVALID_REQUEST.*"\/ips"/],
  ['an entry that is no text', { ips: ['8.8.8.8', 8] }, 400, /INVALID_REQUEST.*"\/ips\/1"/],
  ['no list', { ips: '8.8.8.8' }, 400, /INVALID_REQUEST.*"\/ips"/],
  ['a body without addresses', {}, 400, /INVALID_REQUEST.*"\/ips"/],
] as const) {
  test(`both scopes, batch: ${rule}`, async () => {
    const [api, dashboard] = await batchTexts(scope, body);
    assert.equal(api?.status, status);
    assert.match(api?.text ?? '', expected);
    assert.deepEqual(dashboard, api);
  });
}

test('both scopes, batch: without a dataset', async () => {
  const [api, dashboard] = await batchTexts(emptyScope, { ips: ['8.8.8.8'] });
  assert.match(api?.text ?? '', /DATASET_UNAVAILABLE/);
  assert.deepEqual(dashboard, api);
});

for (const [name, path, headers] of [
  ['API', () => '/v1/email/domain/slow.example/dns', () => ({ 'X-API-Key': scope.secret })],
  [
    'dashboard',
    () => routes.checkDomain.path.replace(':domain', 'slow.example'),
    () => ({ Cookie: scope.client.cookie, 'Sec-Fetch-Site': 'same-origin' }),
  ],
] as const) {
  test(`both scopes, disconnect: the ${name} cancels a check whose client is gone`, async () => {
    const running = () => Number(server.metrics().gauges['whence_email_checks']);
    const start = async (count: number): Promise<ClientRequest> => {
      const sent = sendRequest(server.url + path(), { headers: headers() });
      sent.on('error', () => {}).end();
      await until('the check runs', () => running() === count);
      return sent;
    };
    // DNS answers neither, so that the one that began first would end first.
    const first = await start(1);
    let isFirstAnswered = false;
    first.on('response', () => {
      isFirstAnswered = true;
    });
    (await start(2)).destroy();
    await until('a check has ended', () => running() < 2);
    assert.equal(isFirstAnswered, false);
    first.destroy();
    await until('both have ended', () => running() === 0);
  });
}
