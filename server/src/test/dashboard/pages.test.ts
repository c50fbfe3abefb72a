/** The built pages: what is sent as a page, what as a file, what stays JSON. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { after, before } from 'node:test';
import { gunzipSync } from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import { registerPages } from '../../dashboard/pages/pages.ts';
import { createHttpServer } from '../../http/server/http-server.ts';
import { openLog } from '../../log/log.ts';
import { startInProcess, TestFolder } from '../test-server.ts';

const folder = mkdtempSync(join(tmpdir(), 'whence-pages-'));
const SCRIPT = `export const text = '${'a'.repeat(5_000)}';`;
let app: FastifyInstance;
let url = '';

before(async () => {
  mkdirSync(join(folder, 'assets'));
  writeFileSync(join(folder, 'index.html'), '<!doctype html><title>Whence</title>');
  writeFileSync(join(folder, 'assets', 'index-abc123.js'), SCRIPT);
  writeFileSync(join(folder, 'favicon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
  const unused = () => false;
  app = createHttpServer({
    log: openLog('fatal').logger,
    trustProxy: [],
    readMode: 'shared-buffer',
    onRequest: () => {},
    onFault: unused,
  });
  const updates = {
    kind: 'build',
    isUpdateSet: false,
    updateSeconds: undefined,
    start: () => {},
  } as const;
  const settings = {
    publicUrl: undefined,
    dataDir: '',
    pagesFolder: folder,
    memberKeysPerDay: 10,
    hasPublicLookups: false,
    provider: undefined,
    inForce: [],
    updates,
  };
  await app.register(async (scope) => registerPages(scope, settings));
  url = await app.listen({ host: '127.0.0.1', port: 0 });
});
after(async () => {
  await app.close();
  rmSync(folder, { recursive: true, force: true });
});

const HTML = { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

for (const path of ['/', '/ip/8.8.8.8', '/prefix/8.8.8.0/24', '/keys/abc', '/index.html']) {
  test(`pages: ${path} is the page, which is not cached`, async () => {
    const response = await fetch(`${url}${path}`, { headers: HTML });
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('content-type'), 'text/html; charset=utf-8');
    assert.equal(response.headers.get('cache-control'), 'no-cache');
    assert.ok(response.headers.get('content-security-policy'));
    assert.match(await response.text(), /<title>Whence/);
  });
}

for (const path of ['/', '/docs', '/docs/'])
  for (const accept of ['*/*', 'application/json, */*;q=0.1', 'text/plain'])
    test(`pages: ${path} is the page for a client with Accept: ${accept}`, async () => {
      const response = await fetch(`${url}${path}`, { headers: { Accept: accept } });
      assert.equal(response.headers.get('content-type'), 'text/html; charset=utf-8');
      // The same URL is JSON for other clients.
      assert.match(response.headers.get('vary') ?? '', /^Accept,/);
    });

for (const [path, headers] of [
  ['/', { Accept: 'application/json' }],
  ['/', { Accept: 'application/json, text/html;q=0' }],
  ['/docs', { Accept: 'application/problem+json;q=0.9, application/json' }],
  ['/ip/8.8.8.8', { Accept: 'application/json' }],
  ['/ip/8.8.8.8', { Accept: '*/*' }],
  ['/v1/nothing', HTML],
  ['/v1', HTML],
  ['/dashboard/api/nothing', HTML],
  ['/assets/gone-abc123.js', HTML],
  ['/metrics', HTML],
] as const) {
  test(`pages: ${path} asked for with Accept: ${'Accept' in headers ? headers.Accept : 'none'} stays JSON`, async () => {
    const response = await fetch(`${url}${path}`, { headers });
    assert.equal(response.status, 404);
    const { data } = (await response.json()) as { data: unknown };
    assert.deepEqual(data, { error: 'route not found', code: 'ROUTE_NOT_FOUND' });
  });
}

test('pages: a file with a hash in its name is kept for a year, compressed where that is asked for', async () => {
  const path = `${url}/assets/index-abc123.js`;
  const response = await fetch(path, { headers: { 'Accept-Encoding': 'identity' } });
  assert.equal(response.headers.get('cache-control'), 'public, max-age=31536000, immutable');
  assert.equal(response.headers.get('content-type'), 'text/javascript; charset=utf-8');
  assert.equal(response.headers.get('x-content-type-options'), 'nosniff');
  assert.equal(await response.text(), SCRIPT);
  const compressed = await raw(path, 'gzip');
  assert.equal(compressed.encoding, 'gzip');
  assert.ok(compressed.bytes.length < 200);
  assert.equal(gunzipSync(compressed.bytes).toString(), SCRIPT);
  assert.equal((await raw(path, 'gzip, br')).encoding, 'br');
  assert.equal((await raw(path, 'br;q=0, gzip')).encoding, 'gzip');
});

test('pages: an unchanged page is not sent again', async () => {
  const first = await fetch(url, { headers: HTML });
  const headers = { ...HTML, 'If-None-Match': first.headers.get('etag') ?? '' };
  assert.equal((await fetch(url, { headers })).status, 304);
});

for (const [path, headers, status, allow] of [
  ['/', {}, 405, 'GET, HEAD'],
  ['/docs?a=b', {}, 405, 'GET, HEAD'],
  ['/assets/index-abc123.js', {}, 405, 'GET, HEAD'],
  ['/ip/8.8.8.8', HTML, 405, 'GET, HEAD'],
  ['/ip/8.8.8.8', {}, 404, null],
  ['/', { Accept: 'application/json' }, 404, null],
  ['/assets/gone-abc123.js', HTML, 404, null],
  ['/v1/nothing', HTML, 404, null],
] as const)
  test(`pages: POST and OPTIONS ${path} get ${status}, as GET does where it is 404`, async () => {
    for (const method of ['POST', 'OPTIONS']) {
      const response = await fetch(`${url}${path}`, { method, headers });
      assert.deepEqual([response.status, response.headers.get('allow')], [status, allow]);
    }
    const { status: got } = await fetch(`${url}${path}`, { method: 'HEAD', headers });
    assert.equal(got, status === 404 ? 404 : 200);
  });

test('pages: none of the hooks runs for the API, whose answers have no header of a page', async () => {
  const data = new TestFolder();
  data.publish();
  const server = await startInProcess(data);
  try {
    const { secret } = await data.createKey();
    for (const path of ['/v1/ip/8.8.8.8', '/v1/asn/15169', '/healthz']) {
      const { headers } = await fetch(`${server.url}${path}`, {
        headers: { 'X-API-Key': secret, ...HTML },
      });
      assert.equal(headers.get('content-security-policy'), null, path);
      assert.equal(headers.get('content-type'), 'application/json; charset=utf-8', path);
    }
  } finally {
    await server.close();
    data.remove();
  }
});

/** fetch decompresses; this does not. */
function raw(
  path: string,
  accepted: string,
): Promise<{ encoding: string | undefined; bytes: Buffer }> {
  return new Promise((resolve, reject) => {
    get(path, { headers: { 'Accept-Encoding': accepted }, agent: false }, (response) => {
      const pieces: Buffer[] = [];
      response.on('data', (piece: Buffer) => pieces.push(piece));
      response.on('end', () =>
        resolve({ encoding: response.headers['content-encoding'], bytes: Buffer.concat(pieces) }),
      );
    }).on('error', reject);
  });
}
