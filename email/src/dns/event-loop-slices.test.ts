import assert from 'node:assert/strict';
import test from 'node:test';
import { EventLoopSlices } from './event-loop-slices.ts';

/** Occupies the thread. */
function work(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

test('event loop slices: the event loop goes round after a few of them', async () => {
  const slices = new EventLoopSlices();
  let isOver = false;
  let sinceLastRound = 0;
  let most = 0;
  const onRound = () => {
    sinceLastRound = 0;
    if (!isOver) setImmediate(onRound);
  };
  setImmediate(onRound);
  await Promise.all(
    Array.from({ length: 40 }, async () => {
      await slices.next();
      // The work of a turn may be in promise callbacks.
      await Promise.resolve();
      work(2);
      most = Math.max(most, ++sinceLastRound);
    }),
  );
  isOver = true;
  assert.ok(most <= 4, `${most} steps of 2 ms without yielding`);
});

test('event loop slices: one is over, with its promise callbacks, before the next begins', async () => {
  const slices = new EventLoopSlices();
  const events: string[] = [];
  await Promise.all(
    Array.from({ length: 20 }, async (_, i) => {
      await slices.next();
      work(1);
      events.push(`begin ${i}`);
      for (let hop = 0; hop < 10; hop++) await Promise.resolve();
      events.push(`end ${i}`);
    }),
  );
  assert.deepEqual(events, Array.from({ length: 20 }, (_, i) => [`begin ${i}`, `end ${i}`]).flat());
});

test('event loop slices: one alone does not wait', async () => {
  let rounds = 0;
  setImmediate(() => rounds++);
  await new EventLoopSlices().next();
  assert.equal(rounds, 0);
});
