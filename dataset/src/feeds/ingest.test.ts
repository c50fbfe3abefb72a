import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { after, afterEach, before, beforeEach } from 'node:test';
import { gzipSync } from 'node:zlib';
import { type LoopbackServer, startLoopbackServer } from '@whence/testing/servers/loopback-server';
import type { Feed } from './feed.ts';
import { FeedCache } from './feed-cache.ts';
import { type IngestOptions, ingestFeeds } from './ingest.ts';

let server: LoopbackServer;
let folder = '';
let hours = 0;
before(async () => {
  server = await startLoopbackServer();
});
after(() => server.close());
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'whence-ingest-'));
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
    max_records: 100_000,
    ...changes,
  };
}

function serve(body: string | Buffer, status = 200): void {
  server.routes.set('/list', (response) => response.writeHead(status).end(body));
}

async function ingest(...feeds: Feed[]) {
  return ingestWith({}, ...feeds);
}

async function ingestWith(options: Partial<IngestOptions>, ...feeds: Feed[]) {
  const outcomes: string[] = [];
  const { ingested, refused, unreachable, paused } = await ingestFeeds(
    feeds,
    new FeedCache(folder),
    {
      now,
      sleep: async () => {},
      timeouts: { idleTimeoutMs: 2_000, totalTimeoutMs: 5_000 },
      ...options,
    },
    ({ id }, outcome) => outcomes.push(`${id}: ${outcome}`),
  );
  return {
    ingested,
    records: ingested.map(({ parsed }) => parsed.records),
    sources: ingested.map(({ source }) => source),
    refused,
    unreachable,
    paused,
    outcomes,
  };
}

const TEN = Array.from({ length: 10 }, (_, i) => `192.0.2.${i}`).join('\n');
const LIMITS = { min_records: 5, max_records: 30 };

function hosts(count: number): string {
  return Array.from({ length: count }, (_, i) => `1.${i >> 16}.${(i >> 8) & 255}.${i & 255}`).join(
    '\n',
  );
}

test('ingest: a feed with its licence, credit, date and count', async () => {
  server.routes.set('/list', (response) =>
    response
      .writeHead(200, { 'Last-Modified': 'Sat, 14 Nov 2026 07:00:00 GMT' })
      .end(gzipSync(TEN)),
  );
  const { sources, refused, outcomes } = await ingest(feed());
  assert.deepEqual(sources, [
    { id: 'list', as_of: '2026-11-14', licence: 'CC0', credit: 'Example', records: 10 },
  ]);
  assert.deepEqual([refused, outcomes], [[], ['list: 10 records']]);
});

for (const [behaviour, path, body, modified, want] of [
  [
    'that it states in a comment',
    '/list',
    `# Last update: 2026-10-01\n${TEN}`,
    '2026-11-14',
    '2026-10-01',
  ],
  ['in its file name', '/list_20261002.txt', TEN, '2026-11-14', '2026-10-02'],
  ['by its server, if it states none', '/list', TEN, '2026-11-14', '2026-11-14'],
  ['of its fetch, if there is no other', '/list', TEN, undefined, '2026-11-15'],
  [
    'by its server, if the one it states has not come',
    '/list',
    `# updated 2031-01-01\n${TEN}`,
    '2026-11-14',
    '2026-11-14',
  ],
  [
    'of its fetch, if its server names a day that has not come',
    '/list',
    TEN,
    '2031-01-01',
    '2026-11-15',
  ],
] as const)
  test(`ingest: the date of a feed is the one ${behaviour}`, async () => {
    const headers =
      modified === undefined ? {} : { 'Last-Modified': new Date(modified).toUTCString() };
    server.routes.set(path, (response) => response.writeHead(200, headers).end(body));
    const { sources } = await ingest(feed({ url: `${server.url}${path}` }));
    assert.equal(sources[0]?.as_of, want);
    hours = 48;
    server.routes.set(path, (response) => response.writeHead(200).end(body));
    const again = await ingest(feed({ url: `${server.url}${path}` }));
    assert.equal(again.sources[0]?.as_of, want);
  });

test('ingest: a date that had not come when the copy was taken stays a mistake when it comes', async () => {
  serve(`# updated 2026-11-25\n${TEN}`);
  await ingest(feed());
  hours = 24 * 11;
  serve(`# updated 2026-11-25\n${TEN}`);
  const { sources } = await ingest(feed());
  assert.equal(sources[0]?.as_of, '2026-11-15');
});

