import assert from 'node:assert/strict';
import test from 'node:test';
import { NetworkListBuilder } from './network-list.ts';

for (const [behaviour, asn, want, skipped] of [
  ['a number', 64496, [64496], 0],
  ['a text of digits', ' 64496', [64496], 0],
  ['with the prefix AS', 'as64496', [64496], 0],
  ['the highest AS number', '4294967295', [4294967295], 0],
  ['above the highest AS number', '4294967296', [], 1],
  ['AS 0 is left out and does not count as skipped', 'AS0', [], 0],
  ['a fraction', 64496.5, [], 1],
  ['a negative number', -1, [], 1],
  ['not a number', 'ASN', [], 1],
  ['undefined', undefined, [], 1],
] as const) {
  test(`network-list: ${behaviour}`, () => {
    const list = new NetworkListBuilder();
    list.add(asn);
    const read = list.finish();
    assert.deepEqual([...read.networks], want);
    assert.deepEqual([read.records, read.skipped], [want.length, skipped]);
  });
}
