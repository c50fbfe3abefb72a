import assert from 'node:assert/strict';
import test from 'node:test';
import { parseAddress } from '@whence/dataset/address';
import { datasetOf, sampleInput } from '@whence/dataset/internal/test/sample-dataset';
import { parseVrps } from './parse-vrps.ts';
import { prefixStates, routingOf } from './routing.ts';
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
const other = (version: 4 | 6, start: bigint, length: number, asn: number) => ({ version, start, length, asn });
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
  ['several networks', '9.0.0.1', [{ asn: 64500, asn_name: 'One' }, { asn: 64501, asn_name: 'Two' }, { asn: 64510 }]],
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
    assert.deepEqual(routingOf({ dataset, address, match: dataset.find(address) }), { origins: want });
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
  const states = await prefixStates(vrps, 64500, prefixes, () => undefined);
  assert.deepEqual(states, ['valid', 'invalid', 'not_found', 'invalid']);
});