test('ingest: the maximum age of the catalogue is part of the source', async () => {
  serve(TEN);
  const { sources } = await ingest(feed({ max_age_days: 14 }));
  assert.equal(sources[0]?.max_age_days, 14);
});

test('ingest: within its interval a feed is read from its copy and not fetched', async () => {
  serve(TEN);
  await ingest(feed());
  hours = 23;
  const { records, outcomes } = await ingest(feed());
  assert.deepEqual(
    [records, outcomes, server.asked.length],
    [[10], ['list: 10 records, still fresh'], 1],
  );
});

const refusals: readonly (readonly [string, () => void, RegExp])[] = [
  ['that fails', () => serve('gone', 410), /^the server answered 410/],
  [
    'that shrinks by more than 30%',
    () => serve(TEN.split('\n').slice(0, 6).join('\n')),
    /^it shrank from 10 records to 6 records, more than 30%$/,
  ],
  [
    'that grows beyond 3 times its records',
    () => serve(hosts(31)),
    /^it grew from 10 records to 31 records, more than 3 times$|^it has 31 records, expected at most 30$/,
  ],
  [
    'that has more records than the catalogue allows',
    () => serve(hosts(5_000)),
    /^it has more than 30 records$/,
  ],
  [
    'with a default route',
    () => serve(`${TEN}\n0.0.0.0/0`),
    /^it lists 0\.0\.0\.0\/0, too large a part of IPv4$/,
  ],
  [
    'with an IPv6 default route',
    () => serve(`${TEN}\n::/0`),
    /^it lists ::\/0, too large a part of IPv6$/,
  ],
  [
    'with a default route in two halves',
    () => serve(`${TEN}\n0.0.0.0/1\n128.0.0.0/1`),
    /^it lists 0\.0\.0\.0\/1, too large a part of IPv4$/,
  ],
  [
    'with a quarter of IPv4',
    () => serve(`${TEN}\n64.0.0.0/2`),
    /^it lists 64\.0\.0\.0\/2, too large a part of IPv4$/,
  ],
  [
    'with all of global unicast',
    () => serve(`${TEN}\n2000::/3`),
    /^it lists 2000::\/3, too large a part of IPv6$/,
  ],
  [
    'with half of global unicast',
    () => serve(`${TEN}\n3000::/4`),
    /^it lists 3000::\/4, too large a part of IPv6$/,
  ],
  ['with half of IPv6', () => serve(`${TEN}\n::/1`), /^it lists ::\/1, too large a part of IPv6$/],
  [
    'of which more than 1% of the rows are too wide',
    () => serve(`${TEN}\n4.0.0.0/7`),
    /^1 of 11 rows are wider than \/8 or \/19 \(IPv6\), the widest that blocklist may have$/,
  ],
  [
    'with a line without an end',
    () => serve('1'.repeat(3_000_000)),
    /^it has a line of more than a million characters$/,
  ],
  ['that is empty', () => serve('\n \n'), /^it is empty$/],
  [
    'that is HTML',
    () => serve('<!DOCTYPE html><title>Sign in</title>'),
    /^it is an HTML page instead of data$/,
  ],
  [
    'that has an unexpected format',
    () => serve(`${TEN}\nsorry\nsorry`),
    /^unexpected format: 2 of 12 rows cannot be parsed$/,
  ],
  ['that has too few records', () => serve('192.0.2.1'), /^it has 1 record, expected at least 5$/],
  ['whose compression is damaged', () => serve(gzipSync(TEN).subarray(0, 30)), /gzip/],
];
for (const [behaviour, breakIt, reason] of refusals) {
  test(`ingest: a feed ${behaviour} is refused, and its last good copy is used`, async () => {
    serve(TEN);
    await ingest(feed(LIMITS));
    hours = 25;
    breakIt();
    const { records, refused, outcomes, sources } = await ingest(feed(LIMITS));
    assert.deepEqual([records, refused.length, refused[0]?.used], [[10], 1, '2026-11-15']);
    assert.match(refused[0]?.reason ?? '', reason);
    assert.match(outcomes[0] ?? '', /^list: refused: .*; using the copy of 2026-11-15$/);
    assert.equal(sources[0]?.as_of, '2026-11-15');
  });

  test(`ingest: a feed ${behaviour} and has no good copy is left out, and the others go on`, async () => {
    breakIt();
    server.routes.set('/other', (response) => response.end(TEN));
    const { records, refused } = await ingest(
      feed({ ...LIMITS, min_records: 8 }),
      feed({ id: 'other', url: `${server.url}/other` }),
    );
    assert.deepEqual(
      [records, refused.map(({ id, used }) => [id, used])],
      [[10], [['list', undefined]]],
    );
  });
}

