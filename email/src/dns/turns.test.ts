import assert from 'node:assert/strict';
import test from 'node:test';
import { Turns } from './turns.ts';

/** Occupies the thread. */
function work(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

test('turns: the event loop goes round after a few of them', async () => {
  const turns = new Turns();
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
      await turns.take();
      // The work of a turn may be in promise callbacks.
      await Promise.resolve();
      work(2);
      most = Math.max(most, ++sinceLastRound);
    }),
  );
  isOver = true;
  assert.ok(most <= 4, `${most} turns of 2 ms without giving way`);
});

test('turns: one is over, with its promise callbacks, before the next begins', async () => {
  const turns = new Turns();
  const events: string[] = [];
  await Promise.all(
    Array.from({ length: 20 }, async (_, i) => {
      await turns.take();
      work(1);
      events.push(`begin ${i}`);
      for (let hop = 0; hop < 10; hop++) await Promise.resolve();
      events.push(`end ${i}`);
    }),
  );
  assert.deepEqual(events, Array.from({ length: 20 }, (_, i) => [`begin ${i}`, `end ${i}`]).flat());
});

test('turns: one alone does not wait', async () => {
  let rounds = 0;
  setImmediate(() => rounds++);
  await new Turns().take();
  assert.equal(rounds, 0);
});
