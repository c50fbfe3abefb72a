import assert from 'node:assert/strict';
import test from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { until } from '@whence/testing/until';
import { isWaiting, STALL_MS, type Stall, Stalls } from './stalls.ts';

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

for (const [behaviour, requests, want] of [
  [
    'the request that began last',
    [
      [X, false],
      [Y, false],
    ],
    Y.routeOptions.config.name,
  ],
  [
    'the request that was answered in it',
    [
      [X, true],
      [Y, false],
    ],
    X.routeOptions.config.name,
  ],
  ['none without a request', [], 'none'],
] as const)
  test(`stalls: before callbacks are tracked, the cause is ${behaviour}`, async () => {
    const seen: Stall[] = [];
    const stalls = new Stalls((stall) => seen.push(stall));
    stalls.start();
    try {
      await inContext(async () => {
        for (const [request] of requests) stalls.began(request);
        block();
        for (const [request, hasEnded] of requests) if (hasEnded) stalls.ended(request);
      });
      await until('the stall is found', () => seen.length > 0);
      assert.equal(seen[0]?.route.name, want);
    } finally {
      stalls.stop();
    }
  });

for (const [behaviour, ms, cpuMs, want] of [
  ['computing', 400, 400, false],
  ['two threads that compute', 400, 800, false],
  ['a processor shared with another program', 400, 210, false],
  ['a busy machine', 400, 150, true],
  ['work that a busy machine made longer', 290, 170, true],
  ['long work on a busy machine', 1_000, 450, true],
  ['a disk that hangs', 400, 0, true],
] as const)
  test(`stalls: ${behaviour} is ${want ? 'waiting' : 'work of the process'}`, () => {
    assert.equal(isWaiting({ ms, cpuMs }), want);
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
