import assert from 'node:assert/strict';
import test from 'node:test';
import { GuessThrottle } from './guess-throttle.ts';

function throttle() {
  const clock = { nowMs: 1_000_000 };
  return { clock, guesses: new GuessThrottle(() => clock.nowMs) };
}

test('guess throttle: 20 attempts at once, then ten a second by waiting, then refusal', () => {
  const { guesses } = throttle();
  const waits = Array.from({ length: 45 }, () => guesses.attempt('192.0.2.1'));
  assert.deepEqual(waits.slice(0, 21), new Array(21).fill(0));
  assert.deepEqual(waits.slice(21, 24), [100, 200, 300]);
  assert.equal(waits[40], 2_000);
  assert.deepEqual(waits.slice(41), [undefined, undefined, undefined, undefined]);
});

test('guess throttle: an address that has stopped trying is free again', () => {
  const { clock, guesses } = throttle();
  for (let i = 0; i < 100; i++) guesses.attempt('192.0.2.1');
  clock.nowMs += 10_000;
  assert.equal(guesses.attempt('192.0.2.1'), 0);
});

test('guess throttle: keys that are found do not count', () => {
  const { guesses } = throttle();
  for (let i = 0; i < 1_000; i++) {
    assert.equal(guesses.attempt('192.0.2.1'), 0);
    guesses.succeeded('192.0.2.1');
  }
});

for (const [behaviour, first, second, isShared] of [
  ['another IPv4 address is not slowed down', '192.0.2.1', '198.51.100.7', false],
  ['the addresses of a /64 count as one', '2001:db8:1:2::1', '2001:db8:1:2:ffff::9', true],
  ['also where zeros are left out', '2001:db8::1', '2001:db8::2:0:0:9', true],
  [
    'an IPv4 client on a socket of both versions is the same client',
    '192.0.2.1',
    '::ffff:192.0.2.1',
    true,
  ],
  [
    'IPv4 clients on such a socket are different clients',
    '::ffff:192.0.2.1',
    '::ffff:198.51.100.7',
    false,
  ],
  ['another /64 is another client', '2001:db8:1:2::1', '2001:db8:1:3::1', false],
] as const) {
  test(`guess throttle: ${behaviour}`, () => {
    // By chance two addresses may share a slot, once in 65,536 seeds.
    const { guesses } = throttle();
    for (let i = 0; i < 100; i++) guesses.attempt(first);
    assert.equal(guesses.attempt(second), isShared ? undefined : 0);
  });
}
