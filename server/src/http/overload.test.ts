import assert from 'node:assert/strict';
import test from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Overload } from './overload.ts';

/** Keeps the event loop from turning. */
function block(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

test('overload: a loop that is late again and again, not one that was stopped once', async () => {
  const overload = new Overload();
  overload.start();
  block(1_300);
  await sleep(1);
  assert.ok(overload.lagSeconds > 1);
  assert.equal(overload.isOverloaded, false, 'once');
  for (let turn = 0; turn < 3; turn++) {
    block(1_300);
    await sleep(1);
  }
  assert.equal(overload.isOverloaded, true, 'again and again');
  await sleep(400);
  assert.equal(overload.isOverloaded, false, 'it is over');
  overload.stop();
});
