import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { after } from 'node:test';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import type { Feed } from '../feeds/feed.ts';
import { FeedCache } from '../feeds/feed-cache.ts';
import { ingestFeeds } from '../feeds/ingest.ts';
import { cityMmdb, sampleMmdb } from '../test/sample-mmdb.ts';
import { fetchedLocationPath, LOCATION_FEED, storeFetchedLocation } from './location-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'whence-fetched-location-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const published = join(folder, 'published.mmdb.gz');
const feed: Feed = {
  id: LOCATION_FEED,
  url: pathToFileURL(published).href,
  format: 'location-mmdb',
  licence: 'CC BY 4.0',
  credit: 'IP Geolocation by DB-IP',
  drives: ['location'],
  refresh_hours: 24,
  mode: 'opt-in',
  min_records: 1,
  max_records: 10,
};
const cache = new FeedCache(folder);
const stored = () => readFileSync(fetchedLocationPath(folder));

async function update(file: Buffer) {
  writeFileSync(published, gzipSync(file));
  const now = () => new Date('2026-11-19T00:00:00Z');
  const result = await ingestFeeds([feed], cache, { now, sleep: async () => {}, isForced: true });
  storeFetchedLocation(folder, cache.contentPath(LOCATION_FEED));
  return result;
}

const october = cityMmdb([['192.0.2.0/24', { city: 'Berlin' }]], { builtAt: '2026-10-01' });
const november = cityMmdb([['192.0.2.0/24', { city: 'Hamburg' }]]);

test('fetched location: the file is stored as it was published, and replaced', async () => {
  const { ingested } = await update(october);
  assert.deepEqual(
    ingested.map(({ source }) => [source.as_of, source.records]),
    [['2026-10-01', 1]],
  );
  assert.deepEqual(stored(), october);
  await update(november);
  assert.deepEqual(stored(), november);
});

for (const [behaviour, file, reason] of [
  ['half a file', november.subarray(0, november.length / 2), /its end is missing/],
  ['a web page', Buffer.from('<html>'), /an HTML page/],
  ['a database without cities', sampleMmdb([['192.0.2.0/24', { asn: 64500 }]]), /no city/],
] as const)
  test(`fetched location: ${behaviour} is refused, and the last good one stays`, async () => {
    const { refused } = await update(file);
    assert.equal(refused.length, 1);
    assert.match(refused[0]?.reason ?? '', reason);
    assert.deepEqual(stored(), november);
  });

test('fetched location: it is removed when its feed is not enabled', () => {
  storeFetchedLocation(folder, undefined);
  assert.equal(existsSync(fetchedLocationPath(folder)), false);
  storeFetchedLocation(folder, undefined);
});
