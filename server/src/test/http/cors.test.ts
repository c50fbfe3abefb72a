/**
 * Calls from pages of other origins: refused by default, allowed for the origins that the operator
 * names.
 */
import assert from 'node:assert/strict';
import test, { after, before } from 'node:test';
import { startInProcess, TestFolder } from '../test-server.ts';

const ORIGIN = 'https://app.example.com';
const folder = new TestFolder();
let key: string;
before(async () => {
  folder.publish();
  key = (await folder.createKey()).secret;
});
after(() => folder.remove());

async function withOrigins(origins: string, work: (url: string) => Promise<void>): Promise<void> {
  const server = await startInProcess(folder, undefined, { WHENCE_CORS_ORIGINS: origins });
  try {
    await work(server.url);
  } finally {
    await server.close();
  }
}

const preflight = (url: string, origin: string, path = '/v1/ip/batch', method = 'POST') =>
  fetch(url + path, {
    method: 'OPTIONS',
    headers: {
      Origin: origin,
      'Access-Control-Request-Method': method,
      'Access-Control-Request-Headers': 'x-api-key,content-type',
    },
  });
const lookup = (url: string, origin: string) =>
  fetch(`${url}/v1/ip/8.8.8.8`, { headers: { Origin: origin, 'X-API-Key': key } });

test('cors: off by default, a preflight is a method that the path does not have', () =>
  withOrigins('', async (url) => {
    const refused = await preflight(url, ORIGIN);
    assert.equal(refused.status, 405);
    for (const { headers } of [refused, await lookup(url, ORIGIN)])
      assert.equal(headers.get('access-control-allow-origin'), null);
  }));

test('cors: a named origin may send the key and read the headers of an answer', () =>
  withOrigins(`https://other.example, ${ORIGIN}`, async (url) => {
    const allowed = await preflight(url, ORIGIN);
    assert.equal(allowed.status, 204);
    assert.equal(allowed.headers.get('access-control-allow-origin'), ORIGIN);
    assert.match(allowed.headers.get('access-control-allow-headers') ?? '', /X-API-Key/);
    // Twice: the second takes the fast path where there is one.
    for (let i = 0; i < 2; i++) {
      const { status, headers } = await lookup(url, ORIGIN);
      assert.deepEqual([status, headers.get('access-control-allow-origin')], [200, ORIGIN]);
      assert.match(headers.get('access-control-expose-headers') ?? '', /X-RateLimit-Remaining/);
      assert.match(headers.get('vary') ?? '', /Origin/);
      assert.equal(headers.get('access-control-allow-credentials'), null);
    }
    const unauthorized = await fetch(`${url}/v1/ip/8.8.8.8`, { headers: { Origin: ORIGIN } });
    assert.deepEqual(
      [unauthorized.status, unauthorized.headers.get('access-control-allow-origin')],
      [401, ORIGIN],
    );
  }));

test('cors: another origin is not allowed', () =>
  withOrigins(ORIGIN, async (url) => {
    for (const response of [
      await preflight(url, 'https://evil.example'),
      await lookup(url, 'https://evil.example'),
    ])
      assert.equal(response.headers.get('access-control-allow-origin'), null);
  }));

test('cors: * allows all', () =>
  withOrigins('*', async (url) => {
    const { headers } = await lookup(url, 'https://any.example');
    assert.equal(headers.get('access-control-allow-origin'), '*');
  }));
