import assert from 'node:assert/strict';
import test from 'node:test';
import { fixture, NO_FIXTURES } from '@whence/testing/fixtures';
import { bytesContent, fileContent } from '../../../io/content.ts';
import { rangeLines } from '../../../test/range-lines.ts';
import { parseIptoasnTsv } from './range-csv.ts';

test('iptoasn-tsv: ranges of both families, names, and space that is not routed', () => {
  const routes = parseIptoasnTsv(
    bytesContent(
      [
        '192.0.2.0\t192.0.2.0\t7\tDE\tEXAMPLE - Example, Inc.',
        '192.0.2.1\t192.0.2.1\t9\tNone\t',
        '192.0.2.2\t192.0.2.255\t7\tDE\tanother name',
        '198.51.100.0\t203.0.113.255\t0\tNone\tNot routed',
        '2001:db8::\t2001:db8:ffff:ffff:ffff:ffff:ffff:ffff\t7\tDE\tEXAMPLE',
      ].join('\n'),
    ),
  );
  assert.deepEqual(rangeLines(routes.ranges).slice(0, 3), [
    '192.0.2.0/32 7',
    '192.0.2.1/32 9',
    '192.0.2.2/31 7',
  ]);
  assert.deepEqual(rangeLines(routes.ranges).at(-1), '2001:db8::/32 7');
  assert.deepEqual([...routes.names], [[7, 'EXAMPLE - Example, Inc.']]);
  assert.deepEqual([routes.records, routes.skipped], [5, 0]);
});

for (const [behaviour, line] of [
  ['HTML', '<!doctype html>'],
  ['two families', '192.0.2.0\t2001:db8::\t7\tDE\tx'],
  ['an end before the start', '192.0.2.1\t192.0.2.0\t7\tDE\tx'],
  ['no number', '192.0.2.0\t192.0.2.255\t\tDE\tx'],
] as const) {
  test(`iptoasn-tsv: skipped: ${behaviour}`, () => {
    const { records, skipped } = parseIptoasnTsv(bytesContent(line));
    assert.deepEqual([records, skipped], [0, 1]);
  });
}

const path = fixture('routing/ip2asn-v4.excerpt.tsv');
test('iptoasn-tsv: a real excerpt', { skip: path === undefined && NO_FIXTURES }, () => {
  const routes = parseIptoasnTsv(fileContent(path as string));
  assert.deepEqual([routes.records, routes.skipped, routes.ranges[4].length], [1427, 0, 1427]);
  assert.equal(routes.names.get(15169), 'GOOGLE - Google LLC');
  assert.equal(rangeLines(routes.ranges)[1], '1.1.1.1/32 7497');
});
