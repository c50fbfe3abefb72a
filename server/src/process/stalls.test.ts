import assert from 'node:assert/strict';
import test from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { until } from '@whence/testing/until';
import { STALL_MS, type Stall, Stalls } from './stalls.ts';

const request = (name: string) => ({ routeOptions: { url: `/${name}`, config: { name } } });
const X = request('x');
const Y = request('y');

/** Keeps the event loop from turning. */
function block(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, STALL_MS + 100);
}

/** Work in an asynchronous context of its own, as that of a request. */
function inContext(work: () => Promise<void>): Promise<void> {
  return new Promise((resolve) => setImmediate(() => resolve(work())));
}

for (const [behaviour, x, y, want] of [
  ['the request that begins and then blocks', async () => block(), () => nextTurn(), 'x'],
  [
    'the one that blocks later, although another one ends next',
    () => nextTurn().then(block),
    () => nextTurn().then(() => nextTurn()),
    'x',
  ],
  [
    'the one that blocks, although another one began just before',
    () =>
      nextTurn()
        .then(() => nextTurn())
        .then(block),
    () => nextTurn(),
    'x',
  ],
  [
    'the one that blocks after waiting for the same promise as another one',
    () => shared.then(block),
    () => shared,
    'x',
  ],
] as const)
  test(`stalls: caused by ${behaviour}`, async () => {
    await withStalls(async (stalls, seen) => {
      await Promise.all([
        inContext(() => {
          stalls.began(X);
          return x();
        }),
        inContext(() => {
          stalls.began(Y);
          return y();
        }),
      ]);
      await until('the stall is found', () => seen.length > 0);
      assert.ok(
        seen.some(({ route, ms }) => route.name === want && ms >= STALL_MS),
        JSON.stringify(seen),
      );
      assert.ok(!seen.some(({ route }) => route.name === 'y'), JSON.stringify(seen));
    });
  });

test('stalls: caused by no request', async () => {
  await withStalls(async (stalls, seen) => {
    await inContext(async () => stalls.began(X));
    setImmediate(block);
    await until('the stall is found', () => seen.length > 0);
    assert.equal(seen[0]?.route.name, 'none', JSON.stringify(seen));
  });
});

test('stalls: the cause of the first one is unknown, as callbacks are not tracked before it', async () => {
  const seen: Stall[] = [];
  const stalls = new Stalls((stall) => seen.push(stall));
  stalls.start();
  try {
    await inContext(async () => {
      stalls.began(X);
      block();
    });
    await until('the stall is found', () => seen.length > 0);
    assert.equal(seen[0]?.route.name, 'unknown');
  } finally {
    stalls.stop();
  }
});

const shared = nextTurn();

/** `work` begins after a first stall. */
async function withStalls(work: (stalls: Stalls, seen: Stall[]) => Promise<void>): Promise<void> {
  const seen: Stall[] = [];
  const stalls = new Stalls((stall) => seen.push(stall));
  stalls.start();
  try {
    block();
    await until('the first stall is found', () => seen.length > 0);
    seen.length = 0;
    await work(stalls, seen);
  } finally {
    stalls.stop();
  }
}
