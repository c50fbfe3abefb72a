import assert from 'node:assert/strict';
import test from 'node:test';
import { fixture, NO_FIXTURES } from '@whence/testing/fixtures';
import { bytesContent, fileContent } from '../../../io/content.ts';
import { rangeLines } from '../../../test/range-lines.ts';
import { withGunzipped } from '../../../test/unpacked.ts';
import type { Delegations } from '../../parsed.ts';
import { parseDelegatedExt } from './delegated-ext.ts';

for (const [behaviour, row, want] of [
  [
    'IPv4 with a count of addresses',
    'ripencc|DE|ipv4|192.0.2.0|256|20100712|allocated|id',
    ['192.0.2.0/24 RIPE DE'],
  ],
  [
    'a count that is not a power of two',
    'apnic|JP|ipv4|192.0.2.0|384|20100712|allocated',
    ['192.0.2.0/24 APNIC JP', '192.0.3.0/25 APNIC JP'],
  ],
  [
    'IPv6 with a prefix length',
    'arin|US|ipv6|2001:db8::|32|20100712|assigned|id',
    ['2001:db8::/32 ARIN US'],
  ],
  [
    'the additional field of the NRO',
    'lacnic|BR|ipv4|192.0.2.0|256|20100712|assigned|id|e-stats',
    ['192.0.2.0/24 LACNIC BR'],
  ],
  ['reserved, with ZZ', 'afrinic|ZZ|ipv6|2001:db8::|32||reserved|', ['2001:db8::/32 AFRINIC']],
  [
    'available, without a country or an id',
    'lacnic||ipv6|2001:db8::|32||available',
    ['2001:db8::/32 LACNIC'],
  ],
  [
    'a code that is not a single country',
    'ripencc|EU|ipv4|192.0.2.0|256|20100712|allocated',
    ['192.0.2.0/24 RIPE'],
  ],
  ['up to the last address', 'arin||ipv4|255.255.255.0|256||reserved', ['255.255.255.0/24 ARIN']],
] as const) {
  test(`delegated-ext: ${behaviour}`, () => {
    const read = parseDelegatedExt(bytesContent(row));
    assert.deepEqual([lines(read), read.records, read.skipped], [want, 1, 0]);
  });
}

for (const [behaviour, row, want] of [
  [
    'one number',
    'ripencc|DE|asn|7|1|19930901|allocated|id',
    { rir: 'RIPE', country: 'DE', first: 7, last: 7, registered: '1993-09-01' },
  ],
  [
    'several numbers',
    'apnic|JP|asn|131072|1024|20070115|allocated',
    { rir: 'APNIC', country: 'JP', first: 131072, last: 132095, registered: '2007-01-15' },
  ],
  [
    'a date of zeros',
    'arin|US|asn|3|1|00000000|assigned|id',
    { rir: 'ARIN', country: 'US', first: 3, last: 3 },
  ],
  ['no date', 'afrinic|ZZ|asn|7|1||reserved|', { rir: 'AFRINIC', first: 7, last: 7 }],
] as const) {
  test(`delegated-ext: AS numbers: ${behaviour}`, () => {
    const { asns, skipped } = parseDelegatedExt(bytesContent(row));
    assert.deepEqual([asns, skipped], [[want], 0]);
  });
}

for (const [behaviour, header, asOf] of [
  ['version 2', '2|nro|20260505|3|19821213|20260504|+0000', '2026-05-04'],
  ['version 2.3, without a start', '2.3|apnic|20190909|300||20190906|+1000', '2019-09-06'],
  ['a date of zeros', '2|apnic|20190909|300|00000000|00000000|+1000', undefined],
] as const) {
  test(`delegated-ext: the end of the period in the header: ${behaviour}`, () => {
    const read = parseDelegatedExt(bytesContent(`# comment\n\n${header}\nnro|*|asn|*|2|summary\n`));
    assert.deepEqual([read.asOf, read.records, read.skipped], [asOf, 0, 0]);
  });
}

