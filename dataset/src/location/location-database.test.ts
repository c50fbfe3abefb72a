import assert from 'node:assert/strict';
import test from 'node:test';
import { Reader, type Response } from 'mmdb-lib';
import { parseAddress } from '../address.ts';
import {
  cityMmdb,
  encode,
  float32,
  geoip2Record,
  type MmdbValue,
  pointerTo,
  sampleMmdb,
} from '../test/sample-mmdb.ts';
import { checkRecords, LocationDatabase } from './location-database.ts';

function find(file: Buffer, ip: string, country = 'US') {
  checkRecords(file);
  const address = parseAddress(ip);
  assert.ok(address);
  return new LocationDatabase(file).find(address, country);
}

const NETWORK = '192.0.2.0/24';
const INSIDE = '192.0.2.7';
/** So that a file with one record without a location is not refused. */
const OTHER = ['198.51.100.0/24', geoip2Record({ city: 'Berlin' })] as const;
const SOURCE = { source: 'DBIP-City-Lite', as_of: '2026-11-01' };
const MOUNTAIN_VIEW = {
  city: 'Mountain View',
  region: 'California',
  latitude: 37.4224,
  longitude: -122.085,
};

for (const [behaviour, record, want] of [
  [
    'GeoLite2, GeoIP2 and DB-IP',
    geoip2Record({
      country: 'US',
      region: 'California',
      city: 'Mountain View',
      at: [37.4224, -122.085],
    }),
    MOUNTAIN_VIEW,
  ],
  [
    'IPinfo, with coordinates as texts',
    {
      city: 'Mountain View',
      region: 'California',
      country: 'US',
      lat: '37.4224',
      lng: '-122.085',
      timezone: 'America/Los_Angeles',
    },
    MOUNTAIN_VIEW,
  ],
  [
    'IPinfo, with the name of the country beside its code',
    {
      city: 'Mountain View',
      region: 'California',
      region_code: 'CA',
      country: 'United States',
      country_code: 'US',
      latitude: 37.4224,
      longitude: -122.085,
    },
    MOUNTAIN_VIEW,
  ],
  [
    'coordinates in single precision',
    { location: { latitude: float32(37.4224), longitude: float32(-122.085) } },
    { latitude: 37.4224, longitude: -122.085 },
  ],
  ['a region alone', geoip2Record({ region: 'Hesse' }), { region: 'Hesse' }],
  ['a name in another language', { city: { names: { de: 'Köln' } } }, { city: 'Köln' }],
  ['no country, which contradicts none', geoip2Record({ city: 'Boston' }), { city: 'Boston' }],
  ['a place in another country', geoip2Record({ country: 'GB', city: 'London' }), undefined],
  ['the country alone', geoip2Record({ country: 'US' }), undefined],
  ['an empty record', {}, undefined],
  ['a record that is a text', 'Boston', undefined],
  ['0, 0 as unknown coordinates', { city: 'Boston', lat: 0, lng: 0 }, { city: 'Boston' }],
  ['a latitude beyond the pole', { city: 'Boston', lat: 91.5, lng: 8.5 }, { city: 'Boston' }],
  ['a longitude beyond the date line', { city: 'Boston', lat: 1.5, lng: -999 }, { city: 'Boston' }],
  ['coordinates that are no numbers', { city: 'Boston', lat: 'x', lng: true }, { city: 'Boston' }],
  ['a latitude without a longitude', { city: 'Boston', lat: 42.3 }, { city: 'Boston' }],
  ['infinite coordinates', { city: 'Boston', lat: Infinity, lng: 1.5 }, { city: 'Boston' }],
  ['a name with control characters', { city: 'Bos\u0007\u001bton ' }, { city: 'Bos ton' }],
  ['a name that is too long to be one', { city: 'x'.repeat(101), region: 'MA' }, { region: 'MA' }],
  [
    'members of other types',
    { city: ['a'], region: 7, subdivisions: 'x', location: 'y' },
    undefined,
  ],
  [
    'members of the prototype',
    { __proto__: { city: 'x' }, toString: 'y', city: 'Boston' },
    { city: 'Boston' },
  ],
] as readonly [string, MmdbValue, object | undefined][])
  test(`location: ${behaviour}`, () => {
    const located = find(sampleMmdb([[NETWORK, record], OTHER]), INSIDE);
    assert.deepEqual(located, want && { ...want, ...SOURCE });
  });

for (const recordSize of [24, 28, 32] as const)
  for (const [ip, city] of [
    ['192.0.2.255', 'Boston'],
    ['192.0.3.0', undefined],
    ['2001:db8::1', 'Seattle'],
    ['2001:db9::1', undefined],
  ] as const)
    test(`location: ${ip} in a file with ${recordSize} bits for each record`, () => {
      const file = cityMmdb(
        [
          [NETWORK, { city: 'Boston' }],
          ['2001:db8::/32', { city: 'Seattle' }],
        ],
        { recordSize },
      );
      assert.equal(checkRecords(file), 2);
      assert.equal(find(file, ip)?.city, city);
    });

test('location: a file of IPv4 says nothing about IPv6', () => {
  const file = cityMmdb([['32.1.13.0/24', { city: 'Boston' }]], { ipVersion: 4 });
  assert.equal(find(file, '32.1.13.184')?.city, 'Boston');
  // mmdb-lib alone looks up 2001:0db8 as 32.1.13.184.
  assert.equal(new Reader<Response>(file).get('2001:db8::') === null, false);
  assert.equal(find(file, '2001:db8::'), undefined);
});