test('ingest: a feed stays refused while it waits for the next attempt after a failure', async () => {
  serve(TEN);
  await ingest(feed());
  hours = 25;
  serve('gone', 410);
  await ingest(feed());
  hours = 26;
  const { records, refused } = await ingest(feed());
  assert.deepEqual([records, server.asked.length], [[10], 2]);
  assert.match(refused[0]?.reason ?? '', /410/);
});

test('ingest: a copy that has expired is not used, and the reason says so', async () => {
  serve(TEN);
  const shortLived = feed({ refresh_hours: 1, expire_hours: 24 });
  await ingest(shortLived);
  serve('gone', 410);
  hours = 20;
  assert.deepEqual((await ingest(shortLived)).records, [10]);
  hours = 25;
  const { records, refused } = await ingest(shortLived);
  assert.deepEqual(records, []);
  assert.match(
    refused[0]?.reason ?? '',
    /410.*; the last good copy is 25 hours old and expires after 24$/,
  );
});

test('ingest: a 304 answer renews the age of the copy', async () => {
  server.routes.set('/list', (response, request) => {
    if (request.headers['if-none-match'] === '"a"') response.writeHead(304).end();
    else response.writeHead(200, { ETag: '"a"' }).end(TEN);
  });
  const shortLived = feed({ refresh_hours: 1, expire_hours: 2 });
  await ingest(shortLived);
  hours = 5;
  assert.deepEqual((await ingest(shortLived)).outcomes, ['list: 10 records, unchanged']);
  hours = 6;
  assert.deepEqual((await ingest(shortLived)).records, [10]);
});

test('ingest: a slow server does not delay the others', async () => {
  // It answers only after all others were asked: if they waited for it, its fetch would end with a
  // timeout.
  const others = ['a', 'b', 'c'].map(
    (id) =>
      new Promise<void>((resolve) => {
        server.routes.set(`/${id}`, (response) => {
          response.end(TEN);
          resolve();
        });
      }),
  );
  server.routes.set('/slow', (response) => void Promise.all(others).then(() => response.end(TEN)));
  const feeds = ['slow', 'a', 'b', 'c'].map((id) => feed({ id, url: `${server.url}/${id}` }));
  assert.deepEqual((await ingest(...feeds)).records, [10, 10, 10, 10]);
});

test('ingest: a feed that has shrunk is used once the operator has accepted it', async () => {
  serve(TEN);
  await ingest(feed());
  serve('192.0.2.1');
  assert.deepEqual((await ingestWith({ isForced: true }, feed())).records, [10]);
  assert.deepEqual((await ingestWith({ accepted: new Set(['list']) }, feed())).records, [1]);
  assert.deepEqual((await ingest(feed())).records, [1]);
});

for (const [behaviour, count] of [
  ['has grown', 60],
  ['exceeds the limit of the catalogue', 2_000],
] as const)
  test(`ingest: a feed that ${behaviour} is used once the operator has accepted it, and is then the reference`, async () => {
    const limited = feed({ max_records: 100 });
    serve(hosts(10));
    await ingest(limited);
    serve(hosts(count));
    assert.deepEqual((await ingestWith({ isForced: true }, limited)).records, [10]);
    assert.deepEqual((await ingestWith({ accepted: new Set(['list']) }, limited)).records, [count]);
    assert.deepEqual((await ingest(limited)).records, [count]);
    serve(hosts(count + 20));
    assert.deepEqual((await ingestWith({ isForced: true }, limited)).records, [count + 20]);
  });

test('ingest: after the result of a feed was not published, a smaller, corrected copy is accepted', async () => {
  serve(hosts(29));
  await ingest(feed());
  new FeedCache(folder).distrust('list');
  serve(hosts(10));
  assert.deepEqual((await ingestWith({ isForced: true }, feed())).records, [10]);
});