test('delegated-ext: holders are stored once, rows of IANA are left out', () => {
  const { holders, ranges, skipped } = parseDelegatedExt(
    bytesContent(
      [
        'arin|US|ipv4|192.0.2.0|256|20100712|assigned|a|e-stats',
        'arin|CA|ipv4|198.51.100.0|256|20100712|assigned|b|e-stats',
        'arin|US|ipv4|203.0.113.0|256|20100712|assigned|c|e-stats',
        'iana|ZZ|ipv6|2001:db8::|32|20040701|reserved|ietf|iana',
      ].join('\n'),
    ),
  );
  assert.deepEqual(holders, [
    { rir: 'ARIN', country: 'US' },
    { rir: 'ARIN', country: 'CA' },
  ]);
  assert.deepEqual([ranges[4].values, ranges[6].length, skipped], [[0, 1, 0], 0, 0]);
});

for (const [behaviour, row] of [
  ['HTML', '<!doctype html>'],
  ['no status', 'arin|US|ipv4|192.0.2.0|256|20100712'],
  ['another registry', 'example|US|ipv4|192.0.2.0|256|20100712|assigned'],
  ['another type', 'arin|US|ipv5|192.0.2.0|256|20100712|assigned'],
  ['no count', 'arin|US|ipv4|192.0.2.0||20100712|assigned'],
  ['a count of 0', 'arin|US|ipv4|192.0.2.0|0|20100712|assigned'],
  ['a range beyond the last address', 'arin|US|ipv4|255.255.255.0|257|20100712|assigned'],
  ['IPv6 in a row of IPv4', 'arin|US|ipv4|2001:db8::|256|20100712|assigned'],
  ['a length that is too long', 'arin|US|ipv6|2001:db8::|129|20100712|assigned'],
  ['no length', 'arin|US|ipv6|2001:db8::||20100712|assigned'],
  ['a range beyond the last AS number', 'arin|US|asn|4294967295|2|20100712|assigned'],
] as const) {
  test(`delegated-ext: skipped: ${behaviour}`, () => {
    const { records, skipped } = parseDelegatedExt(bytesContent(row));
    assert.deepEqual([records, skipped], [0, 1]);
  });
}

const extended = fixture('delegated/delegated-afrinic-extended-latest');
test('delegated-ext: the real file of AFRINIC has as many rows as its header says', {
  skip: extended === undefined && NO_FIXTURES,
}, () => {
  const read = parseDelegatedExt(fileContent(extended as string));
  assert.deepEqual(
    [read.asns.length, read.ranges[4].length, read.ranges[6].length, read.skipped, read.asOf],
    [4350, 5958, 8978, 0, '2026-05-05'],
  );
  assert.deepEqual(read.asns[0], {
    rir: 'AFRINIC',
    country: 'ZA',
    first: 1228,
    last: 1228,
    registered: '1991-03-01',
  });
});

for (const [file, asns, ipv4, ipv6] of [
  ['delegated-afrinic-latest.gz', 1095, 2500, 429],
  ['delegated-apnic-latest.gz', 5746, 24065, 3496],
  ['delegated-lacnic-latest.gz', 4306, 8693, 2784],
  ['delegated-ripencc-latest.gz', 26416, 49932, 9333],
] as const) {
  const path = fixture(`delegated/2014-07-01/${file}`);
  test(`delegated-ext: not extended: ${file}`, { skip: path === undefined && NO_FIXTURES }, () => {
    const read = withGunzipped(path as string, parseDelegatedExt);
    assert.deepEqual(
      [read.asns.length, read.ranges[4].length, read.ranges[6].length],
      [asns, ipv4, ipv6],
    );
    assert.equal(read.skipped, 0);
  });
}

for (const registry of ['afrinic', 'apnic', 'arin', 'lacnic', 'ripencc']) {
  const path = fixture(`delegated/excerpt-2019-09-extended/delegated-${registry}-extended-latest`);
  test(`delegated-ext: an excerpt of 2019: ${registry}`, {
    skip: path === undefined && NO_FIXTURES,
  }, () => {
    const { records, skipped, asOf } = parseDelegatedExt(fileContent(path as string));
    assert.deepEqual([records, skipped, asOf?.slice(0, 7)], [300, 0, '2019-09']);
  });
}

function lines({ ranges, holders }: Delegations): string[] {
  return rangeLines(ranges, (position) =>
    [holders[position]?.rir, holders[position]?.country].filter(Boolean).join(' '),
  );
}
