import assert from 'node:assert/strict';
import test from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Gate } from './gate.ts';

test('gate: no more callers than places are inside, and all enter', async () => {
  const gate = new Gate({ places: 3, perTurn: 100 });
  let inside = 0;
  let most = 0;
  const visit = async () => {
    await gate.enter();
    most = Math.max(most, ++inside);
    await nextTurn();
    inside--;
    gate.leave();
  };
  await Promise.all(Array.from({ length: 20 }, visit));
  assert.equal(most, 3);
  assert.equal(inside, 0);
});

test('gate: a limited number enters per turn of the event loop, in order', async () => {
  const gate = new Gate({ places: 100, perTurn: 4 });
  const entered: number[] = [];
  const visits = Array.from({ length: 10 }, async (_, i) => {
    await gate.enter();
    entered.push(i);
  });
  await Promise.resolve();
  assert.deepEqual(entered, [0, 1, 2, 3]);
  await Promise.all(visits);
  assert.deepEqual(entered, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
});
