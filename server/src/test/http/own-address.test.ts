/** `GET /v1/ip/me`, and `GET /ip` where public lookups are on: who the caller is. */
import assert from 'node:assert/strict';
import test, { after, before } from 'node:test';
import { startInProcess, TestFolder } from '../test-server.ts';

const folder = new TestFolder();
type Server = Awaited<ReturnType<typeof startInProcess>>;
let behindProxy: Server;
let open: Server;
let secret = '';

before(async () => {
  folder.publish();
  behindProxy = await startInProcess(folder, undefined, {
    WHENCE_TRUST_PROXY: '127.0.0.1',
    WHENCE_PUBLIC_LOOKUPS: 'on',
  });
  open = await startInProcess(folder);
  ({ secret } = await folder.createKey());
});
after(async () => {
  await behindProxy.close();
  await open.close();
  folder.remove();
});

async function ask(server: Server, path: string, headers: Record<string, string> = {}) {
  const response = await fetch(server.url + path, { headers });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json');
  return {
    status: response.status,
    headers: response.headers,
    text,
    ...(isJson && JSON.parse(text)),
  };
}

for (const [behaviour, forwarded, status, ip] of [
  ['IPv4', '8.8.8.8', 200, '8.8.8.8'],
  ['IPv6 in another spelling', '2001:4860:0::0001', 200, '2001:4860::1'],
  ['IPv4-mapped', '::ffff:8.8.8.8', 200, '8.8.8.8'],
  ['with a port, as some proxies write it', '8.8.8.8:4711', 200, '8.8.8.8'],
  ['the last address before trusted proxies', '3.0.0.1, 8.8.8.8, 127.0.0.1', 200, '8.8.8.8'],
  ['without a record', '10.0.0.1', 404, undefined],
  ['text that is no address', 'unknown', 400, undefined],
] as const) {
  test(`own address: behind a trusted proxy: ${behaviour}`, async () => {
    const headers = { 'X-API-Key': secret, 'X-Forwarded-For': forwarded };
    const me = await ask(behindProxy, '/v1/ip/me', headers);
    assert.deepEqual([me.status, me.data.ip], [status, ip]);
    const { status: publicStatus, data } = await ask(behindProxy, '/ip', {
      'X-Forwarded-For': forwarded,
    });
    assert.deepEqual([publicStatus, data], [me.status, me.data]);
    if (ip !== undefined)
      assert.deepEqual(data, (await ask(behindProxy, `/v1/ip/${ip}`, headers)).data);
  });
}

test('own address: a proxy that is not trusted is not believed', async () => {
  const headers = { 'X-API-Key': secret, 'X-Forwarded-For': '8.8.8.8' };
  const { status, data } = await ask(open, '/v1/ip/me?explain=true', headers);
  assert.deepEqual([status, data.details.prefix], [404, '127.0.0.0/8']);
});

test('own address: /v1/ip/me takes a key, include, explain and version as any lookup does', async () => {
  assert.equal((await ask(behindProxy, '/v1/ip/me')).status, 401);
  const headers = { 'X-API-Key': secret, 'X-Forwarded-For': '1.0.9.9' };
  const { data, headers: answered } = await ask(
    behindProxy,
    '/v1/ip/me?include=privacy&explain=true',
    headers,
  );
  assert.deepEqual([data.privacy, data.evidence[0].field], [{ kind: 'tor' }, 'prefix']);
  assert.ok(answered.has('x-ratelimit-limit'));
  assert.equal((await ask(behindProxy, '/v1/ip/me?version=1', headers)).data.ip, '1.0.9.9');
  assert.equal(
    (await ask(behindProxy, '/v1/ip/me?version=9', headers)).data.code,
    'VERSION_NOT_FOUND',
  );
  const { secret: limited } = await folder.createKey({ permissions: ['asn:read'] });
  assert.equal((await ask(behindProxy, '/v1/ip/me', { 'X-API-Key': limited })).status, 403);
});

test('own address: /ip sends the address alone as plain text', async () => {
  for (const [forwarded, text] of [
    ['8.8.8.8', '8.8.8.8\n'],
    ['10.0.0.1', '10.0.0.1\n'],
  ] as const) {
    const answer = await ask(behindProxy, '/ip', {
      'X-Forwarded-For': forwarded,
      Accept: 'text/plain',
    });
    assert.deepEqual([answer.status, answer.text], [200, text]);
    assert.equal(answer.headers.get('cache-control'), 'no-store');
  }
});

test('own address: /ip is limited by client', async () => {
  const from = (address: string) => ask(behindProxy, '/ip', { 'X-Forwarded-For': address });
  let refused: Awaited<ReturnType<typeof ask>> | undefined;
  for (let i = 0; i < 200 && refused === undefined; i++) {
    const answer = await from('3.3.3.3');
    if (answer.status !== 200) refused = answer;
  }
  assert.deepEqual([refused?.status, refused?.data.code], [429, 'RATE_LIMIT_EXCEEDED']);
  assert.equal(refused?.headers.get('retry-after'), '1');
  assert.equal((await from('3.3.3.4')).status, 200);
});

test('own address: /ip is not there unless public lookups are on', async () => {
  const { status, data } = await ask(open, '/ip');
  assert.deepEqual([status, data.code], [404, 'ROUTE_NOT_FOUND']);
});
