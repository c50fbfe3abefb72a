import assert from 'node:assert/strict';
import test from 'node:test';
import { networkByHand } from './networks.ts';
import { isFitted, typeLabels } from './type-labels.ts';

test('type labels: each is an AS number that the hand-written table does not have', () => {
  for (const [asn] of typeLabels) {
    assert.ok(Number.isInteger(asn) && asn > 0, String(asn));
    assert.equal(networkByHand(asn), undefined, `AS${asn}`);
  }
});

test('type labels: both parts have labels of each kind that signals decide', () => {
  for (const type of ['residential', 'datacenter', 'business'])
    for (const fitted of [true, false]) {
      const labels = [...typeLabels].filter(([asn, label]) => label === type && isFitted(asn) === fitted);
      assert.ok(labels.length >= 80, `${type}: ${labels.length}`);
    }
});
