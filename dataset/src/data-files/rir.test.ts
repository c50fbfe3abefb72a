import assert from 'node:assert/strict';
import test from 'node:test';
import type { Rir } from '../record.ts';
import { ianaLayer, rirOfAsn, rirOfCountry, rirOfIpv4, rirOfNetwork } from './rir.ts';

for (const [behaviour, base, region, origin, want] of [
  ['without a country IANA decides', 'RIPE', undefined, 'ARIN', 'RIPE'],
  ['with an agreeing country IANA decides', 'ARIN', 'ARIN', 'RIPE', 'ARIN'],
  ['RIPE, registered in the United States', 'RIPE', 'ARIN', 'ARIN', 'RIPE'],
  ['RIPE, transferred to AFRINIC', 'RIPE', 'AFRINIC', 'RIPE', 'AFRINIC'],
  ['RIPE, transferred to APNIC with its network', 'RIPE', 'APNIC', 'APNIC', 'APNIC'],
  ['RIPE, used in Asia by a RIPE network', 'RIPE', 'APNIC', 'RIPE', 'RIPE'],
  ['AFRINIC, used in Europe', 'AFRINIC', 'RIPE', 'AFRINIC', 'AFRINIC'],
  ['AFRINIC, transferred to RIPE', 'AFRINIC', 'RIPE', 'RIPE', 'RIPE'],
  ['AFRINIC elsewhere follows the country', 'AFRINIC', 'ARIN', 'AFRINIC', 'ARIN'],
  ['ARIN follows the country', 'ARIN', 'APNIC', 'APNIC', 'APNIC'],
  ['ARIN, used in Asia by a RIPE network', 'ARIN', 'APNIC', 'RIPE', 'RIPE'],
  ['APNIC follows the network', 'APNIC', 'ARIN', 'APNIC', 'APNIC'],
  ['APNIC, transferred to RIPE', 'APNIC', 'ARIN', 'RIPE', 'RIPE'],
  ['APNIC otherwise follows the country', 'APNIC', 'ARIN', 'ARIN', 'ARIN'],
  ['LACNIC follows the network', 'LACNIC', 'ARIN', 'LACNIC', 'LACNIC'],
  ['LACNIC otherwise follows the country', 'LACNIC', 'RIPE', 'ARIN', 'RIPE'],
] as const satisfies readonly (readonly [string, Rir, Rir | undefined, Rir, Rir])[]) {
  test(`rir: ${behaviour}`, () => assert.equal(rirOfIpv4(base, region, origin), want));
}

for (const [asn, want] of [
  [1, 'ARIN'],
  [1877, 'RIPE'],
  [3320, 'RIPE'],
  [4713, 'APNIC'],
  [15169, 'ARIN'],
  [27680, 'LACNIC'],
  [36992, 'AFRINIC'],
  [0, undefined],
  [64512, undefined],
  [4294967295, undefined],
] as const) {
  test(`rir: AS${asn} is allocated to ${want ?? 'no registry'}`, () =>
    assert.equal(rirOfAsn(asn), want));
}

for (const [behaviour, asn, region, want] of [
  ['a number that ARIN kept', 15169, 'ARIN', 'ARIN'],
  ['an early number that ARIN transferred (China Telecom)', 4134, 'APNIC', 'APNIC'],
  ['a number of ARIN in Ireland (Facebook)', 32934, 'RIPE', 'ARIN'],
  ['an early number of RIPE that AFRINIC keeps (Maroc Telecom)', 6713, 'AFRINIC', 'AFRINIC'],
  ['an Egyptian number that RIPE kept (Telecom Egypt)', 8452, 'AFRINIC', 'RIPE'],
  ['a 32-bit number of ARIN used abroad', 396982, 'APNIC', 'ARIN'],
  ['a RIPE number used in the United States', 3320, 'ARIN', 'RIPE'],
  ['an unlisted number follows its country', 64512, 'LACNIC', 'LACNIC'],
  ['nothing known', 64512, undefined, 'ARIN'],
] as const) {
  test(`rir: of a network: ${behaviour}`, () => assert.equal(rirOfNetwork(asn, region), want));
}

test('rir: countries by service region', () => {
  assert.deepEqual(['US', 'DE', 'JP', 'BR', 'ZA', 'XX'].map(rirOfCountry), [
    'ARIN',
    'RIPE',
    'APNIC',
    'LACNIC',
    'AFRINIC',
    undefined,
  ]);
});

test('rir: every unicast /8 of IPv4 except 0, 10 and 127 has a registry', () => {
  const { starts, ends } = ianaLayer(4);
  const isCovered = (octet: number) => {
    const address = BigInt(octet) << 24n;
    return starts.some((start, i) => start <= address && address <= (ends[i] as bigint));
  };
  const missing = Array.from({ length: 224 }, (_, octet) => octet).filter(
    (octet) => !isCovered(octet),
  );
  assert.deepEqual(missing, [0, 10, 127]);
});
