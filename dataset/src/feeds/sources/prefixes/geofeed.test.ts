import assert from 'node:assert/strict';
import test from 'node:test';
import { fixture, NO_FIXTURES } from '@whence/testing/fixtures';
import { processorMs } from '@whence/testing/processor-time';
import { bytesContent, fileContent } from '../../../io/content.ts';
import { labelsOf, listed } from '../../../test/listed.ts';
import { parseGeofeed } from './geofeed.ts';

for (const [behaviour, line, want, skipped] of [
  ['all fields', '192.0.2.0/24,US,US-NJ,North Bergen,07047', ['192.0.2.0/24 US'], 0],
  ['a country only', '2001:db8::/32,DE,,,', ['2001:db8::/32 DE'], 0],
  ['a prefix only', '192.0.2.0/24', ['192.0.2.0/24'], 0],
  ['no country', '192.0.2.0/24,,,,', ['192.0.2.0/24'], 0],
  ['a country in lower case', '192.0.2.0/24,us,,,', ['192.0.2.0/24 US'], 0],
  ['three letters are not a country', '192.0.2.0/24,USA,,,', ['192.0.2.0/24'], 0],
  ['ZZ is not a country', '192.0.2.0/24,ZZ,,,', ['192.0.2.0/24'], 0],
  [
    'quotes around a city with a comma',
    '192.0.2.0/24,US,US-DC,"Washington, D.C.",',
    ['192.0.2.0/24 US'],
    0,
  ],
  ['an address without a length', '192.0.2.1,US,,,', ['192.0.2.1/32 US'], 0],
  ['white space', ' 192.0.2.0/24 , US ,,,', ['192.0.2.0/24 US'], 0],
  ['a comment', '# 192.0.2.0/24,US', [], 0],
  ['a comment after the row', '192.0.2.0/24,US # office', ['192.0.2.0/24 US'], 0],
  [
    'a number sign in the name of a city',
    '192.0.2.0/24,US,US-NJ,"Area #5",',
    ['192.0.2.0/24 US'],
    0,
  ],
  ['host bits', '192.0.2.7/24,US,,,', ['192.0.2.0/24 US'], 0],
  ['more columns', '192.0.2.0/24,US,US-NJ,Newark,07101,extra', ['192.0.2.0/24 US'], 0],
  ['a region without a country', '192.0.2.0/24,,US-NJ,Newark,', ['192.0.2.0/24'], 0],
  ['a byte order mark', '\ufeff192.0.2.0/24,US,,,', ['192.0.2.0/24 US'], 0],
  ['a row twice', '192.0.2.0/24,US,,,\n192.0.2.0/24,us,,Newark,', ['192.0.2.0/24 US'], 0],
  [
    'two countries for one prefix: neither',
    '192.0.2.0/24,US,,,\n192.0.2.0/24,CA,,,',
    ['192.0.2.0/24'],
    0,
  ],
  [
    'two countries by host bits: neither',
    '192.0.2.0/24,US,,,\n192.0.2.1/24,CA,,,',
    ['192.0.2.0/24'],
    0,
  ],
  [
    'prefixes inside each other are separate',
    '192.0.2.0/24,US,,,\n192.0.2.0/25,CA,,,',
    ['192.0.2.0/24 US', '192.0.2.0/25 CA'],
    0,
  ],
  ['an address that is too long', '192.0.2.0.1/24,US,,,', [], 1],
  ['a negative length', '192.0.2.0/-1,US,,,', [], 1],
  ['a blank line', '   ', [], 0],
  ['a header', 'ip_prefix,alpha2code,region,city,postal_code', [], 1],
  ['a prefix that is too long', '192.0.2.0/33,US,,,', [], 1],
] as const) {
  test(`geofeed: ${behaviour}`, () => {
    const read = parseGeofeed(bytesContent(line));
    assert.deepEqual(listed(read), want);
    assert.equal(read.skipped, skipped);
  });
}

for (const [comment, want] of [
  ['# Last modified: 2025-07-24 10:00:06.525037', '2025-07-24'],
  ['# updated 2025-07-24', '2025-07-24'],
  ['# RFC 8805, published 2020-08-01', undefined],
] as const) {
  test(`geofeed: the date in ${JSON.stringify(comment)}`, () => {
    assert.equal(parseGeofeed(bytesContent(`${comment}\n192.0.2.0/24,US,,,\n`)).asOf, want);
  });
}

for (const [file, records, asOf, address, country] of [
  ['geofeed/linode.csv', 4552, '2025-07-24', '2a01:7e00::1', 'GB'],
  ['geofeed/digitalocean-google.csv', 1182, undefined, '5.101.96.1', 'NL'],
  ['geofeed/icloud-private-relay.excerpt.csv', 9, undefined, '172.224.224.47', 'GB'],
] as const) {
  const path = fixture(file);
  test(`geofeed: ${file}`, { skip: path === undefined && NO_FIXTURES }, () => {
    const read = parseGeofeed(fileContent(path as string));
    assert.deepEqual([read.records, read.skipped, read.asOf], [records, 0, asOf]);
    assert.ok(labelsOf(read, address).includes(country));
  });
}

test('geofeed: prefixes of IPv6 take about as long as those of IPv4', async () => {
  const COUNT = 20_000;
  const milliseconds = (row: (i: number) => string) => {
    const content = bytesContent(
      Array.from({ length: COUNT }, (_, i) => `${row(i)},US,,,`).join('\n'),
    );
    return processorMs(() => assert.equal(parseGeofeed(content).records, COUNT));
  };
  const ipv4 = await milliseconds((i) => `${1 + (i >> 16)}.${(i >> 8) & 0xff}.${i & 0xff}.0/24`);
  const ipv6 = await milliseconds(
    (i) => `2001:db8:${(i >> 8).toString(16)}:${(i & 0xff).toString(16)}::/64`,
  );
  assert.ok(ipv6 < ipv4 * 20 + 1_000, `${ipv6} ms for IPv6, ${ipv4} ms for IPv4`);
});
