import assert from 'node:assert/strict';
import test from 'node:test';
import { type ClockReading, DatabaseClock } from './database-clock.ts';

const NOON = Date.parse('2026-11-15T12:00:00Z');
const TODAY = '2026-11-15';
const HOUR = 3_600_000;
const DAYS = 24 * HOUR;
const SHIFTS = [
  -400 * DAYS,
  -20 * HOUR,
  -5 * HOUR,
  -2 * HOUR,
  2 * HOUR,
  5 * HOUR,
  20 * HOUR,
  500 * DAYS,
];
const dayOf = (ms: number | undefined) => new Date(ms ?? Number.NaN).toISOString().slice(0, 10);

/**
 * A process whose readings are given one after another. Times are differences from the true time.
 */
function onClocks() {
  let reading: ClockReading = { databaseMs: NOON };
  let machineMs = NOON;
  let monotonicMs = 0;
  const clock = new DatabaseClock(async () => reading, {
    monotonicMs: () => monotonicMs,
    machineMs: () => machineMs,
  });
  type Given = Omit<ClockReading, 'databaseMs' | 'records'> & {
    readonly database?: number;
    readonly machine?: number;
    /** What other machines recorded, and the clock of the database at that time. */
    readonly records?: readonly { readonly machine: number; readonly stored: number }[];
    readonly laterMs?: number;
  };
  return {
    clock,
    async read(given: Given) {
      monotonicMs += given.laterMs ?? 0;
      const nowMs = NOON + monotonicMs;
      machineMs = nowMs + (given.machine ?? 0);
      reading = {
        databaseMs: nowMs + (given.database ?? 0),
        recordedDay: given.recordedDay,
        records: (given.records ?? []).map(({ machine, stored }) => ({
          machineMs: nowMs + machine,
          storedMs: nowMs + stored,
        })),
      };
      await clock.start();
      clock.stop();
      const { isAgreed, differenceMs } = clock.state();
      return {
        byMs: (clock.nowMs() as number) - nowMs,
        day: dayOf(clock.nowMs()),
        isAgreed,
        differenceMs,
      };
    },
  };
}

const AGREED = { isAgreed: true, differenceMs: 0 };
/** Written ten seconds ago, when the clock of the database was as it is now. */
const other = (database = 0, machine = 0) => ({
  machine: machine - 10_000,
  stored: database - 10_000,
});

for (const by of SHIFTS) {
  const shift = `${by / HOUR} h`;
  for (const [behaviour, given, want] of [
    [
      'the database differs, and another process agrees with this machine: its time is used',
      { database: by, recordedDay: TODAY, records: [other(by)] },
      { byMs: 0, isAgreed: true, differenceMs: by },
    ],
    [
      'the database differs, in a deployment that has recorded no day yet',
      { database: by, records: [other(by)] },
      { byMs: 0, isAgreed: true, differenceMs: by },
    ],
    [
      'this machine differs, and another process agrees with the database',
      { machine: by, recordedDay: TODAY, records: [other()] },
      { byMs: 0, ...AGREED },
    ],
    [
      'the database differs, and no process runs: the last recorded day goes on',
      { database: by, recordedDay: TODAY },
      { day: TODAY, isAgreed: false, differenceMs: by },
    ],
    [
      'this machine differs, and no process runs: the last recorded day goes on',
      { machine: by, recordedDay: TODAY },
      { day: TODAY, isAgreed: false, differenceMs: -by },
    ],
    [
      'the database was set since others have recorded their clocks: the last recorded day goes on or their clocks count',
      { database: by, recordedDay: TODAY, records: [other()] },
      { day: TODAY, differenceMs: by },
    ],
    [
      'nothing was ever recorded: the earlier day',
      { database: by },
      { day: dayOf(NOON + Math.min(by, 0)), isAgreed: false, differenceMs: by },
    ],
  ] as const)
    test(`database clock: at a start, by ${shift}, ${behaviour}`, async () => {
      const found = await onClocks().read(given);
      assert.deepEqual({ ...found, ...want }, found);
    });

  for (const [behaviour, given, want] of [
    [
      'a jump of the database is refused',
      { database: by },
      { byMs: 0, isAgreed: true, differenceMs: by },
    ],
    ['a jump of the machine does not matter', { machine: by }, { byMs: 0, ...AGREED }],
    [
      'a jump of both, as after the machine was suspended, is followed',
      { database: by, machine: by },
      { byMs: by, ...AGREED },
    ],
    [
      'a jump of the database and one other machine is refused while two machines go on',
      { database: by, records: [other(by, by), other(by)] },
      { byMs: 0, isAgreed: true, differenceMs: by },
    ],
    [
      'database and machine differ, and neither is as before',
      { database: by, machine: -2 * by },
      { byMs: 0, isAgreed: false, differenceMs: 3 * by },
    ],
  ] as const)
    test(`database clock: of a running process, by ${shift}, ${behaviour}`, async () => {
      const { read } = onClocks();
      assert.deepEqual(await read({}), { byMs: 0, day: TODAY, ...AGREED });
      const found = await read({ recordedDay: TODAY, laterMs: 10_000, ...given });
      assert.deepEqual({ ...found, ...want }, found);
      const repaired = await read({ recordedDay: TODAY, laterMs: 10_000 });
      assert.deepEqual(repaired, { byMs: 0, day: TODAY, ...AGREED }, 'all are right again');
    });
}

test('database clock: a day is new until it is recorded, and none while no two clocks agree', async () => {
  const { read, clock } = onClocks();
  const newDays: unknown[] = [];
  for (const given of [
    {},
    { recordedDay: '2026-11-14' },
    { recordedDay: TODAY },
    { database: 5 * HOUR, machine: -HOUR * 5 },
  ]) {
    await read(given);
    newDays.push(clock.state().newDay);
  }
  assert.deepEqual(newDays, [TODAY, TODAY, undefined, undefined]);
});

test('database clock: midnight comes while the database is wrong and a machine agrees, not while no two agree', async () => {
  const agreed = onClocks();
  const held = onClocks();
  await agreed.read({});
  await held.read({ database: 5 * HOUR, recordedDay: TODAY });
  const later = { recordedDay: TODAY, laterMs: 13 * HOUR };
  assert.equal((await agreed.read({ ...later, database: 5 * HOUR })).day, '2026-11-16');
  assert.equal((await held.read({ ...later, database: 5 * HOUR })).day, TODAY);
  const followed = await held.read({ recordedDay: '2026-11-16', database: 5 * HOUR });
  assert.equal(followed.day, '2026-11-16', 'it follows the day that others have recorded');
});

test('database clock: a step within an hour is followed; steps do not add up to more than two', async () => {
  const { read } = onClocks();
  await read({});
  assert.deepEqual((await read({ database: HOUR / 2 })).byMs, HOUR / 2);
  let last = 0;
  for (let by = HOUR / 2; by <= 12 * HOUR; by += HOUR / 2)
    last = (await read({ database: by, laterMs: 10_000 })).byMs;
  assert.ok(last <= 2 * HOUR, `${last / HOUR} h`);
});

for (const [behaviour, stored, isAgreed] of [
  ['four minutes ago counts', -240_000, true],
  ['an hour ago does not', -HOUR, false],
  ['in the future counts', 9 * HOUR, true],
] as const)
  test(`database clock: what another process recorded ${behaviour}`, async () => {
    const records = [{ machine: Math.min(0, stored), stored: 5 * HOUR + stored }];
    assert.equal(
      (await onClocks().read({ database: 5 * HOUR, recordedDay: TODAY, records })).isAgreed,
      isAgreed,
    );
  });
