import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { after, afterEach, before, beforeEach } from 'node:test';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import {
  cutOff,
  type LoopbackServer,
  startLoopbackServer,
} from '@whence/testing/servers/loopback-server';
import type { Feed } from './feed.ts';
import { FeedCache } from './feed-cache.ts';
import { type FetchFeedOptions, type FetchFeedResult, fetchFeed } from './fetch-feed.ts';

const NOW = new Date('2026-10-07T12:00:00Z');
const NEXT_DAY = new Date('2026-10-08T13:00:00Z');
const LIST = '192.0.2.0/24\n198.51.100.0/24\n';

let server: LoopbackServer;
let dataDir = '';
let cache: FeedCache;
before(async () => {
  server = await startLoopbackServer();
});
after(() => server.close());
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'whence-fetch-'));
  cache = new FeedCache(dataDir);
});
afterEach(() => {
  server.reset();
  rmSync(dataDir, { recursive: true, force: true });
});

function feed(more: Partial<Feed> = {}): Feed {
  return {
    id: 'example',
    url: `${server.url}/list`,
    format: 'prefix-lines',
    licence: 'CC0',
    credit: 'Example',
    drives: ['blocklist'],
    refresh_hours: 24,
    mode: 'on',
    min_records: 1,
    max_records: 100_000,
    ...more,
  };
}

function fetchIt(
  of: Feed,
  now = NOW,
  more: Partial<FetchFeedOptions> = {},
): Promise<FetchFeedResult> {
  return fetchFeed(of, cache, { now, sleep: async () => {}, ...more });
}

async function fetchAndAccept(of: Feed, now = NOW): Promise<string> {
  const result = await fetchIt(of, now);
  assert.equal(result.kind, 'candidate', JSON.stringify(result));
  if (result.kind !== 'candidate') return '';
  const text = readFileSync(result.path, 'utf8');
  cache.accept(of.id, { ...result.candidate, records: text.split('\n').length - 1 }, now);
  return text;
}

const serve = (path: string, body: string | Buffer, headers: Record<string, string> = {}) =>
  server.routes.set(path, (response, request) => {
    const isKnown =
      headers['etag'] !== undefined && request.headers['if-none-match'] === headers['etag'];
    if (isKnown) response.writeHead(304).end();
    else response.writeHead(200, headers).end(body);
  });

test('fetch feed: a candidate, uncompressed, with its validators', async () => {
  serve('/list', gzipSync(LIST), { etag: '"1"' });
  assert.equal(await fetchAndAccept(feed()), LIST);
  const state = cache.state('example');
  assert.deepEqual(
    [state?.etag, state?.resolved_url, state?.records, state?.bytes],
    ['"1"', `${server.url}/list`, 2, LIST.length],
  );
  assert.deepEqual(readdirSync(join(dataDir, 'feeds/example')).sort(), [
    `content-${state?.sha256}`,
    'state.json',
  ]);
});

test('fetch feed: too early, unless it is forced', async () => {
  serve('/list', LIST, { etag: '"1"' });
  await fetchAndAccept(feed());
  assert.deepEqual(await fetchIt(feed()), { kind: 'fresh' });
  assert.equal(server.asked.length, 1);
  assert.deepEqual(await fetchIt(feed(), NOW, { isForced: true }), { kind: 'unchanged' });
});

test('fetch feed: nothing new', async () => {
  serve('/list', LIST, { etag: '"1"' });
  await fetchAndAccept(feed());
  assert.deepEqual(await fetchIt(feed(), NEXT_DAY), { kind: 'unchanged' });
  assert.equal(server.asked[1]?.headers['if-none-match'], '"1"');
  assert.equal(cache.state('example')?.checked_at, NEXT_DAY.toISOString());
  assert.equal(cache.state('example')?.content_at, NOW.toISOString());
});

test('fetch feed: the same file from a server that does not answer 304', async () => {
  serve('/list', LIST);
  await fetchAndAccept(feed());
  serve('/list', gzipSync(LIST), { etag: '"2"' });
  assert.deepEqual(await fetchIt(feed(), NEXT_DAY), { kind: 'unchanged' });
  assert.equal(cache.state('example')?.etag, '"2"');
  assert.deepEqual(readdirSync(join(dataDir, 'feeds/example')).length, 2);
});

test('fetch feed: a copy that was removed is fetched again, without validators', async () => {
  serve('/list', LIST, { etag: '"1"' });
  await fetchAndAccept(feed());
  rmSync(cache.contentPath('example') ?? '');
  assert.equal(await fetchAndAccept(feed()), LIST);
  assert.equal(server.asked[1]?.headers['if-none-match'], undefined);
});

test('fetch feed: validators are not sent to another URL', async () => {
  serve('/list', LIST, { etag: '"1"' });
  await fetchAndAccept(feed());
  serve('/other', `${LIST}203.0.113.0/24\n`, { etag: '"1"' });
  await fetchAndAccept(feed({ url: `${server.url}/other` }));
  assert.equal(server.asked[1]?.headers['if-none-match'], undefined);
});

test('fetch feed: a failure is recorded, and the copy stays', async () => {
  serve('/list', LIST);
  await fetchAndAccept(feed());
  server.reset();
  assert.deepEqual(await fetchIt(feed(), NEXT_DAY), {
    kind: 'failed',
    reason: 'the server answered 404 Not Found',
  });
  assert.equal(readFileSync(cache.contentPath('example') ?? '', 'utf8'), LIST);
  assert.equal(cache.state('example')?.error, 'the server answered 404 Not Found');
  assert.deepEqual(await fetchIt(feed(), NEXT_DAY), { kind: 'fresh' });
});

