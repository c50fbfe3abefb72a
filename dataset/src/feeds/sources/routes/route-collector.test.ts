import assert from 'node:assert/strict';
import test from 'node:test';
import { parseCidr } from '../../../prefix.ts';
import { otherOriginLines, rangeLines } from '../../../test/range-lines.ts';
import { RouteCollector } from './route-collector.ts';

// Documentation AS numbers are reserved, and reserved numbers are dropped: these samples use small
// real ones.
type Row = readonly [prefix: string, origin: number | readonly number[], peers: number];

for (const [behaviour, rows, ranges, otherOrigins] of [
  [
    'the origin that most peers see is chosen',
    [
      ['192.0.2.0/24', 7, 10],
      ['192.0.2.0/24', 9, 20],
    ],
    ['192.0.2.0/24 9'],
    ['192.0.2.0/24 7'],
  ],
  [
    'of equal origins the lower AS number is chosen',
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
    'host bits are ignored',
    [
      ['192.0.2.1/24', 7, 3],
      ['192.0.2.0/24', 7, 3],
    ],
    ['192.0.2.0/24 7'],
    [],
  ],
  [
    'a more specific prefix is separate',
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
    'the shortest and the longest prefixes that are kept',
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
    'default routes and other very short prefixes are dropped',
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
    'five peers are enough, over all origins',
    [
      ['192.0.2.0/24', 7, 2],
      ['192.0.2.0/24', 9, 3],
    ],
    ['192.0.2.0/24 9'],
    ['192.0.2.0/24 7'],
  ],
  [
    'reserved AS numbers are not origins',
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
  ['a set of one is that origin', [['192.0.2.0/24', [7], 5]], ['192.0.2.0/24 7'], []],
  [
    'a set is used if there is no single origin',
    [['192.0.2.0/24', [9, 7, 8], 5]],
    ['192.0.2.0/24 9'],
    ['192.0.2.0/24 7', '192.0.2.0/24 8'],
  ],
  [
    'a set is not used if there is a single origin',
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
    'of several sets the one that most peers see is chosen',
    [
      ['192.0.2.0/24', [9, 7], 2],
      ['192.0.2.0/24', [8, 7], 2],
      ['192.0.2.0/24', [8, 7], 2],
    ],
    ['192.0.2.0/24 8'],
    ['192.0.2.0/24 7', '192.0.2.0/24 9'],
  ],
  [
    'a set with one member that is not reserved is that origin',
    [['192.0.2.0/24', [64512, 7, 65000], 5]],
    ['192.0.2.0/24 7'],
    [],
  ],
  ['a set of reserved numbers is dropped', [['192.0.2.0/24', [64512, 65000], 5]], [], []],
  ['too few peers see a set', [['192.0.2.0/24', [9, 7], 4]], [], []],
] as const satisfies readonly (readonly [
  string,
  readonly Row[],
  readonly string[],
  readonly string[],
])[]) {
  test(`route-collector: ${behaviour}`, () => {
    const routes = collect(rows).finish();
    assert.deepEqual(
      [rangeLines(routes.ranges), otherOriginLines(routes.otherOrigins)],
      [ranges, otherOrigins],
    );
  });
}

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
