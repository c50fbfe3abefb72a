import assert from 'node:assert/strict';
import test from 'node:test';
import { type ClockReading, DatabaseClock } from './database-clock.ts';

const NOON = Date.parse('2026-11-15T12:00:00Z');
const HOUR = 3_600_000;
const DAYS = 24 * HOUR;

/** Clocks as differences from the true time, and what is used of them. */
for (const [behaviour, { database, machine, seen }, want] of [
  ['both clocks are right', { database: 0, machine: 0, seen: -HOUR }, 0],
  ['the clock of the machine is wrong', { database: 0, machine: DAYS, seen: -HOUR }, 0],
  [
    'the clock of the machine is wrong, and the database is new',
    { database: 0, machine: -9 * DAYS, seen: undefined },
    0,
  ],
  ['the database is ahead', { database: 500 * DAYS, machine: 0, seen: -HOUR }, 'refused'],
  ['the database is behind', { database: -500 * DAYS, machine: 0, seen: -HOUR }, 'refused'],
  ['both agree, though nothing was seen for a month', { database: 0, machine: 0, seen: -30 * DAYS }, 0],
  ['they differ, and nothing was seen for a month', { database: 0, machine: 2 * HOUR, seen: -30 * DAYS }, 0],
] as const)
  test(`database clock: at the start, ${behaviour}`, async () => {
    const clock = new DatabaseClock(
      async () => ({ databaseMs: NOON + database, lastSeenMs: seen === undefined ? undefined : NOON + seen }),
      { monotonicMs: () => 0, machineMs: () => NOON + machine },
    );
    await clock.start();
    clock.stop();
    assert.equal(clock.nowMs(), NOON);
    assert.equal(clock.refusedMs, want === 'refused' ? database : undefined);
  });

for (const [behaviour, { database, machine }, want] of [
  ['a step of the database within an hour is followed', { database: HOUR / 2, machine: 0 }, HOUR / 2],
  ['a jump of the database ahead is refused', { database: 500 * DAYS, machine: 0 }, 0],
  ['a jump of the database back is refused', { database: -500 * DAYS, machine: 0 }, 0],
  ['a jump of the machine does not matter', { database: 0, machine: 500 * DAYS }, 0],
  ['a jump of both, after the machine was suspended, is followed', { database: 9 * DAYS, machine: 9 * DAYS }, 9 * DAYS],
] as const)
  test(`database clock: ${behaviour}`, async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    let reading: ClockReading = { databaseMs: NOON, lastSeenMs: NOON - HOUR };
    let [machineMs, monotonicMs] = [NOON, 0];
    const clock = new DatabaseClock(async () => reading, {
      monotonicMs: () => monotonicMs,
      machineMs: () => machineMs,
    });
    await clock.start();
    const later = async (next: { database: number; machine: number }) => {
      monotonicMs += 10_000;
      reading = { databaseMs: NOON + monotonicMs + next.database };
      machineMs = NOON + monotonicMs + next.machine;
      t.mock.timers.tick(10_000);
      await new Promise(setImmediate);
    };
    await later({ database, machine });
    assert.equal(clock.nowMs(), NOON + monotonicMs + want);
    assert.equal(clock.refusedMs, want === database ? undefined : database);
    await later({ database: want, machine: 0 });
    assert.equal(clock.refusedMs, undefined, 'the database is right again');
    clock.stop();
  });
