import assert from 'node:assert/strict';
import test from 'node:test';
import { parsePrefix } from '../prefix.ts';
import { addressTypes } from './address-types.ts';

test('address types: prefixes start on their own boundary, are not wider than an allocation, and do not overlap', () => {
  const ranges = addressTypes.map(([prefix]) => {
    const range = parsePrefix(prefix);
    assert.ok(range !== undefined, prefix);
    const [address = '', length] = prefix.split('/');
    assert.equal(parsePrefix(address)?.start, range.start, prefix);
    assert.ok(Number(length) >= (range.version === 4 ? 11 : 24), prefix);
    return range;
  });
  for (const [i, a] of ranges.entries())
    for (const b of ranges.slice(i + 1))
      assert.ok(a.version !== b.version || a.end < b.start || b.end < a.start, `${addressTypes[i]?.[0]} overlaps`);
});
