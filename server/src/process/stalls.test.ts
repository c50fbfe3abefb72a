import assert from 'node:assert/strict';
import test from 'node:test';
import { until } from '@whence/testing/until';
import { STALL_MS, type Stall, Stalls } from './stalls.ts';

const request = (name: string) => ({ routeOptions: { url: `/${name}`, config: { name } } });
const X = request('x');
const Y = request('y');

/** Keeps the event loop from turning. */
function block(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, STALL_MS + 100);
}

for (const [behaviour, work, want] of [
  [
    'the request that begins and then blocks',
    (stalls: Stalls) => {
      stalls.began(X, performance.now());
      block();
      stalls.began(Y, performance.now());
      stalls.ended(Y, performance.now());
    },
    'x',
  ],
  [
    'the request that ends after it, although another one began before it',
    (stalls: Stalls) => {
      stalls.began(Y, performance.now());
      block();
      stalls.ended(X, performance.now());
    },
    'x',
  ],
  [
    'no request, if another one has ended before it',
    (stalls: Stalls) => {
      stalls.began(X, performance.now());
      stalls.ended(X, performance.now());
      block();
    },
    'none',
  ],
] as const)
  test(`stalls: caused by ${behaviour}`, async () => {
    const seen: Stall[] = [];
    const stalls = new Stalls((stall) => seen.push(stall));
    stalls.start();
    // A stall of a machine under load may come before.
    work(stalls);
    await until('the stall is found', () => seen.length > 0);
    stalls.stop();
    assert.ok(
      seen.some(({ route, ms }) => route.name === want && ms >= STALL_MS),
      JSON.stringify(seen),
    );
  });
