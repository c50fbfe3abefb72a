import assert from 'node:assert/strict';
import test from 'node:test';
import { RequestRates } from './request-rates.ts';

/** Requests that are admitted of `count` at each of these times, in milliseconds. */
function admitted(perSecond: number, count: number, atMs: readonly number[]): number[] {
  let nowMs = 0;
  const rates = new RequestRates(() => nowMs);
  return atMs.map((at) => {
    nowMs = at;
    return Array.from({ length: count }, () => rates.take('key', perSecond)).filter(
      (isAdmitted) => isAdmitted,
    ).length;
  });
}

for (const [behaviour, perSecond, atMs, want] of [
  ['the requests of a second may come at once', 5, [0, 0], [5, 0]],
  ['half a second later half of them', 4, [0, 500], [4, 2]],
  ['a pause does not save up more than a second', 3, [0, 60_000], [3, 3]],
  ['one a second', 1, [0, 999, 1_000], [1, 0, 1]],
  ['more a second than are asked for', 100, [0, 10], [10, 10]],
] as const) {
  test(`request rates: ${behaviour}`, () => assert.deepEqual(admitted(perSecond, 10, atMs), want));
}

test('request rates: in any period, at most the rate times the period and one second more', () => {
  let nowMs = 0;
  const rates = new RequestRates(() => nowMs);
  let count = 0;
  for (; nowMs < 10_000; nowMs += 7) if (rates.take('key', 20)) count++;
  assert.ok(count <= 20 * 11, `${count}`);
});

test('request rates: a rate that was lowered applies at once, and keys do not share a bucket', () => {
  const rates = new RequestRates(() => 0);
  assert.ok(rates.take('one', 100));
  const lowered = Array.from({ length: 5 }, () => rates.take('one', 2));
  assert.deepEqual(lowered, [true, true, false, false, false]);
  assert.ok(rates.take('two', 1));
});
