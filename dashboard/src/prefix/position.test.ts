import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inOrder, prefixOf } from './position.ts';

test('parts of a prefix are sorted by address, not by text', () => {
  const firsts = ['8.10.0.0', '8.9.0.0', '8.9.0.128', '8.100.0.0'].map((first) => ({ first }));
  assert.deepEqual(
    inOrder(firsts).map(({ first }) => first),
    ['8.9.0.0', '8.9.0.128', '8.10.0.0', '8.100.0.0'],
  );
});

for (const [first, last, want] of [
  ['8.0.0.0', '8.0.15.255', '8.0.0.0/20'],
  ['8.0.16.0', '8.0.47.255', undefined],
  ['2001:db8::', '2001:db8::ffff:ffff:ffff:ffff', '2001:db8::/64'],
  ['8.0.0.1', '8.0.0.2', undefined],
] as const) {
  test(`parts of a prefix: ${first} to ${last} is ${want ?? 'no prefix'}`, () =>
    assert.equal(prefixOf(first, last), want));
}
