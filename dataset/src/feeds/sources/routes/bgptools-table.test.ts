import assert from 'node:assert/strict';
import test from 'node:test';
import { fixture, NO_FIXTURES } from '@whence/testing/fixtures';
import { bytesContent, fileContent } from '../../../io/content.ts';
import { otherOriginLines, rangeLines } from '../../../test/range-lines.ts';
import { parseBgptoolsTable } from './route-tables.ts';

test('bgptools-table: hits are peers', () => {
  const routes = parseBgptoolsTable(
    bytesContent(
      [
        '{"CIDR":"192.0.2.0/24","ASN":7,"Hits":10}',
        '{"CIDR":"192.0.2.0/24","ASN":9,"Hits":1500}',
        '{"CIDR":"2001:db8::/32","ASN":7,"Hits":5,"More":true}',
        '{"CIDR":"198.51.100.0/24","ASN":7,"Hits":4}',
      ].join('\n'),
    ),
  );
  assert.deepEqual(rangeLines(routes.ranges), ['192.0.2.0/24 9', '2001:db8::/32 7']);
  assert.deepEqual(otherOriginLines(routes.otherOrigins), ['192.0.2.0/24 7']);
  assert.deepEqual([routes.records, routes.skipped], [4, 0]);
});

for (const [behaviour, line] of [
  ['not JSON', '<html>'],
  ['null', 'null'],
  ['a number', '7'],
  ['a list', '[]'],
  ['a number as text', '{"CIDR":"192.0.2.0/24","ASN":"7","Hits":10}'],
  ['a number that is too large', '{"CIDR":"192.0.2.0/24","ASN":4294967296,"Hits":10}'],
  ['no hits', '{"CIDR":"192.0.2.0/24","ASN":7}'],
  ['an invalid prefix', '{"CIDR":"192.0.2.0/33","ASN":7,"Hits":10}'],
] as const) {
  test(`bgptools-table: skipped: ${behaviour}`, () => {
    const { records, skipped } = parseBgptoolsTable(bytesContent(line));
    assert.deepEqual([records, skipped], [0, 1]);
  });
}

const path = fixture('format-samples/bgptools-table.jsonl');
test('bgptools-table: the sample', { skip: path === undefined && NO_FIXTURES }, () => {
  const { ranges, skipped } = parseBgptoolsTable(fileContent(path as string));
  assert.deepEqual([rangeLines(ranges), skipped], [['1.1.1.0/24 13335', '2606:4700::/32 13335'], 0]);
});