for (const [drive, widest, tooWide] of [
  ['is_tor_exit', '1.2.3.0/24 2a00:1:2::/48', '1.2.2.0/23 2a00:1:2::/47'],
  ['is_proxy', '1.2.3.0/24 2a00:1:2::/48', '1.2.2.0/23 2a00:1:2::/47'],
  ['is_vpn', '1.2.0.0/16 2a00:8::/29', '1.2.0.0/15 2a00::/28'],
  ['is_ai_crawler', '1.2.0.0/16 2a00:8::/29', '1.2.0.0/15 2a00::/28'],
  ['crawler', '1.2.0.0/16 2a00:8::/29', '1.2.0.0/15 2a00::/28'],
  ['cloud_provider', '3.0.0.0/9 2600::/19', '3.0.0.0/8 2600::/18'],
  ['is_datacenter', '3.0.0.0/9 2600::/19', '3.0.0.0/8 2600::/18'],
  ['blocklist', '3.0.0.0/8 2600::/19', '2.0.0.0/7 2600::/18'],
  ['criminal_netblock', '3.0.0.0/8 2600::/19', '2.0.0.0/7 2600::/18'],
] as const) {
  test(`ingest: the widest rows of a list that drives ${drive} are used, wider ones are dropped and counted`, async () => {
    serve([...widest.split(' '), ...tooWide.split(' '), hosts(400)].join('\n'));
    const { ingested, refused, outcomes } = await ingest(feed({ drives: [drive] }));
    assert.deepEqual(
      [refused, outcomes],
      [[], ['list: 404 records, 2 rows of them dropped as too wide']],
    );
    const { parsed } = ingested[0] ?? assert.fail('nothing was read');
    assert.ok(parsed.shape === 'prefixes');
    assert.deepEqual([parsed.ranges[4].length, parsed.ranges[6].length], [401, 1]);
  });

  test(`ingest: a default route in a list that drives ${drive} refuses the list`, async () => {
    serve(`${hosts(400)}\n0.0.0.0/0`);
    const { records, refused } = await ingest(feed({ drives: [drive] }));
    assert.deepEqual(
      [records, refused],
      [[], [{ id: 'list', reason: 'it lists 0.0.0.0/0, too large a part of IPv4' }]],
    );
  });

  test(`ingest: rows in special-purpose space of a list that drives ${drive} say nothing`, async () => {
    serve(`10.0.0.0/8\n192.168.1.1\n224.0.0.0/3\n2001:db8::/32\nfe80::1\n${hosts(1)}`);
    const { ingested, refused } = await ingest(feed({ drives: [drive] }));
    assert.deepEqual(refused, []);
    const { parsed } = ingested[0] ?? assert.fail('nothing was read');
    assert.ok(parsed.shape === 'prefixes');
    assert.deepEqual([parsed.ranges[4].starts, parsed.ranges[6].starts], [[0x01000000n], []]);
  });
}

for (const [behaviour, rows, reason] of [
  ['everything', '0.0.0.0,255.255.255.255,US', /^it lists 0\.0\.0\.0\/0, too/],
  [
    'half of everything',
    '0.0.0.0,127.255.255.255,US\n128.0.0.0,255.255.255.255,DE',
    /^it lists 0\.0\.0\.0\/1, too/,
  ],
  [
    'a third, not a prefix',
    '1.0.0.0,99.255.255.255,US',
    /^it lists 1\.0\.0\.0-99\.255\.255\.255, too/,
  ],
] as const) {
  test(`ingest: a range that covers ${behaviour} refuses a list of countries`, async () => {
    serve(`${rows}\n`);
    const { refused } = await ingest(feed({ format: 'range-csv-cc', drives: ['country'] }));
    assert.match(refused[0]?.reason ?? '', reason);
  });
}

