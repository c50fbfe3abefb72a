/** `?include=` of address lookups over HTTP and on the command line. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { after, before } from 'node:test';
import { createClient } from '@whence/client';
import {
  type ScriptedDnsServer,
  startScriptedDnsServer,
} from '@whence/testing/servers/scripted-dns-server';
import { until } from '@whence/testing/until';
import { runCommand } from '../run-command.ts';
import { SAMPLE, startInProcess, TestFolder } from '../test-server.ts';

const folder = new TestFolder();
let server: Awaited<ReturnType<typeof startInProcess>>;
let dns: ScriptedDnsServer;
let secret = '';
/** Makes answers longer. */
const LONG = 'x'.repeat(200);

before(async () => {
  folder.publish({
    ...SAMPLE,
    named: [['3.2.0.0/16', 'scanner', 'Example Scans']],
    anonymous: [
      ['8.8.8.0/28', 'relay', 'Exämple "Relay"'],
      ['3.1.0.0/16', 'relay', LONG],
    ],
  });
  dns = await startScriptedDnsServer({
    '8.8.8.8.in-addr.arpa': { PTR: ['dns.google.example'] },
    'dns.google.example': { A: ['8.8.8.8'] },
    '9.8.8.8.in-addr.arpa': { PTR: ['crawl-1.googlebot.com'] },
    'crawl-1.googlebot.com': { A: ['8.8.8.1'] },
    '10.8.8.8.in-addr.arpa': { fail: 'SERVFAIL' },
  });
  server = await startInProcess(folder, undefined, { WHENCE_DNS_SERVERS: dns.address });
  ({ secret } = await folder.createKey());
});
after(async () => {
  await server.close();
  await dns.close();
  folder.remove();
});

