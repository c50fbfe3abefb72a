/**
 * Rules that the API and the dashboard share: the same input gets the same status, code, details, `Retry-After` and data
 * from both. And those of the command line: it prints the same and ends with the same exit code, whether the answer came
 * from this machine or from a server.
 */
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { type ClientRequest, request as sendRequest } from 'node:http';
import { join } from 'node:path';
import test, { after, before } from 'node:test';
import { type ScriptedDnsServer, startScriptedDnsServer } from '@whence/testing/servers/scripted-dns-server';
import { until } from '@whence/testing/until';
import { type RouteName, routes } from '../../dashboard/wire/contract.ts';
import { type DashboardClient, signedInAs } from '../dashboard/dashboard-client.ts';
import { runCommand } from '../run-command.ts';
import { SAMPLE, startInProcess, TestFolder } from '../test-server.ts';

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

/** Escape sequences of a terminal: CSI, OSC, C1, a right-to-left override. */
const HOSTILE = '\u001b[31m\u001b]52;c;AAAA\u0007\u009b2J\u202e';
const dkimKey = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ type: 'spki', format: 'der' });

before(async () => {
  const routes = [...SAMPLE.routes, ['5.0.0.0/16', 64501, `Evil ${HOSTILE}`] as const];
  folder.publish({ ...SAMPLE, routes, tor: [] });
  folder.publish({ ...SAMPLE, routes });
  dns = await startScriptedDnsServer(
    {
      'example.com': { MX: [[10, 'mx.example.com']], TXT: ['v=spf1 mx -all'] },
      'mx.example.com': { A: ['8.8.8.8'] },
      'good.example': { MX: [[10, 'mx.example.com']], TXT: ['v=spf1 include:spf.good.example -all'] },
      'spf.good.example': { TXT: ['v=spf1 ip4:8.8.8.0/26 -all'] },
      'referring.example': {
        MX: [[10, 'mx.example.com']],
        TXT: ['v=spf1 include:spf.good.example include:gone.example -all'],
      },
      'google._domainkey.referring.example': { TXT: [`v=DKIM1; p=${dkimKey.toString('base64')}`] },
      '_dmarc.referring.example': { TXT: ['v=DMARC1; p=reject; rua=mailto:d@referring.example'] },
      'google._domainkey.good.example': { TXT: [`v=DKIM1; p=${dkimKey.toString('base64')}`] },
      'mine._domainkey.good.example': { TXT: [`v=DKIM1; p=${dkimKey.toString('base64')}`] },
      '_dmarc.good.example': { TXT: ['v=DMARC1; p=reject; rua=mailto:d@good.example'] },
      'parked.example': { MX: [[0, '.']], TXT: ['v=spf1 -all'] },
      '_dmarc.parked.example': { TXT: ['v=DMARC1; p=reject'] },
      'open.example': { MX: [[10, 'mx.example.com']], TXT: ['v=spf1 +all'] },
      'evil.example': { MX: [[10, 'mx.example.com']], TXT: [`v=spf1 include:${HOSTILE}.example ${HOSTILE} -all`] },
      '_dmarc.evil.example': { TXT: [`v=DMARC1; p=${HOSTILE}; rua=mailto:${HOSTILE}@x`] },
      'partly.example': { MX: [[10, 'mx.example.com']], TXT: ['v=spf1 ip4:8.8.8.8 -all'] },
      '_dmarc.partly.example': { fail: 'SERVFAIL' },
      '8.8.8.8.in-addr.arpa': { PTR: ['mx.example.com'] },
      'broken.example': { fail: 'SERVFAIL' },
      '_dmarc.broken.example': { fail: 'SERVFAIL' },
    },
    { scripts: { 'slow.example': { delayMs: 60_000 } } },
  );
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

/** Each endpoint of both scopes: how it is asked, and which part of the dashboard's answer is that of the API. */
const ENDPOINTS = {
  ip: {
    api: (ip, query) => `/v1/ip/${encodeURIComponent(ip)}?explain=true&${textOf(query)}`,
    dashboard: (ip) => ['lookUpIp', { params: { ip } }],
    dataOf: ({ record, evidence, limits }) => ({
      ...(record as object),
      threat_is_known: (limits as { threat_is_known: boolean }).threat_is_known,
      evidence: (evidence as Record<string, unknown>[]).map(({ licence: _, credit: __, ...row }) => row),
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
  diff: {
    api: (_, query) => `/v1/dataset/diff?${textOf(query)}`,
    dashboard: (_, query) => ['getDatasetDiff', { query }],
    dataOf: (data) => data,
  },
} satisfies Record<string, Comparison>;
type Endpoint = keyof typeof ENDPOINTS;

async function askBoth({ url, secret, client }: Scope, endpoint: Endpoint, text: string, query = {}) {
  const { api, dashboard, dataOf }: Comparison = ENDPOINTS[endpoint];
  const byKey = await read(await fetch(url + api(text, query), { headers: { 'X-API-Key': secret } }));
  const bySession = await read(await client.ask(...dashboard(text, query)));
  return [byKey, bySession.status === 200 ? { ...bySession, data: dataOf(bySession.data) } : bySession] as const;
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

  ['a domain', 'email', 'example.com', {}, 200],
  ['a blank domain', 'email', ' ', {}, 400, 'MISSING_DOMAIN'],
  ['text that is no domain', 'email', 'not a domain', {}, 400, 'INVALID_DOMAIN'],
  ['one section', 'email', 'example.com', { include: 'networks' }, 200],
  ['sections with blanks', 'email', 'example.com', { include: 'transport, networks' }, 200],
  ['sections given twice', 'email', 'example.com', { include: 'networks,networks' }, 200],
  ['sections with empty names', 'email', 'example.com', { include: ',networks,, ' }, 200],
  ['no sections', 'email', 'example.com', { include: '' }, 200],
  ['an unknown section', 'email', 'example.com', { include: 'networks,wheather' }, 400, 'INVALID_INCLUDE'],
  ['a section in upper case', 'email', 'example.com', { include: 'Networks' }, 400, 'INVALID_INCLUDE'],
  ['selectors with blanks and duplicates', 'email', 'example.com', { selectors: ' a, A ,b,,b' }, 200],
  ['no selectors', 'email', 'example.com', { selectors: ' , ' }, 200],
  ['an invalid selector', 'email', 'example.com', { selectors: 'a,b c' }, 400, 'INVALID_SELECTOR'],
  ['as many selectors as are allowed', 'email', 'example.com', { selectors: selectors(50) }, 200],
  ['too many selectors', 'email', 'example.com', { selectors: selectors(51) }, 400, 'TOO_MANY_SELECTORS'],
  [
    'an invalid selector and section',
    'email',
    'x.example',
    { selectors: 'b c', include: 'x' },
    400,
    'INVALID_SELECTOR',
  ],
  ['a domain whose DNS does not work', 'email', 'broken.example', {}, 503, 'DNS_UNAVAILABLE'],

  ['a comparison', 'diff', '', { from: '1', to: '2' }, 200],
  ['a comparison with a limit', 'diff', '', { from: '1', to: '2', limit: '1' }, 200],
  ['a comparison with a limit of 0', 'diff', '', { from: '1', to: '2', limit: '0' }, 400, 'INVALID_LIMIT'],
  ['a comparison without versions', 'diff', '', {}, 200],
  ['a comparison with the version before the first', 'diff', '', { to: '1' }, 404, 'VERSION_NOT_FOUND'],
  ['a version that is no number', 'diff', '', { from: '1', to: 'v2' }, 400, 'INVALID_VERSION'],
  ['an unknown version', 'diff', '', { from: '1', to: '9' }, 404, 'VERSION_NOT_FOUND'],
  ['an invalid limit and an unknown version', 'diff', '', { from: '1', to: '9', limit: 'x' }, 400, 'INVALID_LIMIT'],
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
  ['diff', '', { from: '1', to: '2' }],
] as const) {
  test(`both scopes, without a dataset: ${endpoint} ${text}${textOf(query)}`, async () => {
    const [api, dashboard] = await askBoth(emptyScope, endpoint, text, query);
    assert.deepEqual([api.status, api.data['code'], api.retryAfter], [503, 'DATASET_UNAVAILABLE', '10']);
    assert.deepEqual(dashboard, api);
  });
}

/** The raw text of `data`: a parser would hide a `__proto__` member and the order of entries. */
async function batchTexts({ url, secret, client }: Scope, body: unknown): Promise<{ status: number; text: string }[]> {
  const headers = { 'X-API-Key': secret, 'Content-Type': 'application/json' };
  const sent = JSON.stringify(body);
  const byKey = await fetch(`${url}/v1/ip/batch`, { method: 'POST', headers, body: sent });
  const bySession = await client.ask('lookUpBatch', { body });
  return Promise.all(
    [byKey, bySession].map(async (response) => {
      const text = (await response.text()).replace(/,"meta":\{[^{}]*\}\}$/, '');
      return { status: response.status, text };
    }),
  );
}

for (const [rule, body, status, expected] of [
  ['records and errors by entry', { ips: ['8.8.8.8', '10.0.0.1', 'nonsense'] }, 200, /"nonsense":\{"error":"invalid/],
  ['a text given twice has one entry', { ips: ['8.8.8.8', '8.8.8.8', '8.8.8.8 '] }, 200, /"8\.8\.8\.8 ":\{"error"/],
  ['a member that objects inherit', { ips: ['__proto__', 'constructor'] }, 200, /"__proto__":\{"error"/],
  ['texts that need escapes', { ips: ['"', '\\', '\u0000', 'ü', '\ud800'] }, 200, /INVALID_IP/],
  ['a text of 5,000 characters', { ips: ['1'.repeat(5_000)] }, 200, /INVALID_IP/],
  ['as many addresses as are allowed', { ips: new Array(1_000).fill('8.8.8.8') }, 200, /"asn":15169/],
  ['too many addresses', { ips: new Array(1_001).fill('8.8.8.8') }, 400, /BATCH_TOO_LARGE.*1000.*1001/],
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

/** Zone files for --try. */
const TRIED = join(folder.dataDir, 'tried.zone');
const UNREADABLE = join(folder.dataDir, 'unreadable.zone');
writeFileSync(TRIED, '_dmarc TXT "v=DMARC1; p=none"\n@ MX 10 mx.free-name.example.org.\n');
writeFileSync(UNREADABLE, '@ TXT "v=spf1 -all"\n_dmarc TXT "v=DMARC1\n');

/** Every command that asks a server with `--url`, by what it is asked for. */
const COMMANDS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  ip: [
    ['8.8.8.8'],
    ['10.0.0.1'],
    ['7.7.7.7'],
    ['::FFFF:8.8.8.8', '2001:4860:0::1'],
    ['8.8.8'],
    [HOSTILE],
    ['8.8.8.8', HOSTILE, '10.0.0.1', '4000::1', '5.0.0.1'],
    ['8.8.8.0/29', '1.0.9.8-1.0.9.10', '1.0.9.9-1.0.9.8'],
    ['8.0.0.0/8', '8.8.8.8'],
    ['--explain', '8.8.8.8'],
    ['--explain', '10.0.0.1'],
    ['--explain', '1.0.9.9', '7.7.7.7'],
    ['--include', 'routing,privacy,location', '1.0.9.9', '10.0.0.1'],
    ['--include', 'routing,hostname', '8.8.8.8', '5.0.0.1'],
    ['--include', 'registration', '8.8.8.8', '--csv'],
    ['--fields', 'ip,flags,threat_score,privacy_kind', '1.0.9.9', '10.0.0.1', 'x'],
    ['--fields', 'nonsense', '8.8.8.8'],
    ['--history', '8.8.8.8', '1.0.9.9'],
    ['--history', '10.0.0.1'],
    ['--history', '8.8.8'],
    ['--dataset-version', '1', '1.0.9.9'],
    ['--dataset-version', '2', '1.0.9.9', '7.7.7.7'],
    ['--dataset-version', '9', '8.8.8.8'],
    ['--dataset-version', '1', '--explain', '8.8.8.8'],
    ['--at', '2001-01-01', '8.8.8.8'],
    ['--at', 'yesterday', '8.8.8.8'],
  ],
  asn: [
    ['15169', 'AS64501'],
    ['AS64499'],
    ['google'],
    ['4294967296', '15169', HOSTILE],
    ['15169', '64499'],
    ['16505-16510', '64499-64499'],
    ['--prefixes', '15169'],
    ['--fields', 'asn_name,country', '15169', '64501', '64499'],
  ],
  'asn search': [['google'], ['o', '--limit', '1'], ['evil'], ['nothing like it'], [' '], [HOSTILE], ['a'.repeat(101)]],
  email: [
    ['good.example'],
    ['parked.example'],
    ['missing.example'],
    ['open.example'],
    ['referring.example'],
    ['evil.example'],
    ['partly.example'],
    ['broken.example'],
    ['not a domain'],
    ['good.example', 'parked.example'],
    ['good.example', 'parked.example', 'missing.example', 'evil.example', 'partly.example', 'broken.example'],
    ['--include', 'transport,networks', 'good.example'],
    ['--include', 'networks', 'evil.example'],
    ['--selectors', 'mine', 'good.example'],
    ['--only-selectors', 'mine,other', 'good.example'],
    ['--selectors', 'a b', 'good.example'],
    ['--try', TRIED, 'good.example'],
    ['--try', UNREADABLE, 'good.example'],
    ['--try', TRIED, 'broken.example'],
    ['--try', TRIED, 'good.example', 'parked.example'],
    ['--selectors', 'a', '--only-selectors', 'b', 'good.example'],
  ],
};

/** What was asked is the only difference between them: DNS servers, or the server that asked these. */
async function bothWays(argv: readonly string[], options: Parameters<typeof runCommand>[2]) {
  const dnsServers = { WHENCE_DNS_SERVERS: dns.address };
  const local = await runCommand(argv, { ...folder.environment, ...dnsServers }, options);
  // In a folder without a dataset: what is printed can only come from the server.
  const elsewhere = { WHENCE_DATA_DIR: '/nonexistent', WHENCE_URL: server.url, WHENCE_KEY: scope.secret };
  const remote = await runCommand(argv, elsewhere, options);
  const asked = (printed: string) => {
    // A command says where its dataset is, and which flags it lacks; a server says so in /readyz.
    const text = printed.replaceAll(/^(?:dataset: |note: flags ).*\n/gm, '');
    const replaced = text.replaceAll(dns.address, 'SERVER').replaceAll(server.url, 'SERVER');
    // The names have different lengths, so that lines with them are wrapped at other words.
    return replaced === text ? text : replaced.replace(/\s+/g, ' ');
  };
  return [local, remote].map(({ code, stdout, stderr }) => ({ code, stdout: asked(stdout), stderr: asked(stderr) }));
}

const terminal = { isTTY: true, columns: 60 };

for (const [command, cases] of Object.entries(COMMANDS))
  for (const argv of cases)
    for (const [format, options] of [
      ['', {}],
      ['--json', {}],
      ['--csv', {}],
      ['on a terminal', terminal],
    ] as const)
      test(`both ways: wh ${command} ${argv.map((text) => JSON.stringify(text)).join(' ')} ${format}`, async () => {
        const typed = [...command.split(' '), ...(format.startsWith('-') ? [format] : []), ...argv];
        const [local, remote] = await bothWays(typed, options);
        assert.deepEqual(remote, local);
        // A failure of the server itself would be equal both ways only by chance.
        assert.doesNotMatch(local?.stderr ?? '', /cannot reach|is not a Whence server|does not accept/);
      });

for (const [command, input] of [
  ['ip', `8.8.8.8\n# a comment\n\n10.0.0.1\n${HOSTILE}\n3.0.0.17/30\n`],
  ['asn', `15169\n${HOSTILE}\n64499\n16505-16510\n`],
  ['email', `good.example\nuser@parked.example\n${HOSTILE}\nbroken.example\ngood.example\n`],
] as const)
  for (const format of [[], ['--json'], ['--csv']])
    test(`both ways: a list on standard input of wh ${command} ${format}`, async () => {
      const [local, remote] = await bothWays([command, ...format, '-'], { input });
      assert.deepEqual(remote, local);
      assert.equal(local?.code, 1);
    });

for (const [behaviour, domain, code] of [
  ['a good grade', 'good.example', 0],
  ['a good grade of a domain that refers to a name which anyone can register', 'referring.example', 1],
  ['a domain that is set up to send no mail', 'parked.example', 0],
  ['a domain that lets anyone send', 'open.example', 1],
  ['a domain that does not exist', 'missing.example', 1],
  ['a part that could not be verified', 'partly.example', 1],
  ['no answer', 'broken.example', 1],
] as const)
  test(`both ways: the exit code of wh email for ${behaviour} is ${code}`, async () => {
    for (const outcome of await bothWays(['email', domain], {})) assert.equal(outcome.code, code, outcome.stdout);
  });

test('both ways: wh email --save writes the same reports, and --diff finds no change in them', async () => {
  const path = join(folder.dataDir, 'saved.json');
  const saved: string[] = [];
  for (const url of ['', server.url]) {
    const environment = { ...folder.environment, WHENCE_DNS_SERVERS: dns.address, WHENCE_KEY: scope.secret };
    await runCommand(['email', 'good.example', 'evil.example', '--url', url, '--save', path], environment);
    saved.push(readFileSync(path, 'utf8'));
  }
  assert.equal(saved[1], saved[0]);
  for (const outcome of await bothWays(['email', '--diff', path], {}))
    assert.deepEqual(outcome, { code: 0, stdout: '', stderr: '' });
});
