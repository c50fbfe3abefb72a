import assert from 'node:assert/strict';
import test from 'node:test';
import { ClockCheck } from './clock-check.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** A process on SQLite whose clocks advance by a second between two checks, and by what is added. */
function onSqlite() {
  let [machineMs, monotonicMs] = [DAY, 0];
  const changes: number[] = [];
  const check = new ClockCheck({
    storage: { nowMs: () => undefined, refusedClockMs: () => undefined },
    machineMs: () => machineMs,
    monotonicMs: () => monotonicMs,
    changed: (byMs) => changes.push(byMs),
  });
  const pass = (seconds: number, jumpMs = 0) => {
    machineMs += seconds * 1000 + jumpMs;
    monotonicMs += seconds * 1000;
    check.check();
    return check.mayRemoveRows;
  };
  return { pass, changes };
}

test('clock: one that runs steadily, or is corrected by less than an hour, may be used', () => {
  const { pass, changes } = onSqlite();
  assert.ok(pass(1) && pass(1, HOUR / 2) && pass(3600));
  assert.deepEqual(changes, []);
});

test('clock: after a jump nothing is removed until it has run steadily for ten minutes', () => {
  const { pass, changes } = onSqlite();
  assert.equal(pass(1, 500 * DAY), false);
  assert.equal(pass(599), false);
  assert.equal(pass(1), true);
  assert.deepEqual(changes, [500 * DAY, 0]);
});

test('clock: one that jumps back to where it was may be used at once', () => {
  const { pass, changes } = onSqlite();
  assert.equal(pass(1, 500 * DAY), false);
  assert.equal(pass(90, -500 * DAY), true);
  assert.deepEqual(changes, [500 * DAY, 0]);
});

for (const [behaviour, clocks, isWrong, mayRemoveRows] of [
  ['agrees with the machine', { database: DAY, refused: undefined }, false, true],
  ['was refused', { database: DAY, refused: 500 * DAY }, true, false],
  ['is used, but the machine differs by more than a day', { database: 3 * DAY, refused: undefined }, false, false],
] as const)
  test(`clock: the database ${behaviour}`, () => {
    const check = new ClockCheck({
      storage: { nowMs: () => clocks.database, refusedClockMs: () => clocks.refused },
      machineMs: () => DAY,
      changed: () => {},
    });
    check.check();
    assert.deepEqual([check.differenceMs !== 0, check.mayRemoveRows], [isWrong, mayRemoveRows]);
  });
