import assert from 'node:assert/strict';
import test from 'node:test';
import { parseAddress } from '@whence/dataset/address';
import { datasetOf, sampleInput } from '@whence/dataset/test/sample-dataset';
import { parseVrps } from './parse-vrps.ts';
import {
  countStates,
  originNumbers,
  prefixStates,
  recordState,
  routingOf,
  withPartStates,
} from './routing.ts';
import { encodeVrps, VrpTable } from './vrps.ts';

const input = sampleInput({
  routes: [
    ['9.0.0.0/16', 64500, 'One'],
    ['9.1.0.0/16', 64501, 'Two'],
    ['2a00::/32', 64500, 'One'],
  ],
});
const [routes] = input.routes;
assert.ok(routes);
const other = (version: 4 | 6, start: bigint, length: number, asn: number) => ({
  version,
  start,
  length,
  asn,
});
const dataset = datasetOf({
  ...input,
  routes: [
    {
      ...routes,
      otherOrigins: [
        other(4, 0x0900_0000n, 16, 64501),
        other(4, 0x0900_0000n, 16, 64510),
        other(6, 0x2a00n << 112n, 32, 64501),
      ],
    },
  ],
});

for (const [behaviour, ip, want] of [
  ['one network', '9.1.0.1', [{ asn: 64501, asn_name: 'Two' }]],
  [
    'several networks',
    '9.0.0.1',
    [{ asn: 64500, asn_name: 'One' }, { asn: 64501, asn_name: 'Two' }, { asn: 64510 }],
  ],
  [
    'IPv6',
    '2a00::1',
    [
      { asn: 64500, asn_name: 'One' },
      { asn: 64501, asn_name: 'Two' },
    ],
  ],
] as const) {
  test(`routing: ${behaviour}`, () => {
    const address = parseAddress(ip);
    assert.ok(address);
    const { connection_type_source, ...rest } = routingOf({
      dataset,
      address,
      match: dataset.find(address),
    });
    assert.ok(connection_type_source === 'signals' || connection_type_source === 'assumed');
    assert.deepEqual(rest, { origins: want });
  });
}

test('routing: the state of each origin, and the ROAs that decide', () => {
  const roas = [
    { asn: 64500, prefix: '9.0.0.0/16', maxLength: 16 },
    { asn: 64510, prefix: '9.0.0.0/8', maxLength: 24 },
    { asn: 64999, prefix: '9.0.0.0/8', maxLength: 8 },
  ];
  const vrps = new VrpTable(encodeVrps(parseVrps(JSON.stringify({ roas })).vrps));
  const of = (ip: string) => {
    const address = parseAddress(ip);
    assert.ok(address);
    return routingOf({ dataset, address, match: dataset.find(address) }, vrps);
  };
  const several = of('9.0.0.1');
  assert.deepEqual(
    several.origins.map(({ asn, rpki }) => [asn, rpki]),
    [
      [64500, 'valid'],
      [64501, 'invalid'],
      [64510, 'valid'],
    ],
  );
  assert.equal(several.roas?.length, 3);
  assert.deepEqual(of('2a00::1').origins[0], { asn: 64500, asn_name: 'One', rpki: 'not_found' });
  assert.equal(of('2a00::1').roas, undefined);
  assert.deepEqual(of('9.1.0.1').roas?.[0], { asn: 64510, prefix: '9.0.0.0/8', max_length: 24 });
});

test('routing: the state of each prefix of a network', async () => {
  const roas = [
    { asn: 64500, prefix: '9.0.0.0/16', maxLength: 17 },
    { asn: 64501, prefix: '2a00::/32', maxLength: 32 },
  ];
  const vrps = new VrpTable(encodeVrps(parseVrps(JSON.stringify({ roas })).vrps));
  const prefixes = ['9.0.0.0/17', '9.0.0.0/24', '9.1.0.0/16', '2a00::/32'];
  const states = await prefixStates({ dataset, vrps }, 64500, prefixes, () => undefined);
  assert.deepEqual(states, ['valid', 'invalid', 'not_found', 'invalid']);
});

const derived = datasetOf({ ...input, routes: [{ ...routes, isDerived: true }] });

test('routing: a prefix that may be wider than what is announced has no RPKI state, in answers, counts and parts', async () => {
  const roas = [{ asn: 64500, prefix: '9.0.0.0/17', maxLength: 17 }];
  const vrps = new VrpTable(encodeVrps(parseVrps(JSON.stringify({ roas })).vrps));
  const address = parseAddress('9.0.0.1');
  assert.ok(address);
  const { origins, ...rest } = routingOf(
    { dataset: derived, address, match: derived.find(address) },
    vrps,
  );
  assert.deepEqual(origins, [{ asn: 64500, asn_name: 'One' }]);
  assert.deepEqual(rest, { prefix_is_derived: true, connection_type_source: 'signals' });
  assert.equal(recordState(derived, address, derived.find(address), vrps), undefined);
  assert.deepEqual(await countStates(derived, 64500, vrps), {
    rpki: { valid: 0, invalid: 0, not_found: 0, derived: 2 },
  });
  assert.deepEqual(
    await prefixStates({ dataset: derived, vrps }, 64500, ['9.0.0.0/16'], () => undefined),
    [null],
  );
  const part = { prefix: '9.0.0.0/16', asn: 64500 };
  assert.deepEqual(
    JSON.parse(withPartStates(JSON.stringify({ parts: [part] }), derived, vrps)).parts,
    [{ ...part, prefix_is_derived: true }],
  );
});

for (const [behaviour, peers, origins, rare] of [
  ['an origin that four peers see beside one that 51 see is rare', [51, 4], [64500], [64501]],
  ['one that five peers see is not', [51, 5], [64500, 64501], undefined],
  ['beside one that 50 peers see, none is rare', [50, 1], [64500, 64501], undefined],
] as const) {
  test(`routing: ${behaviour}`, () => {
    const seen = peers.map((count, i) => ({
      ...other(4, 0x0900_0000n, 16, 64500 + i),
      peers: count,
    }));
    const several = datasetOf({ ...input, routes: [{ ...routes, otherOrigins: seen }] });
    const address = parseAddress('9.0.0.1');
    assert.ok(address);
    const routing = routingOf({ dataset: several, address, match: several.find(address) });
    assert.deepEqual(
      [routing.origins.map(({ asn }) => asn), routing.rare_origins?.map(({ asn }) => asn)],
      [origins, rare],
    );
    assert.deepEqual(routing.origins[0], { asn: 64500, asn_name: 'One', peers: peers[0] });
    assert.deepEqual(originNumbers(several, address, several.find(address)), origins);
  });
}

test('routing: the same payload of two trust anchors is listed once', () => {
  const roa = { asn: 64500, prefix: '9.0.0.0/16', maxLength: 16 };
  const vrps = new VrpTable(
    encodeVrps(parseVrps(JSON.stringify({ roas: [roa, { ...roa, ta: 'other' }] })).vrps),
  );
  const address = parseAddress('9.0.0.1');
  assert.ok(address);
  const one = datasetOf(input);
  assert.equal(
    routingOf({ dataset: one, address, match: one.find(address) }, vrps).roas?.length,
    1,
  );
});