for (const [behaviour, body, reason] of [
  [
    'a gzip file that was cut off at the source',
    gzipSync(LIST).subarray(0, 30),
    'truncated gzip stream',
  ],
  ['a body over the limit', Buffer.alloc(10_001), 'larger than 10000 bytes'],
  [
    'a small body with much in it',
    gzipSync(Buffer.alloc(1_000_000)),
    'larger than 10000 bytes uncompressed',
  ],
] as const)
  test(`fetch feed: ${behaviour} is a failure`, async () => {
    serve('/list', body, { etag: '"1"' });
    assert.deepEqual(await fetchIt(feed({ max_bytes: 10_000 })), { kind: 'failed', reason });
    assert.deepEqual(readdirSync(join(dataDir, 'feeds/example')), ['state.json']);
  });

test('fetch feed: an interrupted download is continued the next time', async () => {
  const body = LIST.repeat(1000);
  const part = join(dataDir, 'feeds/example/download.part');
  server.routes.set('/list', (response, { headers }, turn) => {
    const start = Number(/^bytes=(\d+)-$/.exec(headers.range ?? '')?.[1] ?? 0);
    response.writeHead(start > 0 ? 206 : 200, {
      etag: '"1"',
      'content-length': body.length - start,
      'content-range': `bytes ${start}-${body.length - 1}/${body.length}`,
    });
    if (turn < 3)
      cutOff(
        response,
        body.slice(start, start + 1000),
        () => statSync(part, { throwIfNoEntry: false })?.size === start + 1000,
      );
    else response.end(body.slice(start));
  });
  const result = await fetchIt(feed());
  assert.match(result.kind === 'failed' ? result.reason : '', /continues from there$/);
  assert.equal(await fetchAndAccept(feed(), NEXT_DAY), body);
  assert.equal(server.asked[3]?.headers.range, 'bytes=3000-');
});

test('fetch feed: the file of the day before', async () => {
  serve('/2026/10/06.txt', LIST, { etag: '"1"' });
  serve('/2026/10/07.txt', `${LIST}203.0.113.0/24\n`, { etag: '"1"' });
  const daily = feed({ url: `${server.url}/{yyyy}/{mm}/{dd}.txt` });
  assert.equal(await fetchAndAccept(daily), LIST);
  assert.deepEqual(await fetchIt(daily), { kind: 'fresh' });
  assert.notEqual(await fetchAndAccept(daily, NEXT_DAY), LIST);
  assert.equal(server.asked[1]?.headers['if-none-match'], undefined, 'another day is another file');
});

test('fetch feed: the file that a page links to', async () => {
  const linked = feed({ url: `${server.url}/page`, link: 'href="([^"]+\\.json)"' });
  server.routes.set(
    '/page',
    (response) => void response.writeHead(302, { location: '/en/page' }).end(),
  );
  serve('/en/page', '<a href="Tags_1.json">1</a><a href="Tags_2.json">2</a>');
  serve('/en/Tags_2.json', LIST, { etag: '"1"' });
  assert.equal(await fetchAndAccept(linked), LIST);
  assert.deepEqual(await fetchIt(linked, NEXT_DAY), { kind: 'unchanged' });
  serve('/en/page', '<p>We have moved.</p>');
  const reason = 'the link to the file was not found on the page';
  assert.deepEqual(await fetchIt(linked, NEXT_DAY, { isForced: true }), { kind: 'failed', reason });
});

test('fetch feed: a page that does not exist, or is too large for one', async () => {
  const linked = feed({ url: `${server.url}/page`, link: 'x' });
  assert.deepEqual(await fetchIt(linked), {
    kind: 'failed',
    reason: 'the page with the link: the server answered 404 Not Found',
  });
  serve('/page', Buffer.alloc(2_000_001));
  const result = await fetchIt(linked, NOW, { isForced: true });
  assert.deepEqual(result, { kind: 'failed', reason: 'the page with the link: larger than 2 MB' });
});

test('fetch feed: a local file', async () => {
  const path = join(dataDir, 'own.txt.gz');
  writeFileSync(path, gzipSync(LIST));
  const own = feed({ url: pathToFileURL(path).href });
  assert.equal(await fetchAndAccept(own), LIST);
  assert.deepEqual(await fetchIt(own, NEXT_DAY), { kind: 'unchanged' });
});

test('fetch feed: no answer within the timeout is a failure', async () => {
  server.routes.set('/list', () => {});
  const timeouts = { idleTimeoutMs: 50, totalTimeoutMs: 1000 };
  assert.deepEqual(await fetchIt(feed(), NOW, { timeouts }), {
    kind: 'failed',
    reason: 'no answer within 0.05 s',
  });
  assert.equal(cache.state('example')?.fetched_at, undefined);
});

test('fetch feed: a server that sent Retry-After is not asked again, unless forced', async () => {
  server.routes.set(
    '/list',
    (response) => void response.writeHead(429, { 'retry-after': '172800' }).end(),
  );
  assert.equal((await fetchIt(feed())).kind, 'failed');
  assert.deepEqual(await fetchIt(feed(), NEXT_DAY), { kind: 'fresh' });
  assert.equal((await fetchIt(feed(), NEXT_DAY, { isForced: true })).kind, 'failed');
});
