import assert from 'node:assert/strict';
import test from 'node:test';
import { sleep } from './sleep.ts';

test('sleep: resolves after the delay, not before', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let isOver = false;
  const over = sleep(1000, new AbortController().signal).then(() => {
    isOver = true;
  });
  t.mock.timers.tick(999);
  await Promise.resolve();
  assert.equal(isOver, false);
  t.mock.timers.tick(1);
  await over;
});

test('sleep: an abort rejects with the reason and clears the timer', async () => {
  const timers = () => process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length;
  const before = timers();
  const controller = new AbortController();
  const reason = { why: 'the user cancelled' };
  const pending = sleep(600_000, controller.signal).catch((error) => error);
  assert.equal(timers(), before + 1);
  controller.abort(reason);
  assert.equal(await pending, reason);
  assert.equal(timers(), before);
});
