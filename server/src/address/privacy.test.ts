import assert from 'node:assert/strict';
import test from 'node:test';
import { parseAddress } from '@whence/dataset/address';
import { withOverrides } from '@whence/dataset/overlaid-dataset';
import { parseOverrides } from '@whence/dataset/overrides';
import { datasetOf, type Sample, sampleInput } from '@whence/dataset/test/sample-dataset';
import { privacyOf } from './privacy.ts';

const SAMPLE: Sample = {
  routes: [['9.0.0.0/8', 64500, 'Example GmbH']],
  tor: [
    ['9.1.0.1/32', 'Relay Friends'],
    ['9.1.0.2/32', 'Relay Friends'],
  ],
  anonymous: [
    ['9.1.0.2/32', 'vpn', 'Example VPN'],
    ['9.2.0.0/24', 'vpn', 'Example VPN'],
    ['9.2.0.0/24', 'vpn', 'Second VPN'],
    ['9.3.0.0/24', 'vpn'],
    ['9.4.0.0/24', 'relay', 'Example Relay'],
    ['9.4.0.128/25', 'vpn', 'Example VPN'],
    ['9.5.0.0/24', 'proxy'],
    ['9.6.0.0/24', 'vpn', 'Example VPN'],
    ['9.6.0.0/24', 'proxy'],
  ],
};

const dataset = datasetOf(sampleInput(SAMPLE));

for (const [behaviour, ip, want] of [
  ['an ordinary address has none', '9.0.0.1', undefined],
  ['a Tor exit; its operator is not the service', '9.1.0.1', { kind: 'tor' }],
  ['a Tor exit on the list of a VPN service', '9.1.0.2', { kind: 'tor' }],
  [
    'a VPN with its service, the first that names it',
    '9.2.0.7',
    { kind: 'vpn', service: 'Example VPN' },
  ],
  ['a VPN whose service is not known', '9.3.0.7', { kind: 'vpn' }],
  ['a relay', '9.4.0.7', { kind: 'relay', service: 'Example Relay' }],
  [
    'a relay on the list of a VPN service',
    '9.4.0.200',
    { kind: 'relay', service: 'Example Relay' },
  ],
  ['a proxy', '9.5.0.7', { kind: 'proxy' }],
  ['a VPN on a list of proxies', '9.6.0.7', { kind: 'vpn', service: 'Example VPN' }],
] as const) {
  test(`privacy: ${behaviour}`, () => assert.deepEqual(privacyIn(dataset, ip), want));
}

test('privacy: an override of the operator decides', () => {
  const relabel = [
    { prefix: '9.2.0.0/24', is_vpn: false },
    { prefix: '9.4.0.0/24', is_vpn: true },
  ];
  const overrides = parseOverrides(JSON.stringify({ relabel }), '2026-11-01');
  const overridden = withOverrides(dataset, overrides);
  assert.equal(privacyIn(overridden, '9.2.0.7'), undefined);
  assert.deepEqual(privacyIn(overridden, '9.4.0.7'), { kind: 'vpn' });
});

function privacyIn(from: typeof dataset, ip: string) {
  const address = parseAddress(ip);
  assert.ok(address);
  return privacyOf(from, from.find(address));
}
