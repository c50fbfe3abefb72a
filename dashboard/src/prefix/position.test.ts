import assert from 'node:assert/strict';
import { test } from 'node:test';
import { positionIn } from './position.ts';

for (const [behaviour, prefix, first, last, want] of [
  ['the whole prefix', '192.0.2.0/24', '192.0.2.0', '192.0.2.255', { start: 0, length: 1 }],
  ['the second half', '192.0.2.0/24', '192.0.2.128', '192.0.2.255', { start: 0.5, length: 0.5 }],
  [
    'a quarter of an IPv6 prefix',
    '2001:db8::/32',
    '2001:db8:4000::',
    '2001:db8:7fff:ffff:ffff:ffff:ffff:ffff',
    { start: 0.25, length: 0.25 },
  ],
  ['an invalid address', '192.0.2.0/24', 'x', '192.0.2.255', undefined],
] as const) {
  test(`position in a prefix: ${behaviour}`, () => assert.deepEqual(positionIn(prefix, first, last), want));
}