test('location: a file is identified by its type and the day of its build', () => {
  const database = new LocationDatabase(
    cityMmdb([[NETWORK, { city: 'Boston' }]], {
      databaseType: 'GeoLite2-City',
      builtAt: '2026-10-13T12:34:56Z',
    }),
  );
  assert.deepEqual([database.source, database.as_of], ['GeoLite2-City', '2026-10-13']);
});

const good = cityMmdb([[NETWORK, { city: 'Boston' }]]);
const withRecord = (record: MmdbValue) => sampleMmdb([[NETWORK, record], OTHER]);
const withMetadata = (metadata: Record<string, MmdbValue>) =>
  cityMmdb([[NETWORK, { city: 'Boston' }]], { metadata });
/** Each value refers twice to the one behind it: 2^40 values in 200 bytes. */
const bomb = Buffer.concat([
  ...Array.from({ length: 40 }, (_, i) => {
    const next = pointerTo((i + 1) * 6);
    return Buffer.concat([Buffer.from([2, 4]), next, next]);
  }),
  encode('x'),
]);

for (const [behaviour, file, reason] of [
  ['an empty file', Buffer.alloc(0), /not a database in the MMDB format/],
  ['a text', Buffer.from('city,region\n'.repeat(1000)), /not a database in the MMDB format/],
  ['zeros', Buffer.alloc(1_000_000), /not a database in the MMDB format/],
  ['a file without its end', good.subarray(0, -1), /metadata cannot be read/],
  ['half a file', good.subarray(0, good.length >> 1), /its end is missing/],
  ['a file without its beginning', good.subarray(500), /search tree/],
  [
    'the metadata alone',
    good.subarray(good.lastIndexOf('\xab\xcd\xefMaxMind', 'latin1')),
    /search tree/,
  ],
  [
    'another type of database',
    sampleMmdb([[NETWORK, { autonomous_system_number: 64500 }]], { databaseType: 'GeoLite2-ASN' }),
    /type GeoLite2-ASN, whose records have no city/,
  ],
  ['no networks', cityMmdb([]), /no city/],
  ['a pointer to itself', withRecord({ city: pointerTo(6) }), /record at byte \d+ cannot be read/],
  ['a record that is a pointer to itself', withRecord(pointerTo(0)), /more than 2000 pointers/],
  ['pointers that multiply', withRecord(bomb), /more than 2000 pointers/],
  [
    'an array of sixteen million elements',
    withRecord(Buffer.from([0x1f, 4, 0xff, 0xff, 0xff])),
    /cannot be read/,
  ],
  [
    'a number that goes on behind the file',
    sampleMmdb([OTHER, [NETWORK, Buffer.from([0x68, 0x40])]]),
    /cannot be read/,
  ],
  ['an unknown type', withRecord(Buffer.from([0, 40])), /Unknown type 47/],
  [
    'places outside the file',
    cityMmdb([[NETWORK, { city: 'Boston' }]], { shift: 99_999 }),
    /outside the file/,
  ],
  ['a tree larger than the file', withMetadata({ node_count: 4_000_000 }), /larger than the file/],
  ['a tree smaller than it is', withMetadata({ node_count: 3 }), /does not end where/],
  ['no nodes', withMetadata({ node_count: 0 }), /not that of MMDB format 2/],
  ['half a node', withMetadata({ node_count: 1.5 }), /not that of MMDB format 2/],
  ['another version of IP', withMetadata({ ip_version: 5 }), /not that of MMDB format 2/],
  ['another format', withMetadata({ binary_format_major_version: 3 }), /not that of MMDB format 2/],
  ['another record size', withMetadata({ record_size: 20 }), /Unsupported record size/],
  ['no build date', withMetadata({ build_epoch: 'today' }), /no build date/],
  [
    'a build date at the end of time',
    withMetadata({ build_epoch: 2n ** 64n - 1n }),
    /no build date/,
  ],
  ['a type that is no text', withMetadata({ database_type: 7 }), /no database type/],
  ['a type with a line feed', withMetadata({ database_type: 'a\nb' }), /no database type/],
  [
    'metadata that is a loop',
    withMetadata({ description: pointerTo(0) }),
    /metadata cannot be read/,
  ],
] as const)
  test(`location: refused: ${behaviour}`, () => {
    assert.throws(() => checkRecords(file), reason);
  });

test('location: a fault behind the sample of a command is an unknown location', () => {
  const rows = Array.from(
    { length: 1_100 },
    (_, i) => [`10.${i >> 8}.${i & 255}.0/24`, geoip2Record({ city: `City ${i}` })] as const,
  );
  const file = sampleMmdb([...rows, [NETWORK, Buffer.from([0, 40])]]);
  assert.throws(() => checkRecords(file), /cannot be read/);
  checkRecords(file, true);
  const address = parseAddress(INSIDE);
  assert.ok(address);
  assert.equal(new LocationDatabase(file).find(address, 'US'), undefined);
});

test('location: any byte of a file may be wrong', () => {
  const file = cityMmdb([
    [NETWORK, { country: 'US', region: 'MA', city: 'Boston', at: [42.36, -71.06] }],
    ['2001:db8::/32', { city: 'Seattle', at: [47.6, -122.3] }],
  ]);
  const address = parseAddress(INSIDE);
  assert.ok(address);
  let refused = 0;
  for (let at = 0; at < file.length; at++)
    for (const flip of [0x01, 0x20, 0x80, 0xff]) {
      const damaged = Buffer.from(file);
      damaged[at] = (damaged[at] as number) ^ flip;
      try {
        checkRecords(damaged);
        new LocationDatabase(damaged).find(address, 'US');
      } catch (error) {
        assert.equal(
          (error as Error).name,
          'DatasetError',
          `byte ${at}: ${(error as Error).stack}`,
        );
        refused++;
      }
    }
  assert.ok(refused > 100);
});
