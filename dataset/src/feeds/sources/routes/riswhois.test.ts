import assert from 'node:assert/strict';
import test from 'node:test';
import { fixture, NO_FIXTURES } from '@whence/testing/fixtures';
import { bytesContent } from '../../../io/content.ts';
import { parsePrefix } from '../../../prefix.ts';
import { otherOriginLines, rangeLines, valueAt } from '../../../test/range-lines.ts';
import { withGunzipped } from '../../../test/unpacked.ts';
import { parseRiswhois } from './riswhois.ts';

test('riswhois: comments, origins, sets, and rows that are dropped', () => {
  const routes = parseRiswhois(
    bytesContent(
      [
        '% This file was generated at Mon Mar  4 10:06:01 UTC 2019.',
        '%',
        '',
        '7\t::/0\t2',
        '7\t192.0.2.0/24\t300',
        '9\t192.0.2.0/24\t2',
        '{7,8,9}\t2001:db8::/32\t211',
        '{8}\t2001:db8:10::/48\t207',
        '7\t2001:db8::12:127:255:255/128\t1',
        '64512\t198.51.100.0/24\t300',
      ].join('\n'),
    ),
  );
  assert.deepEqual(rangeLines(routes.ranges), [
    '192.0.2.0/24 7',
    '2001:db8:10::/48 8',
    '2001:db8::/32 7',
  ]);
  assert.deepEqual(otherOriginLines(routes.otherOrigins), [
    '192.0.2.0/24 9',
    '2001:db8::/32 8',
    '2001:db8::/32 9',
  ]);
  assert.deepEqual([routes.records, routes.skipped, routes.asOf], [7, 0, '2019-03-04']);
});

for (const [behaviour, line] of [
  ['HTML', '<!doctype html>'],
  ['no prefix', '7\tAS8\t300'],
  ['no peers', '7\t192.0.2.0/24'],
  ['peers that are not a number', '7\t192.0.2.0/24\tmany'],
  ['a length that is too long', '7\t192.0.2.0/33\t300'],
  ['an origin that is not a number', 'AS7\t192.0.2.0/24\t300'],
  ['an empty set', '{}\t192.0.2.0/24\t300'],
  ['a set that is not closed', '{7,8\t192.0.2.0/24\t300'],
  ['a set of words', '{7,x}\t192.0.2.0/24\t300'],
] as const) {
  test(`riswhois: skipped: ${behaviour}`, () => {
    const { records, skipped, ranges } = parseRiswhois(bytesContent(line));
    assert.deepEqual([records, skipped, rangeLines(ranges)], [0, 1, []]);
  });
}

const ipv6 = fixture('routing/riswhoisdump.IPv6.gz');
test('riswhois: a real table of IPv6', { skip: ipv6 === undefined && NO_FIXTURES }, () => {
  const routes = withGunzipped(ipv6 as string, parseRiswhois);
  // The seven are prefixes of IPv4-mapped addresses.
  assert.deepEqual([routes.records, routes.skipped, routes.asOf], [78_315, 7, '2019-03-04']);
  assert.deepEqual([routes.ranges[4].length, routes.ranges[6].length], [0, 65_742]);
  for (const [prefix, asn] of [
    ['2001:410::/32', 271],
    ['2001:480:10::/48', 7224],
    ['2001:1890::/29', 7018],
    ['2001:1890::12:127:255:255/128', undefined],
    ['::/0', undefined],
  ] as const) {
    const range = parsePrefix(prefix);
    assert.ok(range);
    assert.equal(valueAt(routes.ranges, 6, range.start, range.end), asn, prefix);
  }
});
