import assert from 'node:assert/strict';
import test from 'node:test';
import { parseAddress } from '../../address.ts';
import { datasetOf, ranges, sampleInput, source } from '../../test/sample-dataset.ts';
import type { Overlay } from '../input/compile-input.ts';

const vpnList = (
  id: string,
  prefixes: readonly string[],
  more: Partial<Overlay> = {},
): Overlay => ({
  source: source(id),
  drives: ['is_vpn'],
  ranges: ranges(prefixes.map((prefix) => [prefix, 0])),
  statements: [{}],
  ...more,
});
const generic = (...prefixes: string[]) => vpnList('generic', prefixes, { isGeneric: true });
const service = (...prefixes: string[]) =>
  vpnList('service', prefixes, { operator: 'Example VPN' });

/**
 * Ten announced /20s of a hosting network, one of them in more specific parts, and a network of
 * another operator.
 */
const ROUTES = [
  ...Array.from(
    { length: 10 },
    (_, i) => [`5.0.${i * 16}.0/20`, 64500, 'Example Hosting'] as const,
  ),
  ['5.0.16.0/22', 64500, 'Example Hosting'],
  ['5.1.0.0/16', 64501, 'Second'],
  ['2a00:1::/32', 64500, 'Example Hosting'],
  ['2a00:2::/47', 64500, 'Example Hosting'],
] as const;

for (const [behaviour, overlays, flagged, spared] of [
  [
    'a whole network without known servers says nothing',
    [generic('5.0.0.0/16')],
    [],
    ['5.0.0.1', '5.0.144.9'],
  ],
  [
    'a /24 that holds a server of a service is a VPN',
    [generic('5.0.0.0/16'), service('5.0.32.7')],
    ['5.0.32.7', '5.0.32.200'],
    ['5.0.33.1', '5.0.48.1'],
  ],
  [
    'an announced prefix in which servers are dense is a VPN as a whole',
    [generic('5.0.0.0/16'), service('5.0.32.7', '5.0.40.7')],
    ['5.0.32.7', '5.0.33.1', '5.0.47.255'],
    ['5.0.31.1', '5.0.48.1'],
  ],
  [
    'the announced prefix is the most specific one',
    [generic('5.0.0.0/16'), service('5.0.17.7')],
    ['5.0.16.1', '5.0.19.1'],
    ['5.0.20.1'],
  ],
  [
    'a dense prefix does not reach beyond the list',
    [generic('5.0.32.0/21'), service('5.0.32.7', '5.0.33.7')],
    ['5.0.39.1'],
    ['5.0.40.1'],
  ],
  [
    'rows narrower than a /24 name servers',
    [generic('5.1.7.8/29', '5.1.9.9')],
    ['5.1.7.9', '5.1.9.9'],
    ['5.1.9.8'],
  ],
  [
    'servers of one generic list confirm the networks of another',
    [generic('5.0.0.0/16'), vpnList('hosts', ['5.0.32.7'], { isGeneric: true })],
    ['5.0.32.9'],
    ['5.0.48.1'],
  ],
  [
    'exits of a relay are not known servers',
    [generic('5.0.0.0/16'), vpnList('relay', ['5.0.32.7'], { isRelay: true })],
    [],
    ['5.0.32.9', '5.0.32.7'],
  ],
  [
    'IPv6: a /48 with a server, and no more of its network',
    [generic('2a00:1::/32'), service('2a00:1:5::7')],
    ['2a00:1:5::9'],
    ['2a00:1:6::9'],
  ],
  [
    'IPv6: a dense prefix',
    [generic('2a00:2::/32'), service('2a00:2::7')],
    ['2a00:2:1::9'],
    ['2a00:1::9'],
  ],
  [
    'two servers make a /24 of a hosting network a VPN',
    [generic('5.0.32.7', '5.0.32.90')],
    ['5.0.32.7', '5.0.32.200'],
    ['5.0.33.1'],
  ],
  ['one server does not', [generic('5.0.32.7')], ['5.0.32.7'], ['5.0.32.200']],
  [
    'two servers do not in a network of another kind',
    [generic('5.1.9.7', '5.1.9.90')],
    ['5.1.9.7', '5.1.9.90'],
    ['5.1.9.200'],
  ],
  [
    'servers that a service lists itself have no neighbours',
    [generic('5.1.9.1'), service('5.0.32.7', '5.0.32.90')],
    ['5.0.32.90'],
    ['5.0.32.200'],
  ],
  [
    'a list that is not generic is taken at its word',
    [vpnList('own', ['5.0.0.0/16'])],
    ['5.0.99.1'],
    ['5.1.0.1'],
  ],
] as const) {
  test(`generic VPN lists: ${behaviour}`, () => {
    const data = datasetOf({ ...sampleInput({ routes: ROUTES }), overlays });
    const isVpn = (ip: string) => {
      const address = parseAddress(ip);
      assert.ok(address);
      return data.record(address, data.find(address)).detection.is_vpn;
    };
    assert.deepEqual(
      flagged.filter((ip) => !isVpn(ip)),
      [],
    );
    assert.deepEqual(
      spared.filter((ip) => isVpn(ip)),
      [],
    );
  });
}