for (const [drive, rows, reason] of [
  [
    'is_tor_exit',
    (i: number) => `1.${i >> 8}.${i & 255}.0/24`,
    /cover more IPv4 space than a \/15/,
  ],
  ['is_proxy', (i: number) => `1.${i >> 8}.${i & 255}.0/24`, /cover more IPv4 space than a \/14/],
  [
    'is_vpn',
    (i: number) => `${1 + (i >> 8)}.${i & 255}.0.0/16`,
    /cover more IPv4 space than a \/6/,
  ],
  [
    'crawler',
    (i: number) => `1.${i & 255}.0.0/16\n2.${i & 255}.0.0/16`,
    /cover more IPv4 space than a \/10/,
  ],
  ['cloud_provider', (i: number) => `${1 + (i % 120)}.0.0.0/9`, /cover more IPv4 space than a \/3/],
  [
    'is_datacenter',
    (i: number) => `${i % 223}.${i & 1 ? 128 : 0}.0.0/9`,
    /cover more IPv4 space than a \/2/,
  ],
  ['blocklist', (i: number) => `${i % 223}.0.0.0/8`, /cover more IPv4 space than a \/5/],
  ['criminal_netblock', (i: number) => `${i % 223}.0.0.0/8`, /cover more IPv4 space than a \/5/],
  ['is_vpn', (i: number) => `${(0x2400 + i).toString(16)}::/29`, undefined],
  [
    'blocklist',
    (i: number) => `${(0x2400 + i).toString(16)}::/19`,
    /cover more IPv6 space than a \/14/,
  ],
] as const) {
  test(`ingest: ${drive}: rows that are narrow enough and together cover ${reason === undefined ? 'little are used' : 'too much refuse the list'}`, async () => {
    serve(Array.from({ length: 1_200 }, (_, i) => rows(i)).join('\n'));
    const { refused } = await ingest(feed({ drives: [drive] }));
    if (reason === undefined) assert.deepEqual(refused, []);
    else assert.match(refused[0]?.reason ?? '', reason);
  });
}

test('ingest: a list that covers too much is used once the operator accepts it, also from its copy', async () => {
  serve(Array.from({ length: 600 }, (_, i) => `1.${i >> 8}.${i & 255}.0/24`).join('\n'));
  const exits = feed({ drives: ['is_tor_exit'] });
  assert.deepEqual((await ingest(exits)).records, []);
  assert.deepEqual((await ingestWith({ accepted: new Set(['list']) }, exits)).records, [600]);
  assert.deepEqual((await ingest(exits)).records, [600]);
});

test('ingest: a feed whose operator requires a contact is not fetched without one', async () => {
  serve(TEN);
  const { refused } = await ingest(feed({ needs_contact: true }));
  assert.match(refused[0]?.reason ?? '', /set WHENCE_CONTACT/);
  assert.equal(server.asked.length, 0);
  const { records } = await ingestWith(
    { contact: 'noc@example.com' },
    feed({ needs_contact: true }),
  );
  assert.deepEqual(
    [records, /noc@example\.com/.test(server.asked[0]?.headers['user-agent'] ?? '')],
    [[10], true],
  );
});

test('ingest: feeds that could not be reached are counted, also while they are not asked again', async () => {
  const gone = await startLoopbackServer();
  await gone.close();
  for (const attempt of ['asked', 'not due']) {
    const { refused, unreachable } = await ingest(feed({ url: `${gone.url}/list` }));
    assert.deepEqual([refused.length, unreachable], [1, { dns: 0, connection: 1 }], attempt);
  }
});

test('ingest: a person who asks again gets an answer at once, and where a server asked to wait, until when', async () => {
  const asked: string[] = [];
  const failing = (path: string, headers: Record<string, string>) =>
    server.routes.set(path, (response) => {
      asked.push(path);
      response.writeHead(503, headers).end();
    });
  failing('/list', {});
  failing('/slow', { 'retry-after': '7200' });
  const feeds = [feed(), feed({ id: 'slow', url: `${server.url}/slow` })];
  await ingest(...feeds);
  const countOf = (path: string) => asked.filter((one) => one === path).length;
  const list = countOf('/list');
  const slow = countOf('/slow');
  await ingest(...feeds);
  assert.deepEqual([countOf('/list'), countOf('/slow')], [list, slow], 'a schedule waits');
  const { paused } = await ingestWith({ isRetrying: true }, ...feeds);
  assert.ok(countOf('/list') > list);
  assert.equal(countOf('/slow'), slow);
  assert.deepEqual(paused, [{ id: 'slow', until: '2026-11-15T02:00:00.000Z' }]);
  server.routes.set('/slow', (response) => response.end(TEN));
  assert.equal((await ingestWith({ isForced: true }, ...feeds)).paused.length, 1);
  assert.equal(countOf('/slow'), slow, 'its server asked to wait');
  assert.deepEqual((await ingestWith({ accepted: new Set(['slow']) }, ...feeds)).records, []);
  assert.equal(countOf('/slow'), slow);
});
