import assert from 'node:assert/strict';
import test from 'node:test';
import { until } from '@whence/testing/until';
import { Overload } from './overload.ts';

/** More than a second later than the timer was due, which may be 100 ms after the start. */
const BLOCKED_MS = 1_150;

/** Keeps the event loop from turning. */
function block(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/** A timer that is set now runs after those that are due already. */
const overdueTimersRun = () => new Promise((resolve) => setTimeout(resolve));

test('overload: an event loop that is late repeatedly, not one that was blocked once', async () => {
  const overload = new Overload();
  overload.start();
  block(BLOCKED_MS);
  await overdueTimersRun();
  assert.ok(overload.lagSeconds > 1);
  assert.equal(overload.isOverloaded, false, 'once');
  for (let turn = 0; turn < 3; turn++) {
    block(BLOCKED_MS);
    await overdueTimersRun();
  }
  assert.equal(overload.isOverloaded, true, 'again and again');
  await until('the overload is over', () => !overload.isOverloaded);
  overload.stop();
});

for (const [connections, isLate, isRefused] of [
  ['wait too long', true, true],
  ['do not', false, false],
] as const)
  test(`overload: work with a queue is ${isRefused ? '' : 'not '}refused while new connections ${connections}`, () => {
    const overload = new Overload({ isLate });
    assert.equal(overload.refusesQueuedWork, isRefused);
    assert.equal(overload.isOverloaded, false);
  });

test('overload: late timers refuse work with a queue where connections cannot be measured', async () => {
  const overload = new Overload({ isLate: undefined });
  overload.start();
  for (let turn = 0; turn < 3; turn++) {
    block(BLOCKED_MS / 2 + 100);
    await overdueTimersRun();
  }
  assert.equal(overload.refusesQueuedWork, true);
  await until('it is over', () => !overload.refusesQueuedWork);
  overload.stop();
});
