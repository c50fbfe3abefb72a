import assert from 'node:assert/strict';
import test from 'node:test';
import { parseCidr } from '../prefix.ts';
import { rangeLines, rivalLines } from '../test/range-lines.ts';
import { RouteCollector } from './route-collector.ts';

// Documentation AS numbers are reserved, and reserved numbers are dropped: these samples use small real ones.
type Row = readonly [prefix: string, origin: number | readonly number[], peers: number];

for (const [behaviour, rows, ranges, rivals] of [
  [
    'the origin with most peers wins',
    [
      ['192.0.2.0/24', 7, 10],
      ['192.0.2.0/24', 9, 20],
    ],
    ['192.0.2.0/24 9'],
    ['192.0.2.0/24 7'],
  ],
  [
    'of equals the lower number wins',
    [
      ['192.0.2.0/24', 9, 10],
      ['192.0.2.0/24', 7, 10],
    ],
    ['192.0.2.0/24 7'],
    ['192.0.2.0/24 9'],
  ],
  [
    'peers of several rows add up',
    [
      ['192.0.2.0/24', 9, 3],
      ['192.0.2.0/24', 7, 4],
      ['192.0.2.0/24', 9, 3],
    ],
    ['192.0.2.0/24 9'],
    ['192.0.2.0/24 7'],
  ],
  [
    'host bits do not make another prefix',
    [
      ['192.0.2.1/24', 7, 3],
      ['192.0.2.0/24', 7, 3],
    ],
    ['192.0.2.0/24 7'],
    [],
  ],
  [
    'a prefix and the one inside it are two',
    [
      ['192.0.2.0/23', 7, 9],
      ['192.0.2.0/24', 9, 9],
    ],
    ['192.0.2.0/23 7', '192.0.2.0/24 9'],
    [],
  ],
  [
    'IPv6',
    [
      ['2001:db8::/32', 7, 9],
      ['2001:db8:8000::/33', 9, 9],
      ['2001:db8:ffff::/48', 9, 9],
    ],
    ['2001:db8::/32 7', '2001:db8:8000::/33 9', '2001:db8:ffff::/48 9'],
    [],
  ],
  [
    'the first and the last prefixes that are kept',
    [
      ['0.0.0.0/8', 1, 5],
      ['255.255.255.0/24', 2, 5],
      ['::/16', 3, 5],
      ['ffff::/16', 4, 5],
      ['ffff:ffff:ffff::/48', 5, 5],
    ],
    ['0.0.0.0/8 1', '255.255.255.0/24 2', '::/16 3', 'ffff::/16 4', 'ffff:ffff:ffff::/48 5'],
    [],
  ],
  [
    'default routes and what is nearly one are dropped',
    [
      ['0.0.0.0/0', 7, 99],
      ['128.0.0.0/7', 7, 99],
      ['::/0', 7, 99],
      ['2000::/15', 7, 99],
    ],
    [],
    [],
  ],
  [
    'host routes are dropped',
    [
      ['192.0.2.0/25', 7, 99],
      ['192.0.2.1/32', 7, 99],
      ['2001:db8::/49', 7, 99],
      ['2001:db8::1/128', 7, 99],
    ],
    [],
    [],
  ],
  ['four peers are too few', [['192.0.2.0/24', 7, 4]], [], []],
  [
    'five are enough, over all origins',
    [
      ['192.0.2.0/24', 7, 2],
      ['192.0.2.0/24', 9, 3],
    ],
    ['192.0.2.0/24 9'],
    ['192.0.2.0/24 7'],
  ],
  [
    'reserved numbers are no origin',
    [
      ['192.0.2.0/24', 0, 99],
      ['192.0.2.0/24', 23456, 99],
      ['192.0.2.0/24', 64512, 99],
      ['192.0.2.0/24', 4200000000, 99],
      ['192.0.2.0/24', 7, 5],
    ],
    ['192.0.2.0/24 7'],
    [],
  ],
  ['a set of one is that one', [['192.0.2.0/24', [7], 5]], ['192.0.2.0/24 7'], []],
  [
    'a set is used where there is nothing else',
    [['192.0.2.0/24', [9, 7, 8], 5]],
    ['192.0.2.0/24 9'],
    ['192.0.2.0/24 7', '192.0.2.0/24 8'],
  ],
  [
    'a set is not used beside an origin',
    [
      ['192.0.2.0/24', [9, 7], 99],
      ['192.0.2.0/24', 8, 5],
    ],
    ['192.0.2.0/24 8'],
    [],
  ],
  [
    'the peers of a set count for the prefix',
    [
      ['192.0.2.0/24', [9, 7], 4],
      ['192.0.2.0/24', 8, 1],
    ],
    ['192.0.2.0/24 8'],
    [],
  ],
  [
    'of several sets that with most peers wins',
    [
      ['192.0.2.0/24', [9, 7], 2],
      ['192.0.2.0/24', [8, 7], 2],
      ['192.0.2.0/24', [8, 7], 2],
    ],
    ['192.0.2.0/24 8'],
    ['192.0.2.0/24 7', '192.0.2.0/24 9'],
  ],
  ['a set whose others are reserved is that one', [['192.0.2.0/24', [64512, 7, 65000], 5]], ['192.0.2.0/24 7'], []],
  ['a set of reserved numbers says nothing', [['192.0.2.0/24', [64512, 65000], 5]], [], []],
  ['too few peers see a set', [['192.0.2.0/24', [9, 7], 4]], [], []],
] as const satisfies readonly (readonly [string, readonly Row[], readonly string[], readonly string[]])[]) {
  test(`route-collector: ${behaviour}`, () => {
    const routes = collect(rows).finish();
    assert.deepEqual([rangeLines(routes.ranges), rivalLines(routes.rivals)], [ranges, rivals]);
  });
}

test('route-collector: without a minimum everything stays', () => {
  assert.deepEqual(rangeLines(collect([['192.0.2.0/24', 7, 0]]).finish(0).ranges), ['192.0.2.0/24 7']);
});

function collect(rows: readonly Row[]): RouteCollector {
  const routes = new RouteCollector();
  for (const [prefix, origin, peers] of rows) {
    const cidr = parseCidr(prefix);
    assert.ok(cidr);
    if (typeof origin === 'number') routes.add(cidr.address, cidr.length, origin, peers);
    else routes.addSet(cidr.address, cidr.length, origin, peers);
  }
  return routes;
}
