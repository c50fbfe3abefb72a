import assert from 'node:assert/strict';
import test, { after, before } from 'node:test';
import { createClient } from '@whence/client';
import { openDataset } from '@whence/dataset/dataset';
import { type Sample, sampleContent } from '@whence/dataset/test/sample-dataset';
import {
  publish,
  readManifest,
  useVersion,
  type VersionEntry,
  versionPath,
} from '@whence/dataset/versions';
import { until } from '@whence/testing/until';
import { SAMPLE, startInProcess, TestFolder } from '../test-server.ts';

const folder = new TestFolder();
const OLDER: Sample = {
  ...SAMPLE,
  routes: SAMPLE.routes.slice(0, 4),
  countries: [['8.8.8.0/24', 'CA']],
  tor: [],
};
let server: Awaited<ReturnType<typeof startInProcess>>;
let secret = '';

before(async () => {
  folder.publish(OLDER);
  folder.publish(SAMPLE);
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
    body: JSON.parse(await response.text()),
  };
}

const entryOf = (version: number) =>
  readManifest(folder.dataDir)?.versions.find((entry) => entry.version === version) as VersionEntry;

/** The server looks at the manifest twice a second. */
const untilServed = (version: number) =>
  until(
    `version ${version} is served`,
    async () => (await ask('/v1/dataset')).body.data.version === version,
  );

test('dataset: the current version, its sources, and all versions', async () => {
  const { status, body } = await ask('/v1/dataset');
  assert.equal(status, 200);
  assert.deepEqual(Object.keys(body.meta), ['processing_time_ms']);
  const { sources, refused, figures, counts, built_at, bytes } = entryOf(2);
  const { versions, unknown_flags, dated_flags, ...rest } = body.data;
  assert.deepEqual([unknown_flags.includes('is_proxy'), dated_flags], [true, []]);
  const { flag_sources, data_sources } = openDataset(versionPath(folder.dataDir, entryOf(2))).meta;
  assert.deepEqual(rest, {
    version: 2,
    built_at,
    sources,
    refused,
    figures,
    flag_sources,
    counts,
    data_sources,
    data_as_of: '2026-11-01',
    // The sample has no attack lists.
    threat_is_known: { ipv4: false, ipv6: false },
  });
  assert.deepEqual(rest.flag_sources.is_proxy, { from: 'none', sources: [] });
  assert.deepEqual(versions, [
    { version: 1, built_at: entryOf(1).built_at, bytes: entryOf(1).bytes, current: false },
    { version: 2, built_at, bytes, current: true },
  ]);
});

test('dataset: a client that has the document gets 304, which counts like a 200', async () => {
  const { secret: limited } = await folder.createKey({ tier: 'free' });
  const headers = { 'X-API-Key': limited, 'Accept-Encoding': 'gzip' };
  const first = await fetch(`${server.url}/v1/dataset`, { headers });
  assert.equal(first.headers.get('content-encoding'), 'gzip');
  assert.equal(first.headers.get('cache-control'), 'no-cache');
  assert.equal(((await first.json()) as { data: { version: number } }).data.version, 2);
  const etag = first.headers.get('etag') ?? '';
  const again = await fetch(`${server.url}/v1/dataset`, {
    headers: { ...headers, 'If-None-Match': etag },
  });
  assert.deepEqual([again.status, await again.text()], [304, '']);
  const remaining = [first, again].map(({ headers }) => headers.get('x-ratelimit-remaining'));
  assert.deepEqual(remaining, ['999', '998']);
  const plain = await fetch(`${server.url}/v1/dataset`, {
    headers: { 'X-API-Key': limited, 'Accept-Encoding': 'identity', 'If-None-Match': etag },
  });
  assert.deepEqual([plain.status, plain.headers.get('content-encoding')], [200, null]);
});

test('dataset: the client library calls it', async () => {
  const client = createClient({ baseUrl: server.url, apiKey: secret });
  assert.equal((await client.dataset()).data.version, 2);
});

test('dataset: it takes a key with ip:read', async () => {
  const reader = await folder.createKey({ permissions: ['ip:read'] });
  const other = await folder.createKey({ permissions: ['asn:read'] });
  assert.equal((await ask('/v1/dataset', reader.secret)).status, 200);
  const { status, body } = await ask('/v1/dataset', other.secret);
  assert.deepEqual([status, body.data.details], [403, { required: 'ip:read' }]);
  assert.equal((await ask('/v1/dataset', '')).status, 401);
  const posted = await fetch(`${server.url}/v1/dataset`, { method: 'POST' });
  assert.deepEqual([posted.status, posted.headers.get('allow')], [405, 'GET, HEAD']);
});

test('dataset: a published or selected version is served without a restart, with the metadata of its build', async () => {
  const content = sampleContent({ ...SAMPLE, countries: [] });
  const { figures } = content.meta;
  const refused = [{ id: 'tor', reason: 'it is empty', used: '2026-11-14' }];
  publish(folder.dataDir, { ...content, meta: { ...content.meta, refused } }, new Date());
  await untilServed(3);
  const { data } = (await ask('/v1/dataset')).body;
  assert.deepEqual([data.figures, data.refused, data.versions.length], [figures, refused, 3]);
  useVersion(folder.dataDir, 1);
  await untilServed(1);
  assert.deepEqual(
    (await ask('/v1/dataset')).body.data.versions.map(
      ({ current }: { current: boolean }) => current,
    ),
    [true, false, false],
  );
});
