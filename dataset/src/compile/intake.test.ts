import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { after, afterEach, before, beforeEach } from 'node:test';
import { gzipSync } from 'node:zlib';
import { type LoopbackServer, startLoopbackServer } from '../test/loopback-server.ts';
import type { Feed } from './feed.ts';
import { FeedCache } from './feed-cache.ts';
import { type IntakeOptions, takeIn } from './intake.ts';

let server: LoopbackServer;
let folder = '';
let hours = 0;
before(async () => {
  server = await startLoopbackServer();
});
after(() => server.close());
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'whence-intake-'));
  hours = 0;
  server.reset();
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const now = () => new Date(Date.UTC(2026, 10, 15, hours));

function feed(changes: Partial<Feed> = {}): Feed {
  return {
    id: 'list',
    url: `${server.url}/list`,
    format: 'cidr-lines',
    licence: 'CC0',
    credit: 'Example',
    drives: ['blocklist'],
    refresh_hours: 24,
    mode: 'on',
    min_records: 1,
    ...changes,
  };
}

function serve(body: string | Buffer, status = 200): void {
  server.routes.set('/list', (response) => response.writeHead(status).end(body));
}

async function take(...feeds: Feed[]) {
  return takeWith({}, ...feeds);
}

async function takeWith(options: Partial<IntakeOptions>, ...feeds: Feed[]) {
  const outcomes: string[] = [];
  const { readings, refused } = await takeIn(
    feeds,
    new FeedCache(folder),
    { now, sleep: async () => {}, timeouts: { idleTimeoutMs: 2_000, totalTimeoutMs: 5_000 }, ...options },
    ({ id }, outcome) => outcomes.push(`${id}: ${outcome}`),
  );
  return {
    records: readings.map(({ parsed }) => parsed.records),
    sources: readings.map(({ source }) => source),
    refused,
    outcomes,
  };
}

const TEN = Array.from({ length: 10 }, (_, i) => `192.0.2.${i}`).join('\n');

test('intake: a feed with its licence, credit, date and count', async () => {
  server.routes.set('/list', (response) =>
    response.writeHead(200, { 'Last-Modified': 'Sat, 14 Nov 2026 07:00:00 GMT' }).end(gzipSync(TEN)),
  );
  const { sources, refused, outcomes } = await take(feed());
  assert.deepEqual(sources, [{ id: 'list', as_of: '2026-11-14', licence: 'CC0', credit: 'Example', records: 10 }]);
  assert.deepEqual([refused, outcomes], [[], ['list: 10 records']]);
});

test('intake: within its interval a feed is read from its copy and not asked for', async () => {
  serve(TEN);
  await take(feed());
  hours = 23;
  const { records, outcomes } = await take(feed());
  assert.deepEqual([records, outcomes, server.asked.length], [[10], ['list: 10 records, still fresh'], 1]);
});

const refusals: readonly (readonly [string, () => void, RegExp])[] = [
  ['that fails', () => serve('gone', 410), /^the server answered 410/],
  [
    'that shrinks by more than 30 %',
    () => serve(TEN.split('\n').slice(0, 6).join('\n')),
    /^it shrank from 10 records to 6 records, more than 30 %$/,
  ],
  ['that is empty', () => serve('\n \n'), /^it is empty$/],
  ['that is HTML', () => serve('<!DOCTYPE html><title>Sign in</title>'), /^it is an HTML page instead of data$/],
  [
    'that has lost its format',
    () => serve(`${TEN}\nsorry\nsorry`),
    /^it has lost its format: 2 rows of 12 rows cannot be read$/,
  ],
  ['that has too few records', () => serve('192.0.2.1'), /^it has 1 record, fewer than the 5 that it should have$/],
  ['whose compression is damaged', () => serve(gzipSync(TEN).subarray(0, 30)), /gzip/],
];
for (const [behaviour, breakIt, reason] of refusals) {
  test(`intake: a feed ${behaviour} is refused, and its last good copy is used`, async () => {
    serve(TEN);
    await take(feed({ min_records: 5 }));
    hours = 25;
    breakIt();
    const { records, refused, outcomes, sources } = await take(feed({ min_records: 5 }));
    assert.deepEqual([records, refused.length, refused[0]?.used], [[10], 1, '2026-11-15']);
    assert.match(refused[0]?.reason ?? '', reason);
    assert.match(outcomes[0] ?? '', /^list: refused: .*; using the copy of 2026-11-15$/);
    assert.equal(sources[0]?.as_of, '2026-11-15');
  });

  test(`intake: a feed ${behaviour} and never was good is left out, and the others go on`, async () => {
    breakIt();
    server.routes.set('/other', (response) => response.end(TEN));
    const { records, refused } = await take(
      feed({ min_records: 8 }),
      feed({ id: 'other', url: `${server.url}/other` }),
    );
    assert.deepEqual([records, refused.map(({ id, used }) => [id, used])], [[10], [['list', undefined]]]);
  });
}

