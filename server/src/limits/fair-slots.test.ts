import assert from 'node:assert/strict';
import test from 'node:test';
import { FairSlots, type SlotLimits } from './fair-slots.ts';

const LIMITS: SlotLimits = { slots: 4, slotsPerKey: 2, waitingPerKey: 3, waitMs: 60_000 };
const never = new AbortController().signal;

/** Acquires a slot for each key in turn, and notes the order in which they are served. */
function start(slots: FairSlots, keys: readonly string[], signal = never) {
  const served: string[] = [];
  const done = keys.map(async (key) => {
    if (await slots.acquire({ key, isAnonymous: key.startsWith('stranger') }, signal))
      served.push(key);
  });
  return { served, done: Promise.all(done) };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test('fair slots: one key holds no more than its share', async () => {
  const slots = new FairSlots(LIMITS);
  const controller = new AbortController();
  const { served, done } = start(slots, ['a', 'a', 'a', 'b', 'b', 'b', 'c'], controller.signal);
  await settled();
  assert.deepEqual([served, slots.held], [['a', 'a', 'b', 'b'], 4]);
  controller.abort();
  await done;
});

test('fair slots: waiting keys are served in turn, and requests of a key in order', async () => {
  const slots = new FairSlots({ ...LIMITS, slots: 1, slotsPerKey: 1, waitingPerKey: 9 });
  const { served, done } = start(slots, ['a', 'a', 'a', 'a', 'b', 'c', 'b']);
  for (let i = 0; i < 7; i++) {
    await settled();
    slots.release(served[i] ?? '');
  }
  await done;
  assert.deepEqual(served, ['a', 'b', 'c', 'a', 'b', 'a', 'a']);
  assert.equal(slots.held, 0);
});

test('fair slots: a key that waits for its own share does not hold up another', async () => {
  const slots = new FairSlots(LIMITS);
  const { served } = start(slots, ['a', 'a', 'a']);
  const later = start(slots, ['b']);
  await settled();
  assert.deepEqual([served, later.served], [['a', 'a'], ['b']]);
  slots.release('a');
  await settled();
  assert.deepEqual(served, ['a', 'a', 'a']);
});

test('fair slots: the limit of waiting requests is that of a key', async () => {
  const slots = new FairSlots(LIMITS);
  const controller = new AbortController();
  const { done } = start(slots, ['a', 'a', 'a', 'a', 'a'], controller.signal);
  assert.deepEqual([slots.isFull({ key: 'a' }), slots.isFull({ key: 'b' })], [true, false]);
  controller.abort();
  await done;
  assert.equal(slots.isFull({ key: 'a' }), false);
});

test('fair slots: a request that has waited too long gets none, and leaves nothing behind', async () => {
  const slots = new FairSlots({ ...LIMITS, slots: 1, waitMs: 20 });
  assert.equal(await slots.acquire({ key: 'a' }, never), true);
  assert.equal(await slots.acquire({ key: 'b' }, never), false);
  slots.release('a');
  assert.equal(await slots.acquire({ key: 'b' }, never), true);
});

test('fair slots: an aborted request gets none', async () => {
  const slots = new FairSlots({ ...LIMITS, slots: 1 });
  const controller = new AbortController();
  assert.equal(await slots.acquire({ key: 'a' }, never), true);
  const waiting = slots.acquire({ key: 'a' }, controller.signal);
  controller.abort();
  assert.equal(await waiting, false);
  assert.equal(await slots.acquire({ key: 'b' }, controller.signal), false);
  slots.release('a');
  assert.throws(() => slots.release('a'), /no slot is held/);
});

test('fair slots: anonymous clients are served while none else waits, and make room in a full queue', async () => {
  const slots = new FairSlots({ ...LIMITS, slots: 1, slotsPerKey: 1, waiting: 4 });
  const { served, done } = start(slots, [
    'stranger 1',
    'stranger 2',
    'stranger 3',
    'stranger 4',
    'stranger 5',
  ]);
  await settled();
  assert.equal(slots.isFull({ key: 'stranger 6', isAnonymous: true }), true);
  assert.equal(slots.isFull({ key: 'a' }), false);
  const known = start(slots, ['a', 'b', 'c', 'd']);
  assert.equal(slots.isFull({ key: 'e' }), true);
  // The four that waited have made room.
  await done;
  for (const expected of ['stranger 1', 'a', 'b', 'c', 'd']) {
    await settled();
    assert.equal([...served, ...known.served].at(-1), expected);
    slots.release(expected);
  }
  assert.equal(slots.held, 0);
});
