import assert from 'node:assert/strict';
import test, { beforeEach } from 'node:test';
import { WriteProbe } from './write-probe.ts';

let nowMs = 0;
let error: Error | undefined;
let attempts = 0;
let events: string[] = [];
let probe: WriteProbe;
beforeEach(() => {
  nowMs = 0;
  error = undefined;
  attempts = 0;
  events = [];
  probe = new WriteProbe(
    async () => {
      attempts++;
      if (error !== undefined) throw error;
    },
    {
      failed: (reason) => events.push((reason as Error).message),
      recovered: () => events.push('recovered'),
    },
    () => nowMs,
  );
});

/** Asks, lets the attempt in the background end, and asks again. */
async function state(): Promise<boolean> {
  probe.isFailing();
  await new Promise(setImmediate);
  return probe.isFailing();
}

test('write probe: writable storage is not failing', async () => {
  assert.equal(await state(), false);
  assert.deepEqual(events, []);
});

test('write probe: a failure and the recovery are each reported once', async () => {
  error = new Error('disk full');
  for (nowMs of [0, 5_000, 10_000]) assert.equal(await state(), true);
  error = undefined;
  nowMs = 15_000;
  assert.equal(await state(), false);
  assert.deepEqual([attempts, events], [4, ['disk full', 'recovered']]);
});

test('write probe: any number of queries writes at most every five seconds', async () => {
  for (nowMs = 0; nowMs < 20_000; nowMs += 100) await state();
  assert.equal(attempts, 4);
});

test('write probe: a failed write elsewhere counts, and is retried without a query', async () => {
  await state();
  probe.retry();
  nowMs = 5_000;
  probe.retry();
  assert.equal(attempts, 1, 'nothing to try again');
  probe.failed(new Error('locked'));
  assert.equal(probe.isFailing(), true);
  nowMs = 10_000;
  probe.retry();
  await new Promise(setImmediate);
  assert.deepEqual([probe.isFailing(), events], [false, ['locked', 'recovered']]);
});
