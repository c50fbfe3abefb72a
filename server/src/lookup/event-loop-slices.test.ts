import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import test from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { EventLoopSlices, letOthersWork } from './event-loop-slices.ts';

const UNITS = 20;
const requester = { fairnessKey: 'a', signal: new AbortController().signal };
const block = Buffer.alloc(1_000_000);

/** About a millisecond of processor time each. */
function work(units: number): void {
  for (let i = 0; i < units; i++) createHash('sha256').update(block).digest();
}

test('event loop slices: many turns of other work between two pieces', async () => {
  const slices = new EventLoopSlices();
  let isOver = false;
  const turns: number[] = [];
  const others = (async () => {
    for (; !isOver; await nextTurn()) {
      work(1);
      turns.push(1 + (turns.pop() ?? 0));
    }
  })();
  const pieces = Array.from({ length: 5 }, () =>
    slices.run(requester, () => {
      work(UNITS);
      turns.push(0);
    }),
  );
  await Promise.all(pieces);
  isOver = true;
  await others;
  const between = turns.slice(1, -1);
  assert.ok(Math.min(...between) >= UNITS / 4, `turns between pieces: ${between.join(', ')}`);
});

test('event loop slices: no pause while there is no other work', async () => {
  const beganMs = process.cpuUsage().user / 1000;
  await letOthersWork(10_000);
  assert.ok(process.cpuUsage().user / 1000 - beganMs < 5_000);
});
