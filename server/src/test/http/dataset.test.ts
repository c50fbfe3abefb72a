import assert from 'node:assert/strict';
import { truncateSync } from 'node:fs';
import test, { after, before } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { createClient } from '@whence/client';
import { type AttributeChange, diffDatasets } from '@whence/dataset/internal/diff/diff';
import { openDataset } from '@whence/dataset/internal/file/read';
import { type Sample, sampleContent } from '@whence/dataset/internal/test/sample-dataset';
import {
  publish,
  readManifest,
  useVersion,
  type VersionEntry,
  versionPath,
} from '@whence/dataset/internal/versions/publish';
import { until } from '@whence/testing/until';
import { SAMPLE, startInProcess, TestFolder } from '../test-server.ts';

const folder = new TestFolder();
const OLDER: Sample = { ...SAMPLE, routes: SAMPLE.routes.slice(0, 4), countries: [['8.8.8.0/24', 'CA']], tor: [] };
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
  return { status: response.status, headers: response.headers, body: JSON.parse(await response.text()) };
}

const entryOf = (version: number) =>
  readManifest(folder.dataDir)?.versions.find((entry) => entry.version === version) as VersionEntry;

/** The server looks at the manifest twice a second. */
const untilServed = (version: number) =>
  until(`version ${version} is served`, async () => (await ask('/v1/dataset')).body.data.version === version);

test('dataset: the current version, its sources, and all versions', async () => {
  const { status, body } = await ask('/v1/dataset');
  assert.equal(status, 200);
  assert.deepEqual(Object.keys(body.meta), ['processing_time_ms']);
  const { sources, refused, figures, quality, counts, built_at, bytes } = entryOf(2);
  const { age_seconds, versions, unknown_flags, dated_flags, ...rest } = body.data;
  assert.deepEqual([unknown_flags.includes('is_proxy'), dated_flags], [true, ['is_vpn']]);
  const { flag_sources, data_sources } = openDataset(versionPath(folder.dataDir, entryOf(2))).meta;
  assert.deepEqual(rest, {
    version: 2,
    built_at,
    sources,
    refused,
    figures,
    flag_sources,
    quality,
    counts,
    data_sources,
    data_as_of: '2026-11-01',
    // The sample has a list of Tor exits with IPv4 addresses.
    threat_is_known: { ipv4: true, ipv6: false },
  });
  assert.ok(quality !== undefined && quality.length > 0);
  assert.deepEqual(rest.flag_sources.is_proxy, { from: 'none', sources: [] });
  assert.ok(Number.isInteger(age_seconds) && age_seconds >= 0);
  assert.deepEqual(versions, [
    { version: 1, built_at: entryOf(1).built_at, bytes: entryOf(1).bytes, current: false },
    { version: 2, built_at, bytes, current: true },
  ]);
});

test('dataset: the comparison is complete, and its meta has only the processing time', async () => {
  const { status, headers, body } = await ask('/v1/dataset/diff?from=1&to=2&limit=3');
  assert.equal(status, 200);
  assert.equal(headers.get('content-type'), 'application/json; charset=utf-8');
  assert.deepEqual(Object.keys(body.meta), ['processing_time_ms']);
  const [a, b] = [1, 2].map((version) => openDataset(versionPath(folder.dataDir, entryOf(version))));
  assert.ok(a && b);
  assert.deepEqual(body.data, diffDatasets(a, b, 3));
  const rows = body.data.changes.map(({ attribute, change, count }: AttributeChange) => [attribute, change, count]);
  assert.ok(rows.some((row: unknown[]) => isDeepStrictEqual(row, ['is_tor_exit', 'gained', 1])));
  assert.deepEqual(
    (await ask('/v1/dataset/diff?limit=3')).body.data,
    body.data,
    'the current version and the one before',
  );
  assert.deepEqual((await ask('/v1/dataset/diff?limit=3&to=2')).body.data, body.data);
});

test('dataset: the client library calls both endpoints', async () => {
  const client = createClient({ baseUrl: server.url, apiKey: secret });
  assert.equal((await client.dataset()).data.version, 2);
  const { data } = await client.datasetDiff(2, 1);
  assert.deepEqual([data.from.version, data.to.version, data.limit], [2, 1, 20]);
  const lost = data.changes.find(({ attribute, change }) => attribute === 'asn' && change === 'lost');
  assert.deepEqual(
    lost?.largest.map(({ network }) => network),
    ['9.0.0.0/16'],
  );
});

