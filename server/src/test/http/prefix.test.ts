/** `GET /v1/prefix/{cidr}` over HTTP. */
import assert from 'node:assert/strict';
import test, { after, before } from 'node:test';
import { createClient } from '@whence/client';
import { startInProcess, TestFolder } from '../test-server.ts';

const folder = new TestFolder();
let server: Awaited<ReturnType<typeof startInProcess>>;
let secret = '';

before(async () => {
  folder.publish();
  server = await startInProcess(folder);
  ({ secret } = await folder.createKey());
});
after(async () => {
  await server.close();
  folder.remove();
});

async function ask(path: string, key = secret) {
  const response = await fetch(server.url + path, { headers: { 'X-API-Key': key } });
  return {
    status: response.status,
    headers: response.headers,
    ...JSON.parse(await response.text()),
  };
}

for (const [behaviour, path, prefix] of [
  ['a slash', '/v1/prefix/8.8.8.0/24', '8.8.8.0/24'],
  ['an encoded slash', '/v1/prefix/8.8.8.0%2F24', '8.8.8.0/24'],
  ['bits after the length are cleared', '/v1/prefix/8.8.8.8/24', '8.8.8.0/24'],
  ['IPv6 in another spelling', '/v1/prefix/2001:4860:0::1/32', '2001:4860::/32'],
  ['all of IPv4', '/v1/prefix/0.0.0.0/0', '0.0.0.0/0'],
  ['all of IPv6', '/v1/prefix/::/0', '::/0'],
  ['one address', '/v1/prefix/8.8.8.8/32', '8.8.8.8/32'],
] as const) {
  test(`prefix: ${behaviour}`, async () => {
    const { status, data, meta } = await ask(path);
    assert.deepEqual([status, data.prefix], [200, prefix]);
    assert.deepEqual(Object.keys(data), [
      'prefix',
      'announced_share',
      'parts',
      'networks',
      'types',
      'countries',
      'flags',
    ]);
    assert.deepEqual(Object.keys(meta), ['processing_time_ms']);
    assert.ok(data.parts.length > 0 && data.announced_share > 0);
  });
}

for (const [behaviour, path] of [
  ['no length', '/v1/prefix/8.8.8.8'],
  ['no address', '/v1/prefix/'],
  ['a length beyond the family', '/v1/prefix/8.8.8.0/33'],
  ['a leading zero', '/v1/prefix/8.8.8.0/024'],
  ['a negative length', '/v1/prefix/8.8.8.0/-1'],
  ['an IPv4-mapped prefix', '/v1/prefix/::ffff:8.8.8.0/120'],
  ['a zone', '/v1/prefix/fe80::1%25eth0/64'],
  ['text', '/v1/prefix/x/y'],
] as const) {
  test(`prefix: refused: ${behaviour}`, async () => {
    const { status, data } = await ask(path);
    assert.deepEqual([status, data], [400, { error: 'invalid prefix', code: 'INVALID_PREFIX' }]);
  });
}

test('prefix: unannounced space has no parts', async () => {
  const { status, data } = await ask('/v1/prefix/10.0.0.0/8');
  const none = { networks: [], types: [], countries: [], flags: [], parts: [] };
  assert.deepEqual([status, data], [200, { prefix: '10.0.0.0/8', announced_share: 0, ...none }]);
});

test('prefix: it needs ip:read, and counts as one request', async () => {
  const { secret: limited } = await folder.createKey({ permissions: ['asn:read'] });
  assert.equal((await ask('/v1/prefix/8.8.8.0/24', limited)).data.code, 'FORBIDDEN');
  const { secret: free } = await folder.createKey({ tier: 'free' });
  const { headers } = await ask('/v1/prefix/0.0.0.0/0', free);
  assert.equal(headers.get('x-ratelimit-remaining'), '999');
});

test('prefix: the client asks for it', async () => {
  const client = createClient({ baseUrl: server.url, apiKey: secret });
  const { data } = await client.prefix('1.0.0.0/16');
  assert.equal(data.networks[0]?.asn, 64500);
  assert.deepEqual(
    data.flags.find(({ flag }) => flag === 'is_tor_exit'),
    { flag: 'is_tor_exit', share: 0.0000152588 },
  );
});
