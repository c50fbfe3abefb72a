import assert from 'node:assert/strict';
import test from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Dataset } from '@whence/dataset/dataset';
import { requesterAs } from '../test/requester.ts';
import { DatasetWalks, type YieldToEventLoop } from './dataset-walks.ts';
import { EventLoopSlices } from './event-loop-slices.ts';

const dataset = () => ({}) as Dataset;

/** Keeps the thread busy for `ms`, in steps between which it gives way. */
async function busy(ms: number, yieldToEventLoop: YieldToEventLoop): Promise<number> {
  let turns = 0;
  for (let step = 0; step < ms * 10; step++) {
    const endMs = performance.now() + 0.1;
    while (performance.now() < endMs);
    const pause = yieldToEventLoop();
    if (pause === undefined) continue;
    turns++;
    await pause;
  }
  return turns;
}

test('dataset walks: other work gets its turn while several walks run', async () => {
  const walks = new DatasetWalks(new EventLoopSlices());
  const served = dataset();
  let isOver = false;
  const all = Promise.all(
    Array.from({ length: 5 }, (_, i) =>
      walks.run(served, `walk ${i}`, requesterAs(`client ${i}`), (give) => busy(20, give)),
    ),
  ).then((turns) => {
    isOver = true;
    return turns;
  });
  let seen = 0;
  while (!isOver) {
    await nextTurn();
    seen++;
  }
  assert.ok((await all).every((turns) => turns >= 5));
  assert.ok(seen >= 25, `${seen} turns`);
});

test('dataset walks: one at a time, and each subject once per dataset', async () => {
  const walks = new DatasetWalks(new EventLoopSlices());
  const served = dataset();
  let running = 0;
  let started = 0;
  const walk = async () => {
    started++;
    assert.equal(++running, 1);
    await nextTurn();
    running--;
    return started;
  };
  const results = await Promise.all(
    ['a', 'a', 'b', 'b'].map((subject) => walks.run(served, subject, requesterAs('x'), walk)),
  );
  assert.deepEqual(results, [1, 1, 2, 2]);
  assert.equal(
    await walks.run(dataset(), 'a', requesterAs('x'), walk),
    3,
    'another dataset is walked anew',
  );
});

test('dataset walks: one that failed is tried again, and a client with too many is refused', async () => {
  const walks = new DatasetWalks(new EventLoopSlices());
  const served = dataset();
  await assert.rejects(
    walks.run(served, 'a', requesterAs('x'), () => Promise.reject(new Error('broken'))),
    /broken/,
  );
  assert.equal(await walks.run(served, 'a', requesterAs('x'), async () => 'fine'), 'fine');
  const many = await Promise.allSettled(
    Array.from({ length: 50 }, (_, i) =>
      walks.run(served, `subject ${i}`, requesterAs('x'), () => nextTurn('done')),
    ),
  );
  const refused = many.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[];
  assert.ok(refused.length > 0 && refused.every(({ reason }) => reason.code === 'OVERLOADED'));
  assert.equal(
    await walks.run(served, 'other', requesterAs('y'), async () => 'not delayed'),
    'not delayed',
  );
});

test('dataset walks: requests that waited for one result get it one after the other, each in a turn of its own', async () => {
  const walks = new DatasetWalks(new EventLoopSlices());
  const served = dataset();
  const turnOf: number[] = [];
  let turn = 0;
  const ask = () =>
    Promise.all(
      Array.from({ length: 10 }, async (_, i) => {
        await walks.run(served, 'a', requesterAs(`client ${i}`), () => nextTurn('done'));
        turnOf.push(turn);
      }),
    );
  for (const when of ['walked', 'kept']) {
    turnOf.length = 0;
    let isOver = false;
    const all = ask().then(() => {
      isOver = true;
    });
    for (; !isOver; turn++) await nextTurn();
    await all;
    assert.equal(new Set(turnOf).size, 10, `${when}: ${turnOf}`);
  }
});