for (const [behaviour, query, status, code, error] of [
  ['an empty version', '?from=&to=2', 400, 'INVALID_VERSION', 'invalid dataset version'],
  ['a name', '?from=previous&to=2', 400, 'INVALID_VERSION', 'invalid dataset version'],
  ['a negative number', '?from=-1&to=2', 400, 'INVALID_VERSION', 'invalid dataset version'],
  ['a fraction', '?from=1.5&to=2', 400, 'INVALID_VERSION', 'invalid dataset version'],
  ['a number beyond all versions', `?from=1&to=${'9'.repeat(30)}`, 400, 'INVALID_VERSION', 'invalid dataset version'],
  ['a limit of 0', '?from=1&to=2&limit=0', 400, 'INVALID_LIMIT', 'invalid limit'],
  ['a limit that is no number', '?from=1&to=2&limit=all', 400, 'INVALID_LIMIT', 'invalid limit'],
  ['an unknown version', '?from=1&to=99', 404, 'VERSION_NOT_FOUND', 'no such dataset version'],
  ['version 0', '?from=0&to=1', 404, 'VERSION_NOT_FOUND', 'no such dataset version'],
] as const) {
  test(`dataset: a comparison is refused: ${behaviour}`, async () => {
    const answer = await ask(`/v1/dataset/diff${query}`);
    assert.deepEqual([answer.status, answer.body.data], [status, { error, code }]);
    assert.deepEqual(Object.keys(answer.body.meta), ['processing_time_ms']);
  });
}

test('dataset: the first version has none before it to compare with', async () => {
  const { status, body } = await ask('/v1/dataset/diff?to=1');
  assert.deepEqual([status, body.data.code], [404, 'VERSION_NOT_FOUND']);
  assert.equal(body.data.details.reason, 'there is no version before version 1 to compare it with');
});

test('dataset: a limit above 1000 means 1000', async () => {
  assert.equal((await ask('/v1/dataset/diff?from=1&to=2&limit=5000')).body.data.limit, 1000);
});

for (const path of ['/v1/dataset', '/v1/dataset/diff?from=1&to=2']) {
  test(`dataset: ${path} takes a key with ip:read`, async () => {
    const [reader, other] = [
      await folder.createKey({ permissions: ['ip:read'] }),
      await folder.createKey({ permissions: ['asn:read'] }),
    ];
    assert.equal((await ask(path, reader.secret)).status, 200);
    const { status, body } = await ask(path, other.secret);
    assert.deepEqual([status, body.data.details], [403, { required: 'ip:read' }]);
    assert.equal((await ask(path, '')).status, 401);
    const posted = await fetch(server.url + path, { method: 'POST' });
    assert.deepEqual([posted.status, posted.headers.get('allow')], [405, 'GET, HEAD']);
  });
}

test('dataset: a published or selected version is served without a restart, with the metadata of its build', async () => {
  const content = sampleContent({ ...SAMPLE, countries: [] });
  const { figures } = content.meta;
  const refused = [{ id: 'tor', reason: 'it is empty', used: '2026-11-14' }];
  publish(folder.dataDir, { ...content, meta: { ...content.meta, refused } }, new Date());
  await untilServed(3);
  const { data } = (await ask('/v1/dataset')).body;
  assert.deepEqual([data.figures, data.refused, data.versions.length], [figures, refused, 3]);
  assert.equal((await ask('/v1/dataset/diff?from=2&to=3')).status, 200);
  useVersion(folder.dataDir, 1);
  await untilServed(1);
  assert.deepEqual(
    (await ask('/v1/dataset')).body.data.versions.map(({ current }: { current: boolean }) => current),
    [true, false, false],
  );
});

test('dataset: an unreadable file is 503 without details, and does not count', async () => {
  const version = folder.publish({ ...SAMPLE, crawlers: [] });
  await untilServed(version);
  truncateSync(versionPath(folder.dataDir, entryOf(version)), 5000);
  const free = await folder.createKey({ tier: 'free' });
  const { status, headers, body } = await ask(`/v1/dataset/diff?from=1&to=${version}`, free.secret);
  assert.deepEqual([status, body.data], [503, { error: 'dataset unavailable', code: 'DATASET_UNAVAILABLE' }]);
  assert.equal(headers.get('x-ratelimit-remaining'), '1000');
  assert.ok(Number(headers.get('retry-after')) > 0);
});
