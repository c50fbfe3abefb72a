import assert from 'node:assert/strict';
import test from 'node:test';
import { periodPasses, until } from '@whence/testing/until';
import { limitStop, StopSignals } from './stop-signals.ts';

test('stop signals: a stop that hangs is ended after its limit, and not before the first signal', async () => {
  const signals = new StopSignals();
  let endedMs: number | undefined;
  void limitStop(100, signals, () => {
    endedMs = performance.now();
  });
  await periodPasses(150);
  assert.equal(endedMs, undefined);
  const signalledMs = performance.now();
  process.emit('SIGTERM', 'SIGTERM');
  await until('the limit has passed', () => endedMs !== undefined);
  assert.ok((endedMs ?? 0) - signalledMs >= 99);
});