test('intake: a list that was good once is still refused while it waits after a failure', async () => {
  serve(TEN);
  await take(feed());
  hours = 25;
  serve('gone', 410);
  await take(feed());
  hours = 26;
  const { records, refused } = await take(feed());
  assert.deepEqual([records, server.asked.length], [[10], 2]);
  assert.match(refused[0]?.reason ?? '', /410/);
});

test('intake: a copy that has expired is not used, and says so', async () => {
  serve(TEN);
  const shortLived = feed({ refresh_hours: 1, expire_hours: 24 });
  await take(shortLived);
  serve('gone', 410);
  hours = 20;
  assert.deepEqual((await take(shortLived)).records, [10]);
  hours = 25;
  const { records, refused } = await take(shortLived);
  assert.deepEqual(records, []);
  assert.match(refused[0]?.reason ?? '', /410.*; the last good copy is 25 hours old and holds for 24$/);
});

test('intake: a feed that is unchanged is as fresh as the answer', async () => {
  server.routes.set('/list', (response, request) => {
    if (request.headers['if-none-match'] === '"a"') response.writeHead(304).end();
    else response.writeHead(200, { ETag: '"a"' }).end(TEN);
  });
  const shortLived = feed({ refresh_hours: 1, expire_hours: 2 });
  await take(shortLived);
  hours = 5;
  assert.deepEqual((await take(shortLived)).outcomes, ['list: 10 records, unchanged']);
  hours = 6;
  assert.deepEqual((await take(shortLived)).records, [10]);
});

test('intake: a slow server does not keep the others waiting', async () => {
  const answered: string[] = [];
  server.routes.set('/slow', (response) => setTimeout(() => response.end(TEN), 300));
  for (const id of ['a', 'b', 'c'])
    server.routes.set(`/${id}`, (response) => {
      answered.push(id);
      response.end(TEN);
    });
  const taking = take(...['slow', 'a', 'b', 'c'].map((id) => feed({ id, url: `${server.url}/${id}` })));
  await new Promise((resolve) => setTimeout(resolve, 200));
  assert.deepEqual(answered.sort(), ['a', 'b', 'c']);
  assert.deepEqual((await taking).records, [10, 10, 10, 10]);
});

test('intake: a feed that has shrunk is taken when somebody has looked at it', async () => {
  serve(TEN);
  await take(feed());
  serve('192.0.2.1');
  assert.deepEqual((await takeWith({ isForced: true }, feed())).records, [10]);
  assert.deepEqual((await takeWith({ accepted: new Set(['list']) }, feed())).records, [1]);
  assert.deepEqual((await take(feed())).records, [1]);
});

test('intake: a feed whose operator wants a contact is not asked without one', async () => {
  serve(TEN);
  const { refused } = await take(feed({ needs_contact: true }));
  assert.match(refused[0]?.reason ?? '', /set WHENCE_CONTACT/);
  assert.equal(server.asked.length, 0);
  const { records } = await takeWith({ contact: 'noc@example.com' }, feed({ needs_contact: true }));
  assert.deepEqual([records, /noc@example\.com/.test(server.asked[0]?.headers['user-agent'] ?? '')], [[10], true]);
});
