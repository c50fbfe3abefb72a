import assert from 'node:assert/strict';
import test from 'node:test';
import { networkByHand, networkRows } from './networks.ts';

test('networks: each AS number is listed once', () => {
  const seen = new Map<number, string>();
  const repeated = networkRows.flatMap(([asn, { owner }]) => {
    const before = seen.get(asn);
    seen.set(asn, owner);
    return before === undefined ? [] : `AS${asn}: ${before}, ${owner}`;
  });
  assert.deepEqual(repeated, []);
});

test('networks: numbers are public AS numbers and names are short', () => {
  for (const [asn, { owner }] of networkRows) {
    assert.ok(Number.isInteger(asn) && asn > 0 && asn < 4_200_000_000 && (asn < 64_496 || asn > 131_071), `AS${asn}`);
    assert.ok(owner.length > 0 && owner.length <= 48, `AS${asn}: ${owner}`);
  }
});

for (const [asn, role, why] of [
  [22394, 'mobile', 'named Verizon Business, carries Verizon Wireless handsets'],
  [21928, 'mobile', 'T-Mobile US'],
  [20057, 'mobile', 'AT&T Mobility'],
  [55836, 'mobile', 'Reliance Jio'],
  [29465, 'mobile', 'MTN Nigeria, though two public lists call it hosting'],
  [7922, 'residential', 'Comcast'],
  [3320, 'residential', 'Deutsche Telekom'],
  [29447, 'residential', 'named Scaleway, is Iliad Italia'],
  [16591, 'residential', 'Google Fiber is not Google Cloud'],
  [14593, 'residential', 'Starlink'],
  [4538, 'education', 'CERNET'],
  [749, 'business', 'US Department of Defense'],
  [9009, 'datacenter', 'M247 is a hoster, not a VPN operator'],
] as const) {
  test(`networks: AS${asn} is ${role}: ${why}`, () => {
    const network = networkByHand(asn);
    assert.equal(network?.role, role);
    assert.equal(network.vpn, undefined);
    assert.equal(network.provider, undefined);
  });
}

for (const [asn, provider] of [
  [16509, 'AWS'],
  [8075, 'Azure'],
  [396982, 'Google Cloud'],
  [31898, 'Oracle Cloud'],
  [13335, 'Cloudflare'],
  [54113, 'Fastly'],
  [20940, 'Akamai'],
  [14061, 'DigitalOcean'],
  [63949, 'Linode'],
  [20473, 'Vultr'],
  [24940, 'Hetzner'],
  [16276, 'OVH'],
  [12876, 'Scaleway'],
  [36351, 'IBM Cloud'],
  [45102, 'Alibaba Cloud'],
  [132203, 'Tencent Cloud'],
  [136907, 'Huawei Cloud'],
  [36459, 'GitHub'],
] as const) {
  test(`networks: AS${asn} is ${provider}`, () => {
    assert.deepEqual(networkByHand(asn), { role: 'datacenter', owner: provider, provider });
  });
}

test('networks: an AS number of a VPN operator is a VPN in a datacenter', () => {
  assert.deepEqual(networkByHand(209854), { role: 'datacenter', owner: 'Surfshark', vpn: 'Surfshark' });
});
