import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { after } from 'node:test';
import { parseAddress } from '../address.ts';
import type { Feed } from '../feeds/feed.ts';
import { ownBuffer, sampleDataset } from '../test/sample-dataset.ts';
import { openSample, parsedFeed, sampleSupplement } from '../test/sample-supplement.ts';
import { sha256Of } from '../versions/publish.ts';
import { compileSupplement } from './compile-supplement.ts';
import { readSupplement, Supplement } from './supplement.ts';

const folder = mkdtempSync(join(tmpdir(), 'whence-supplement-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const address = (text: string) => {
  const parsed = parseAddress(text);
  assert.ok(parsed, text);
  return parsed;
};
const locate = (supplement: Supplement, text: string, country: string) =>
  supplement.location(supplement.placeOf(address(text)), country);

const DATABASE = { source: 'dbip-city-lite', as_of: '2026-11-01' };
const LOCATIONS = [
  '8.8.8.0,8.8.8.255,US,California,Mountain View,37.4224,-122.085',
  '9.0.0.0,9.0.0.255,DE,,Köln,50.938361,6.959974',
  '9.0.1.0,9.0.1.255,DE,Hesse,,,',
  '2a00::,2a00:0:ffff:ffff:ffff:ffff:ffff:ffff,DE,Berlin,Berlin,52.52,13.405',
];

for (const [behaviour, ip, country, want] of [
  [
    'city, region and coordinates',
    '8.8.8.8',
    'US',
    { city: 'Mountain View', region: 'California', latitude: 37.4224, longitude: -122.085, ...DATABASE },
  ],
  ['no region', '9.0.0.255', 'DE', { city: 'Köln', latitude: 50.938361, longitude: 6.959974, ...DATABASE }],
  ['a region only', '9.0.1.0', 'DE', { region: 'Hesse', ...DATABASE }],
  ['IPv6', '2a00:0:1::1', 'DE', { city: 'Berlin', region: 'Berlin', latitude: 52.52, longitude: 13.405, ...DATABASE }],
  ['beyond the last row', '2a01::', 'DE', undefined],
  ['before the first row', '8.8.7.255', 'US', undefined],
  ['between rows', '8.8.9.0', 'US', undefined],
  ['a place in another country than the record', '8.8.8.8', 'CA', undefined],
] as const) {
  test(`location: ${behaviour}`, () => {
    const supplement = openSample({ locations: LOCATIONS });
    assert.deepEqual(locate(supplement, ip, country), want);
    // The second time it is the text that was kept.
    for (let i = 0; i < 2; i++)
      assert.equal(supplement.locationJson(supplement.placeOf(address(ip)), country), want && JSON.stringify(want));
  });
}

test('supplement: anycast and exchanges, where sources say so', () => {
  const supplement = openSample({
    anycast: ['1.1.1.0/24', '2606:4700::/44'],
    exchanges: [
      ['80.249.208.0/21', 'AMS-IX'],
      ['2001:7f8:1::/64', 'AMS-IX'],
    ],
  });
  assert.deepEqual(
    ['1.1.1.1', '1.1.2.0', '2606:4700:f::', '2606:4700:10::'].map((ip) => supplement.isAnycast(address(ip))),
    [true, false, true, false],
  );
  assert.deepEqual(
    ['80.249.215.255', '80.249.216.0', '2001:7f8:1::a500'].map((ip) => supplement.exchange(address(ip))),
    ['AMS-IX', undefined, 'AMS-IX'],
  );
  assert.equal(supplement.hasLocations, false);
  assert.equal(locate(supplement, '1.1.1.1', 'US'), undefined);
  assert.deepEqual(
    supplement.meta.sources.map(({ id }) => id),
    ['anycast', 'peeringdb-ix', 'peeringdb-ixpfx'],
  );
});

const dataset = sampleDataset({
  routes: [
    ['8.8.0.0/16', 15169, 'Google'],
    ['9.0.0.0/16', 64500, 'Example'],
    ['2a00::/32', 64500, 'Example'],
  ],
});
const GEOFEED = [
  '# comment',
  '9.0.0.0/25,DE,DE-NW,Bonn,',
  '9.0.0.128/26,DE,,,',
  '9.0.0.192/26,FR,,,',
  '9.0.1.0/25,,,,',
  '9.0.1.128/25,de,de-he,,',
  '9.0.2.0/24,DE,DE-BE,Berlin,10115',
  '8.8.8.0/25,US,US-NY,New York,',
  '2a00:0:1::/48,DE,DE-HH,"Hamburg",',
  'nonsense,DE,,,',
];

function withGeofeed(more: Partial<Feed>): Supplement {
  const path = join(folder, 'geofeed.csv');
  writeFileSync(path, GEOFEED.join('\n'));
  const base = parsedFeed('geofeed-example', 'geofeed', 'country', GEOFEED.join('\n'));
  const geofeed = { ...base, feed: { ...base.feed, ...more } };
  const rows = LOCATIONS.map((row) => row.replace(/^([^,]+,[^,]+,)/, '$1XX,')).join('\n');
  const database = parsedFeed('dbip-city-lite', 'dbip-city-csv', 'location', rows);
  const cache = { contentPath: (id: string) => (id === 'geofeed-example' ? path : undefined) };
  return new Supplement(ownBuffer(compileSupplement([geofeed, database], cache, dataset) as Buffer));
}

const OPERATOR = { source: 'geofeed-example', as_of: '2026-11-01' };
for (const [behaviour, ip, want] of [
  ['its city has no coordinates', '9.0.0.1', { city: 'Bonn', region: 'DE-NW', ...OPERATOR }],
  [
    'a row with the country only leaves what the database knows',
    '9.0.0.130',
    { city: 'Köln', latitude: 50.938361, longitude: 6.959974, ...DATABASE },
  ],
  ['unless that is in another country', '9.0.0.200', undefined],
  ['a row without a country withdraws the location', '9.0.1.1', undefined],
  ['a region only', '9.0.1.200', { region: 'DE-HE', ...OPERATOR }],
  [
    'addresses that the database does not have, with the coordinates of the city there',
    '9.0.2.1',
    { city: 'Berlin', region: 'DE-BE', latitude: 52.52, longitude: 13.405, ...OPERATOR },
  ],
  ['IPv6', '2a00:0:1:ffff::', { city: 'Hamburg', region: 'DE-HH', ...OPERATOR }],
] as const) {
  test(`geofeed over the database: ${behaviour}`, () => {
    assert.deepEqual(locate(withGeofeed({ asns: [64500] }), ip, 'DE'), want);
  });
}

test('geofeed over the database: only addresses that its operator announces', () => {
  assert.equal(locate(withGeofeed({ asns: [64500] }), '8.8.8.8', 'US')?.city, 'Mountain View');
  assert.equal(locate(withGeofeed({}), '8.8.8.8', 'US')?.city, 'New York');
});

test('supplement: no feed for it, no file', () => {
  const geofeed = parsedFeed('geofeed-example', 'geofeed', 'country', GEOFEED.join('\n'));
  assert.equal(compileSupplement([geofeed], { contentPath: () => undefined }, dataset), undefined);
});

test('supplement: peering LANs without names of their exchanges are of no use', () => {
  const lans = parsedFeed(
    'peeringdb-ixpfx',
    'peeringdb-ixpfx',
    'exchange',
    '{"data":[{"prefix":"192.0.2.0/24","ixlan_id":1}]}',
  );
  assert.equal(compileSupplement([lans], { contentPath: () => undefined }, dataset), undefined);
});

const whole = sampleSupplement({ locations: LOCATIONS, anycast: ['1.1.1.0/24'] });
for (const [behaviour, change, reason] of [
  ['another file', () => sampleSupplement({ anycast: ['1.1.2.0/24'] }), /not the file that was published/],
  ['a flipped bit', () => flipped(whole.length - 9), /not the file that was published/],
  ['a dataset', () => Buffer.from('WHENCE\r\n'.padEnd(64)), /not a supplement/],
  ['cut off', () => whole.subarray(0, whole.length - 8), /truncated/],
  ['values that point nowhere', () => flipped(sectionEnd('loc.v4.value') - 1), /section loc\.v4 does not fit/],
  ['places that point nowhere', () => flipped(sectionEnd('places') - 13), /section places does not fit/],
] as const) {
  test(`supplement: refused: ${behaviour}`, () => {
    const path = join(folder, 'damaged.supplement');
    const bytes = change();
    writeFileSync(path, bytes);
    const isOther = String(reason).includes('published');
    assert.throws(() => readSupplement(path, sha256Of(isOther ? whole : bytes)), reason);
  });
}

function flipped(at: number): Buffer {
  const copy = Buffer.from(whole);
  copy[at] = (copy[at] as number) ^ 0x80;
  return copy;
}

function sectionEnd(name: string): number {
  const row = whole.indexOf(Buffer.from(name.padEnd(16, '\0'), 'latin1'));
  return whole.readUInt32LE(row + 16) + whole.readUInt32LE(row + 20);
}
