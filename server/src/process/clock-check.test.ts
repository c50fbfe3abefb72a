import assert from 'node:assert/strict';
import test from 'node:test';
import type { ClockState } from '../storage/engine.ts';
import { ClockCheck } from './clock-check.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const MINUTES = 60;

/** A process whose clocks advance by some seconds between two checks, and by what is added. */
function started(state?: ClockState) {
  let machineMs = DAY;
  let monotonicMs = 0;
  const changes: number[] = [];
  const check = new ClockCheck({
    storage: { nowMs: () => (state ? machineMs : undefined), clockState: () => state },
    machineMs: () => machineMs,
    monotonicMs: () => monotonicMs,
    changed: (byMs) => changes.push(byMs),
  });
  const pass = (seconds: number, jumpMs = 0) => {
    machineMs += seconds * 1000 + jumpMs;
    monotonicMs += seconds * 1000;
    check.check();
    return check.isSteady;
  };
  return { check, pass, changes };
}

const AGREED: ClockState = { differenceMs: 0, isAgreed: true, newDay: undefined };

for (const [engine, state] of [
  ['SQLite', undefined],
  ['PostgreSQL', AGREED],
] as const) {
  test(`clock: on ${engine}, nothing is final until ten minutes after a start`, () => {
    const { pass, changes } = started(state);
    assert.deepEqual([pass(1), pass(10 * MINUTES - 2), pass(1)], [false, false, true]);
    assert.ok(pass(1, HOUR / 2) && pass(3600), 'a correction by less than an hour');
    assert.deepEqual(changes, []);
  });

  test(`clock: on ${engine}, nothing is final until ten minutes after a jump`, () => {
    const { pass } = started(state);
    assert.equal(pass(10 * MINUTES), true);
    assert.equal(pass(1, 500 * DAY), false);
    assert.deepEqual([pass(10 * MINUTES - 1), pass(1)], [false, true]);
  });
}

test('clock: on SQLite, a jump is reported until the clock is back, or has run steadily for ten minutes', () => {
  const { check, pass, changes } = started();
  pass(1, 500 * DAY);
  pass(90, -500 * DAY);
  assert.equal(check.differenceMs, 0);
  pass(1, 500 * DAY);
  pass(10 * MINUTES);
  assert.deepEqual(changes, [500 * DAY, 0, 500 * DAY, 0]);
});

test('clock: a difference is reported from the start, and nothing is final while there is one', () => {
  const { pass, changes } = started({ ...AGREED, differenceMs: 500 * DAY });
  assert.deepEqual(changes, [500 * DAY]);
  assert.equal(pass(10 * MINUTES), false);
});

for (const [behaviour, state, machineMs, want] of [
  ['the clock of its machine', AGREED, DAY, { machineAt: new Date(DAY) }],
  ['not a clock that differs by more than an hour', AGREED, DAY + 2 * HOUR, {}],
  ['nothing while no two agree', { ...AGREED, isAgreed: false }, DAY, {}],
  [
    'a day that storage does not have',
    { ...AGREED, newDay: '1970-01-02' },
    DAY,
    { machineAt: new Date(DAY), newDay: '1970-01-02' },
  ],
] as const)
  test(`clock: a process records ${behaviour}`, () => {
    const storage = { nowMs: () => DAY, clockState: () => state };
    const check = new ClockCheck({ storage, machineMs: () => machineMs, changed: () => {} });
    assert.deepEqual(check.agreed, want);
  });
