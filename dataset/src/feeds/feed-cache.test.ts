import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { afterEach, beforeEach } from 'node:test';
import { type Candidate, FeedCache } from './feed-cache.ts';

const FEED = { id: 'example', url: 'https://example.com/list', refresh_hours: 8 };
const NOW = new Date('2026-10-07T12:00:00Z');
const LATER = new Date('2026-10-07T20:00:00Z');
const NETWORK_DOWN = { reason: 'no route to example.com', isAnswered: false };

let dataDir = '';
let cache: FeedCache;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'whence-feeds-'));
  cache = new FeedCache(dataDir);
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

const files = () => readdirSync(join(dataDir, 'feeds/example')).sort();
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const content = () => {
  const path = cache.contentPath('example');
  return path && readFileSync(path, 'utf8');
};

function offer(text: string, now = NOW): Candidate {
  cache.prepare('example');
  writeFileSync(cache.candidatePath('example'), text);
  cache.offer(FEED, now);
  return { resolved_url: FEED.url, etag: `"${text}"`, bytes: text.length, sha256: sha256(text) };
}

function accept(text: string, now = NOW): void {
  cache.accept('example', { ...offer(text, now), records: text.length, as_of: '2026-10-06' }, now);
}

test('feed cache: a feed that was never fetched has no state', () => {
  assert.equal(cache.state('example'), undefined);
  assert.equal(cache.contentPath('example'), undefined);
  assert.equal(cache.isFresh(FEED, NOW), false);
});

test('feed cache: an accepted candidate is the content', () => {
  accept('first');
  assert.equal(content(), 'first');
  const at = NOW.toISOString();
  assert.deepEqual(cache.state('example'), {
    url: FEED.url,
    attempted_at: at,
    fetched_at: at,
    failures: 0,
    resolved_url: FEED.url,
    etag: '"first"',
    bytes: 5,
    sha256: sha256('first'),
    records: 5,
    as_of: '2026-10-06',
    content_at: at,
    checked_at: at,
  });
});

test('feed cache: the next copy replaces it, and the old one is removed', () => {
  accept('first');
  accept('second', LATER);
  assert.equal(content(), 'second');
  assert.deepEqual(files(), [`content-${sha256('second')}`, 'state.json']);
});

test('feed cache: the same content once more', () => {
  accept('first');
  accept('first', LATER);
  assert.equal(content(), 'first');
  assert.equal(cache.state('example')?.content_at, LATER.toISOString());
});

test('feed cache: a refused candidate is removed, the last good copy and its state stay', () => {
  accept('first');
  const before = cache.state('example');
  offer('<html>', LATER);
  cache.refuse('example', '0 records, and at least 1000 are expected', LATER);
  assert.equal(content(), 'first');
  const at = LATER.toISOString();
  const error = '0 records, and at least 1000 are expected';
  assert.deepEqual(cache.state('example'), {
    ...before,
    attempted_at: at,
    fetched_at: at,
    failures: 1,
    error,
  });
  assert.ok(!existsSync(cache.candidatePath('example')));
});

test('feed cache: a feed whose first copy was refused has none', () => {
  offer('<html>');
  cache.refuse('example', 'no records', NOW);
  assert.equal(content(), undefined);
  assert.equal(cache.state('example')?.error, 'no records');
});

test('feed cache: an attempt that failed leaves the copy and counts', () => {
  accept('first');
  cache.fail(FEED, NETWORK_DOWN, LATER);
  cache.fail(FEED, NETWORK_DOWN, LATER);
  const state = cache.state('example');
  assert.equal(content(), 'first');
  assert.deepEqual(
    [state?.failures, state?.error, state?.fetched_at, state?.attempted_at],
    [2, NETWORK_DOWN.reason, NOW.toISOString(), LATER.toISOString()],
  );
});

test('feed cache: a success resets the number of failures', () => {
  accept('first');
  cache.fail(FEED, { ...NETWORK_DOWN, retryAfterSeconds: 60 }, NOW);
  cache.confirm(FEED, LATER);
  const state = cache.state('example');
  assert.deepEqual([state?.failures, state?.error, state?.not_before], [0, undefined, undefined]);
  assert.deepEqual(
    [state?.content_at, state?.checked_at],
    [NOW.toISOString(), LATER.toISOString()],
  );
  assert.equal(state?.etag, '"first"');
});

test('feed cache: the same content from another URL replaces the validators', () => {
  accept('first');
  cache.confirm(FEED, LATER, {
    resolved_url: 'https://example.com/other',
    last_modified: 'yesterday',
  });
  const state = cache.state('example');
  assert.deepEqual(
    [state?.resolved_url, state?.etag, state?.last_modified],
    ['https://example.com/other', undefined, 'yesterday'],
  );
  assert.equal(content(), 'first');
});

