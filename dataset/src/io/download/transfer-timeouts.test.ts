import assert from 'node:assert/strict';
import test from 'node:test';
import { MIN_RATE, TransferRate } from './transfer-timeouts.ts';

/** After how many seconds of waiting it is too slow, if `bytes` come every `seconds`. */
function secondsUntilTooSlow(bytes: number, seconds: number): number | undefined {
  const rate = new TransferRate(MIN_RATE);
  for (let waited = seconds; waited <= 600; waited += seconds)
    if (rate.isTooSlow(bytes, seconds * 1000)) return waited;
  return undefined;
}

for (const [behaviour, bytes, seconds, want] of [
  ['a byte every 4 s is given up after one window', 1, 4, 32],
  ['a byte every 29 s, just before the idle timeout, after two', 1, 29, 58],
  ['999 bytes a second', 999, 1, 30],
  ['1,000 bytes a second are enough', 1000, 1, undefined],
  ['30 kB every 29 s are enough', 30_000, 29, undefined],
] as const)
  test(`transfer rate: ${behaviour}`, () =>
    assert.equal(secondsUntilTooSlow(bytes, seconds), want));

test('transfer rate: a fast beginning does not pay for a slow end', () => {
  const rate = new TransferRate(MIN_RATE);
  assert.equal(rate.isTooSlow(50_000_000, 31_000), false);
  assert.equal(rate.isTooSlow(1, 31_000), true);
});