async function ask(path: string, body?: unknown) {
  const response = await fetch(server.url + path, {
    headers: {
      'X-API-Key': secret,
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    },
    ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, ...JSON.parse(text) };
}

const RELAY = { kind: 'relay', service: 'Exämple "Relay"' };

for (const [behaviour, include, ip, want] of [
  ['one name', 'privacy', '8.8.8.8', { privacy: RELAY }],
  ['blanks around a name', '%20privacy%20', '8.8.8.8', { privacy: RELAY }],
  ['a name twice counts once', 'privacy,privacy', '8.8.8.8', { privacy: RELAY }],
  ['a repeated parameter is one list', 'privacy&include=privacy,', '8.8.8.8', { privacy: RELAY }],
  ['empty names', ',privacy,', '8.8.8.8', { privacy: RELAY }],
  ['no name', '', '8.8.8.8', {}],
  ['what no source knows is absent', 'privacy', '8.8.8.200', {}],
  [
    'routing',
    'routing',
    '8.8.8.200',
    {
      routing: {
        origins: [{ asn: 15169, asn_name: 'Google LLC' }],
        connection_type_source: 'table',
      },
    },
  ],
  ['a research scanner', 'scanner', '3.2.0.1', { scanner: { operator: 'Example Scans' } }],
  ['an address that is none', 'scanner', '8.8.8.8', {}],
  ['a Tor exit', 'privacy', '1.0.9.9', { privacy: { kind: 'tor' } }],
  [
    'a confirmed hostname',
    'hostname,privacy',
    '8.8.8.8',
    { hostname: { name: 'dns.google.example', is_confirmed: true }, privacy: RELAY },
  ],
  [
    'a forged hostname',
    'hostname',
    '8.8.8.9',
    {
      hostname: {
        name: 'crawl-1.googlebot.com',
        is_confirmed: false,
        crawler: { name: 'Googlebot', is_verified: false },
      },
    },
  ],
  ['no hostname', 'hostname', '8.8.8.200', { hostname: {} }],
  ['DNS does not answer', 'hostname', '8.8.8.10', { hostname: { error: 'dns_temporary_failure' } }],
  ['an IPv6 address', 'privacy', '2001:4860::1', {}],
] as const) {
  test(`ip include: ${behaviour}`, async () => {
    const { status, data, meta } = await ask(`/v1/ip/${ip}?include=${include}`);
    const { data: record } = await ask(`/v1/ip/${ip}`);
    assert.equal(status, 200);
    assert.deepEqual(data, { ...record, ...want });
    assert.deepEqual(Object.keys(meta), [
      'request_id',
      'processing_time_ms',
      'cache_status',
      'dataset_version',
    ]);
  });
}

for (const [behaviour, path, body, code, details] of [
  [
    'an unknown name',
    '/v1/ip/8.8.8.8?include=privacy,secrets',
    undefined,
    'INVALID_INCLUDE',
    'allowed',
  ],
  ['a name in capitals', '/v1/ip/8.8.8.8?include=Privacy', undefined, 'INVALID_INCLUDE', 'allowed'],
  [
    'an unknown name in a batch',
    '/v1/ip/batch',
    { ips: ['8.8.8.8'], include: ['x'] },
    'INVALID_INCLUDE',
    'allowed',
  ],
  [
    'a name that is not for batches',
    '/v1/ip/batch',
    { ips: ['8.8.8.8'], include: ['hostname'] },
    'INVALID_INCLUDE',
    'allowed',
  ],
  [
    'a text in a batch',
    '/v1/ip/batch',
    { ips: ['8.8.8.8'], include: 'privacy' },
    'INVALID_REQUEST',
    'path,expected',
  ],
  [
    'a number in a batch',
    '/v1/ip/batch',
    { ips: ['8.8.8.8'], include: [1] },
    'INVALID_REQUEST',
    'path,expected',
  ],
  ['an address that is none', '/v1/ip/x?include=privacy', undefined, 'INVALID_IP', undefined],
] as const) {
  test(`ip include: refused: ${behaviour}`, async () => {
    const { status, data } = await ask(path, body);
    assert.deepEqual([status, data.code], [400, code]);
    assert.equal(Object.keys(data.details ?? {}).join(), details ?? '');
  });
}

test('ip include: an address without a record stays 404', async () => {
  const { status, data } = await ask('/v1/ip/10.0.0.1?include=privacy');
  assert.deepEqual([status, data], [404, { error: 'no data found for IP', code: 'NOT_FOUND' }]);
});

test('ip include: the record is cached, and evidence comes before the sections', async () => {
  await ask('/v1/ip/8.8.8.9');
  const { meta, headers } = await ask('/v1/ip/8.8.8.9?include=privacy');
  assert.deepEqual([meta.cache_status, headers.get('x-cache-status')], ['HIT', 'HIT']);
  const { data } = await ask('/v1/ip/8.8.8.9?include=privacy&explain=true');
  assert.deepEqual(Object.keys(data).slice(-3), ['evidence', 'threat_is_known', 'privacy']);
});

test('ip include: a batch has the members of the single lookups', async () => {
  const ips = ['8.8.8.8', '8.8.8.200', '10.0.0.1', 'nonsense', '1.0.9.9', '8.8.8.8'];
  const { status, data } = await ask('/v1/ip/batch', { ips, include: ['routing', 'privacy'] });
  assert.equal(status, 200);
  for (const ip of new Set(ips)) {
    const single = await ask(`/v1/ip/${ip}?include=routing,privacy`);
    assert.deepEqual(data[ip], single.data);
  }
  assert.deepEqual(
    (await ask('/v1/ip/batch', { ips, include: [] })).data,
    (await ask('/v1/ip/batch', { ips })).data,
  );
});

test('ip include: a batch whose members do not fit into the buffer', async () => {
  const ips = Array.from({ length: 1000 }, (_, i) => `3.1.${i >> 8}.${i & 255}`);
  const { status, text, data } = await ask('/v1/ip/batch', { ips, include: ['privacy'] });
  assert.equal(status, 200);
  assert.ok(text.length > 1 << 19);
  for (const ip of ips)
    assert.deepEqual([data[ip].ip, data[ip].privacy], [ip, { kind: 'relay', service: LONG }]);
});

test('ip include: routing has the RPKI state of each origin where ROA data is configured', async () => {
  const path = join(folder.dataDir, 'vrps.json');
  writeFileSync(
    path,
    JSON.stringify({ roas: [{ asn: 15169, prefix: '8.8.8.0/24', maxLength: 24 }] }),
  );
  const environment = { ...folder.environment, WHENCE_RPKI: path };
  const own = await startInProcess(folder, undefined, environment);
  const origins = [{ asn: 15169, asn_name: 'Google LLC', rpki: 'valid' }];
  const routing = {
    origins,
    connection_type_source: 'table',
    roas: [{ asn: 15169, prefix: '8.8.8.0/24', max_length: 24 }],
  };
  try {
    const body = JSON.stringify({ ips: ['8.8.8.8'], include: ['routing'] });
    const headers = { 'X-API-Key': secret, 'Content-Type': 'application/json' };
    const batch = async () => {
      const response = await fetch(`${own.url}/v1/ip/batch`, { method: 'POST', headers, body });
      return JSON.parse(await response.text()).data['8.8.8.8'].routing;
    };
    await until('the file is read', async () => (await batch()).roas !== undefined);
    assert.deepEqual(await batch(), routing);
    const single = await fetch(`${own.url}/v1/ip/8.8.8.8?include=routing`, { headers });
    assert.deepEqual(JSON.parse(await single.text()).data.routing, routing);
  } finally {
    await own.close();
  }
  const { stdout } = await runCommand(
    ['ip', '--include', 'routing', '8.8.8.8', '3.0.0.1'],
    environment,
  );
  assert.match(stdout, /origins +AS15169 Google LLC \(RPKI: valid\)\n/);
  assert.match(stdout, /origins +AS16509 [^\n]* \(RPKI: not found\)\n/);
  const missing = { ...environment, WHENCE_RPKI: join(folder.dataDir, 'missing.json') };
  const refused = await runCommand(['ip', '--include', 'routing', '8.8.8.8'], missing);
  assert.deepEqual([refused.code, /no such file/.test(refused.stderr)], [2, true]);
});

test('ip include: the client asks for it', async () => {
  const client = createClient({ baseUrl: server.url, apiKey: secret });
  assert.deepEqual((await client.ip('8.8.8.8', { include: ['privacy'] })).data.privacy, RELAY);
  const { data } = await client.batch(['8.8.8.8'], { include: ['privacy'] });
  assert.deepEqual((data.get('8.8.8.8') as { privacy?: object }).privacy, RELAY);
});

test('ip include: wh ip --include', async () => {
  const whence = (...args: string[]) => runCommand(['ip', ...args], folder.environment);
  const { code, stdout } = await whence('--json', '--include', 'privacy', '8.8.8.8');
  assert.deepEqual([code, JSON.parse(stdout).privacy], [0, RELAY]);
  const dnsServers = { ...folder.environment, WHENCE_DNS_SERVERS: dns.address };
  const forged = await runCommand(['ip', '--include', 'hostname', '8.8.8.9'], dnsServers);
  assert.match(forged.stdout, /hostname +crawl-1\.googlebot\.com, forged, not Googlebot\n/);
  assert.match((await whence('--include', 'privacy', '1.0.9.9')).stdout, /privacy +tor\n/);
  assert.match(
    (await whence('--include', 'scanner', '3.2.0.1')).stdout,
    /scanner +Example Scans\n/,
  );
  const wrong = await whence('--include', 'secrets', '8.8.8.8');
  assert.equal(wrong.code, 2);
  assert.match(wrong.stderr, /It must be a list of routing, privacy/);
});