test('feed cache: a killed update counts as a failure, and its candidate is removed', () => {
  offer('first');
  assert.match(cache.state('example')?.error ?? '', /interrupted/);
  assert.equal(cache.isFresh(FEED, NOW), true);
  cache.prepare('example');
  assert.deepEqual(files(), ['state.json']);
});

test('feed cache: leftover files are removed, but not the part of a download', () => {
  accept('first');
  const folder = join(dataDir, 'feeds/example');
  for (const name of [
    'candidate.unfinished',
    `content-${sha256('x')}`,
    'download',
    'download.part',
    'download.part.json',
  ])
    writeFileSync(join(folder, name), 'x');
  cache.prepare('example');
  assert.deepEqual(files(), [
    `content-${sha256('first')}`,
    'download.part',
    'download.part.json',
    'state.json',
  ]);
});

const minutes = (count: number) => new Date(NOW.getTime() + count * 60_000);

for (const [behaviour, refreshHours, failures, fresh, due] of [
  ['after success the interval', 8, 0, 479, 480],
  ['after a failure a quarter of it', 8, 1, 119, 120],
  ['after two failures half of it', 8, 2, 239, 240],
  ['after many failures all of it', 8, 9, 479, 480],
  ['after a failure never under ten minutes', 0.5, 1, 9, 10],
  ['an interval under ten minutes only without failures', 0.1, 0, 5, 6],
] as const)
  test(`feed cache: how long to wait: ${behaviour}`, () => {
    const feed = { ...FEED, refresh_hours: refreshHours };
    accept('first');
    for (let i = 0; i < failures; i++) cache.fail(feed, NETWORK_DOWN, NOW);
    assert.deepEqual(
      [cache.isFresh(feed, minutes(fresh)), cache.isFresh(feed, minutes(due))],
      [true, false],
    );
  });

for (const [behaviour, seconds, fresh, due] of [
  ['longer than we would have', 36_000, 599, 600],
  ['but no more than a week', 1e9, 10_079, 10_080],
] as const)
  test(`feed cache: a server that asks for a pause gets it, ${behaviour}`, () => {
    cache.prepare('example');
    cache.fail(
      FEED,
      { reason: 'too many requests', isAnswered: true, retryAfterSeconds: seconds },
      NOW,
    );
    assert.deepEqual(
      [cache.isFresh(FEED, minutes(fresh)), cache.isFresh(FEED, minutes(due))],
      [true, false],
    );
  });

test('feed cache: a changed URL in the catalogue is fetched immediately', () => {
  accept('first');
  assert.equal(cache.isFresh({ ...FEED, url: 'https://example.com/other' }, NOW), false);
});

test('feed cache: an attempt in the future is ignored: the clock was wrong', () => {
  accept('first', LATER);
  assert.equal(cache.isFresh(FEED, NOW), false);
});

for (const [behaviour, damage] of [
  ['has disappeared', (path: string) => rmSync(path)],
  ['has become shorter', (path: string) => truncateSync(path, 2)],
] as const)
  test(`feed cache: a copy that ${behaviour} is none, and is fetched again`, () => {
    accept('first');
    damage(cache.contentPath('example') ?? '');
    assert.equal(cache.contentPath('example'), undefined);
    assert.equal(cache.isFresh(FEED, NOW), false);
  });

for (const [behaviour, text] of [
  ['is cut off', '{"url":'],
  ['is something else', '[]'],
  [
    'names a file of its own choice',
    JSON.stringify({ url: FEED.url, attempted_at: NOW, failures: 0, sha256: '/../../x' }),
  ],
] as const)
  test(`feed cache: a state that ${behaviour} is none`, () => {
    accept('first');
    writeFileSync(join(dataDir, 'feeds/example/state.json'), text);
    assert.equal(cache.state('example'), undefined);
    assert.equal(cache.isFresh(FEED, NOW), false);
    accept('second');
    assert.equal(content(), 'second');
  });

for (const id of ['', '.', '..', '../x', 'a/b', 'A', '-a', 'a'.repeat(65), 'a\n', 'a\0'])
  test(`feed cache: ${JSON.stringify(id)} is not an id`, () => {
    for (const use of [
      () => cache.state(id),
      () => cache.contentPath(id),
      () => cache.candidatePath(id),
      () => cache.prepare(id),
    ])
      assert.throws(use, /^Error: not the id of a feed/);
  });

for (const id of ['a', '0', 'ris-whois-v4', 'geofeed.linode', 'a'.repeat(64)])
  test(`feed cache: ${id} is an id`, () =>
    assert.equal(cache.candidatePath(id), join(dataDir, 'feeds', id, 'candidate')));
