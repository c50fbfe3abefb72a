import assert from 'node:assert/strict';
import test from 'node:test';
import { parseCidr, parsePrefix } from '@whence/dataset/prefix';
import { seededRandom } from '@whence/testing/seeded-random';
import {
  encodeVrps,
  formatVrp,
  originState,
  type RpkiState,
  type Vrp,
  VrpTable,
  vrpOf,
} from './vrps.ts';

type Roa = readonly [prefix: string, maxLength: number, asn: number];

function vrp([prefix, maxLength, asn]: Roa): Vrp {
  const cidr = parseCidr(prefix);
  const found = cidr && vrpOf(cidr.address, cidr.length, maxLength, asn);
  assert.ok(found, prefix);
  return found;
}

function stateOf(table: VrpTable, route: string, origin: number): RpkiState {
  const cidr = parseCidr(route);
  assert.ok(cidr);
  return originState(table.covering(cidr.address, cidr.length), cidr.length, origin);
}

// RFC 6811 §2, each clause.
for (const [behaviour, roas, route, origin, want] of [
  ['no VRP at all', [], '10.0.0.0/16', 64500, 'not_found'],
  ['no VRP covers the route', [['10.1.0.0/16', 24, 64500]], '10.0.0.0/16', 64500, 'not_found'],
  [
    'a VRP that is more specific does not cover it',
    [['10.0.0.0/17', 24, 64500]],
    '10.0.0.0/16',
    64500,
    'not_found',
  ],
  ['the same prefix and AS', [['10.0.0.0/16', 16, 64500]], '10.0.0.0/16', 64500, 'valid'],
  [
    'a longer route within the maximum length',
    [['10.0.0.0/16', 20, 64500]],
    '10.0.16.0/20',
    64500,
    'valid',
  ],
  [
    'a route beyond the maximum length',
    [['10.0.0.0/16', 20, 64500]],
    '10.0.16.0/21',
    64500,
    'invalid',
  ],
  ['another AS', [['10.0.0.0/16', 16, 64501]], '10.0.0.0/16', 64500, 'invalid'],
  [
    'one of several matches',
    [
      ['10.0.0.0/8', 8, 64501],
      ['10.0.0.0/16', 16, 64501],
      ['10.0.0.0/16', 16, 64500],
    ],
    '10.0.0.0/16',
    64500,
    'valid',
  ],
  [
    'several cover, none matches: one the AS, one the length',
    [
      ['10.0.0.0/8', 8, 64500],
      ['10.0.0.0/16', 16, 64501],
    ],
    '10.0.0.0/16',
    64500,
    'invalid',
  ],
  ['AS 0 in the VRP matches no route', [['10.0.0.0/16', 16, 0]], '10.0.0.0/16', 64500, 'invalid'],
  ['AS 0 matches not even AS 0', [['10.0.0.0/16', 16, 0]], '10.0.0.0/16', 0, 'invalid'],
  [
    'AS 0 beside a match',
    [
      ['10.0.0.0/16', 16, 0],
      ['10.0.0.0/16', 16, 64500],
    ],
    '10.0.0.0/16',
    64500,
    'valid',
  ],
  ['all of the address space', [['0.0.0.0/0', 32, 64500]], '203.0.113.255/32', 64500, 'valid'],
  ['IPv6', [['2001:db8::/32', 48, 64500]], '2001:db8:1::/48', 64500, 'valid'],
  [
    'IPv6 beyond the maximum length',
    [['2001:db8::/32', 48, 64500]],
    '2001:db8:1::/49',
    64500,
    'invalid',
  ],
  [
    'a prefix of the other family with the same bits',
    [['32.1.0.0/16', 32, 64500]],
    '2001::/16',
    64500,
    'not_found',
  ],
] satisfies [string, Roa[], string, number, RpkiState][]) {
  test(`vrps: ${behaviour}: ${want}`, () => {
    assert.equal(stateOf(new VrpTable(encodeVrps(roas.map(vrp))), route, origin), want);
  });
}

const SEED = 6811;
test(`vrps: 10,000 generated routes have the state that a naive implementation says (seed ${SEED})`, () => {
  const random = seededRandom(SEED);
  const below = (limit: number) => Math.floor(random() * limit);
  const prefix = (longest: number) => {
    if (below(2) === 0)
      return `10.${below(4)}.${below(8) * 32}.${below(2) * 128}/${below(Math.min(longest, 32) + 1)}`;
    const groups = ['2001', 'db8', below(4), below(4) * 4096, below(2) * 32768, 0, 0, below(2)];
    return `${groups.map((group) => (typeof group === 'number' ? group.toString(16) : group)).join(':')}/${below(longest + 1)}`;
  };
  const roas = Array.from({ length: 1_500 }, (): Roa => {
    const text = prefix(128);
    const [address = '', lengthText = ''] = text.split('/');
    const bits = address.includes(':') ? 128 : 32;
    const length = Number(lengthText);
    return [text, Math.min(bits, length + below(6)), below(5) === 0 ? 0 : 64_496 + below(6)];
  });
  const ranges = roas.map(([text, maxLength, asn]) => {
    const range = parsePrefix(text);
    assert.ok(range);
    return { range, length: Number(text.split('/')[1]), maxLength, asn };
  });
  const tables = Array.from({ length: 30 }, (_, i) => {
    const own = ranges.slice(i * 50, (i + 1) * 50);
    return { own, table: new VrpTable(encodeVrps(roas.slice(i * 50, (i + 1) * 50).map(vrp))) };
  });
  const seen: Record<RpkiState, number> = { valid: 0, invalid: 0, not_found: 0 };
  for (let i = 0; i < 10_000; i++) {
    const route = prefix(128);
    const origin = 64_496 + below(6);
    const { own, table } = tables[i % tables.length] as (typeof tables)[number];
    const range = parsePrefix(route);
    assert.ok(range);
    const length = Number(route.split('/')[1]);
    const covering = own.filter(
      (roa) =>
        roa.range.version === range.version &&
        roa.length <= length &&
        roa.range.start <= range.start &&
        roa.range.end >= range.end,
    );
    const isValid = covering.some(
      (roa) => roa.asn === origin && roa.asn !== 0 && length <= roa.maxLength,
    );
    const covered = isValid ? 'valid' : 'invalid';
    const want = covering.length === 0 ? 'not_found' : covered;
    assert.equal(stateOf(table, route, origin), want, `${route} AS${origin}`);
    seen[want]++;
  }
  for (const count of Object.values(seen)) assert.ok(count > 200, JSON.stringify(seen));
});

for (const [behaviour, prefix, maxLength, asn] of [
  ['a maximum length below the length', '10.0.0.0/16', 15, 64500],
  ['a maximum length beyond the family', '10.0.0.0/16', 33, 64500],
  ['no AS number', '10.0.0.0/16', 16, Number.NaN],
  ['an AS number beyond 32 bits', '10.0.0.0/16', 16, 2 ** 32],
] as const) {
  test(`vrps: refused: ${behaviour}`, () => {
    const cidr = parseCidr(prefix);
    assert.ok(cidr);
    assert.equal(vrpOf(cidr.address, cidr.length, maxLength, asn), undefined);
  });
}

test('vrps: as it is shown', () => {
  assert.deepEqual(formatVrp(vrp(['2001:db8::/32', 48, 64500])), {
    asn: 64500,
    prefix: '2001:db8::/32',
    max_length: 48,
  });
});
