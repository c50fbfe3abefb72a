import assert from 'node:assert/strict';
import test from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { periodPasses, until } from '@whence/testing/until';
import { limitStop, StopSignals } from './stop-signals.ts';

test('stop signals: a stop that hangs is ended after its limit, and not before the first signal', async () => {
  const signals = new StopSignals();
  let hasEnded = false;
  void limitStop(100, signals, () => {
    hasEnded = true;
  });
  await periodPasses(150);
  assert.equal(hasEnded, false);
  process.emit('SIGTERM', 'SIGTERM');
  await nextTurn();
  assert.equal(hasEnded, false);
  await until('the limit has passed', () => hasEnded);
});
