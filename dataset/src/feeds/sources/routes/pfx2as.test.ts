import assert from 'node:assert/strict';
import test from 'node:test';
import { fixture, NO_FIXTURES } from '@whence/testing/fixtures';
import { bytesContent } from '../../../io/content.ts';
import { otherOriginLines, rangeLines } from '../../../test/range-lines.ts';
import { withGunzipped } from '../../../test/unpacked.ts';
import { parsePfx2as } from './route-tables.ts';

for (const [behaviour, line, ranges, otherOrigins] of [
  ['one origin', '192.0.2.0\t24\t7', ['192.0.2.0/24 7'], []],
  ['IPv6', '2001:db8::\t32\t7', ['2001:db8::/32 7'], []],
  [
    'of several origins the first is chosen',
    '10.0.0.0\t8\t30_10_20',
    ['10.0.0.0/8 30'],
    ['10.0.0.0/8 10', '10.0.0.0/8 20'],
  ],
  ['a set', '192.0.2.0\t24\t9,7', ['192.0.2.0/24 9'], ['192.0.2.0/24 7']],
  ['an origin comes before a set', '192.0.2.0\t24\t9,7_8', ['192.0.2.0/24 8'], []],
] as const) {
  test(`pfx2as: ${behaviour}`, () => {
    const routes = parsePfx2as(bytesContent(line));
    assert.deepEqual([rangeLines(routes.ranges), otherOriginLines(routes.otherOrigins)], [ranges, otherOrigins]);
    assert.deepEqual([routes.records, routes.skipped], [1, 0]);
  });
}

test('pfx2as: rows that cannot be parsed are skipped, default routes are not', () => {
  const lines = ['192.0.2.0\t33\t7', '192.0.2.0\t24\t', '192.0.2.0/24\t7', '192.0.2.0\t24\t7_x', '0.0.0.0\t0\t7', ''];
  const { records, skipped, ranges } = parsePfx2as(bytesContent(lines.join('\n')));
  assert.deepEqual([records, skipped, rangeLines(ranges)], [1, 4, []]);
});

const path = fixture('routing/routeviews-rv2.derived.pfx2as.gz');
test('pfx2as: a file of 20,001 rows', { skip: path === undefined && NO_FIXTURES }, () => {
  const routes = withGunzipped(path as string, parsePfx2as);
  assert.deepEqual([routes.records, routes.skipped], [20_001, 0]);
  assert.deepEqual(rangeLines(routes.ranges).slice(0, 2), ['1.0.0.0/24 13335', '1.0.4.0/22 38803']);
});
