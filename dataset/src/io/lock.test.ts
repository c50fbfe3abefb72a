import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { afterEach, beforeEach } from 'node:test';
import { killAfter, until } from '@whence/testing/until';
import { ownIdentity, withLock } from './lock.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'whence-lock-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const NO_PROCESS = 999_999_999;
const kill = (child: ChildProcess) => killAfter(child, 0);

const own = ownIdentity();
const NO_PROC = own.start === undefined ? 'there is no /proc here' : false;
const ID = randomUUID();
const OLD = new Date(Date.now() - 11 * 60_000);

function leaveLock(record: unknown, touched = new Date()): void {
  const path = join(folder, 'lock');
  writeFileSync(path, typeof record === 'string' ? record : JSON.stringify(record));
  utimesSync(path, touched, touched);
}

for (const [behaviour, record, touched] of [
  ['of a process that has ended', { id: ID, pid: NO_PROCESS }],
  ['of an earlier process with our own number', { id: ID, pid: process.pid }],
  ['that is empty, as after a power cut', '', OLD],
  ['that is something else', '{"pid":', OLD],
] as const)
  test(`lock: one ${behaviour} is taken over`, () => {
    leaveLock(record, touched);
    assert.equal(
      withLock(folder, 'testing', () => 'held'),
      'held',
    );
    assert.deepEqual(readdirSync(folder), []);
  });

for (const [behaviour, record, touched] of [
  [
    'of an earlier process with a number that is used again',
    { ...own, id: ID, pid: process.ppid, start: '1' },
  ],
  ['of an earlier process with our own number', { ...own, id: ID, start: '1' }],
  ['from before the machine booted', { ...own, id: ID, boot: 'another' }],
  [
    'of another container that was not touched for 11 minutes',
    { ...own, id: ID, namespace: 'pid:[1]' },
    OLD,
  ],
] as const)
  test(`lock: one ${behaviour} is taken over, where /proc tells`, { skip: NO_PROC }, () => {
    leaveLock(record, touched);
    assert.equal(
      withLock(folder, 'testing', () => 'held'),
      'held',
    );
  });

const RUNNING = new RegExp(`^process ${process.ppid} is testing; try again when it is done$`);
for (const [behaviour, record, message, skip] of [
  ['of a running process', { id: ID, pid: process.ppid }, RUNNING, false],
  ['that is being written', '', /^another process is testing; try again when it is done$/, false],
  [
    'of another container',
    { ...own, id: ID, namespace: 'pid:[1]' },
    /^process \d+ of another container is testing; .* its lock expires within 10 minutes$/,
    NO_PROC,
  ],
] as const)
  test(`lock: one ${behaviour} is left alone`, { skip }, () => {
    leaveLock(record);
    assert.throws(() => withLock(folder, 'testing', () => {}), { name: 'DatasetError', message });
    assert.deepEqual(readdirSync(folder), ['lock']);
  });

test('lock: a killed process that its parent has not waited for does not keep it', {
  skip: NO_PROC,
}, async () => {
  // The shell starts a process, prints its number, and becomes a program that does not wait for it.
  const parent = spawn('sh', ['-c', 'sleep 0.2 & echo $!; exec sleep 60'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const [number] = (await once(parent.stdout, 'data')) as [Buffer];
    const pid = Number(number);
    await until('it has ended', () => /\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'latin1')));
    leaveLock({ id: ID, pid });
    assert.equal(
      withLock(folder, 'testing', () => 'held'),
      'held',
    );
  } finally {
    await kill(parent);
  }
});

test('lock: held until the promise of the work is settled, also by a second caller in the same process', async () => {
  let finish = () => {};
  const first = withLock(
    folder,
    'testing',
    () =>
      new Promise<void>((resolve) => {
        finish = resolve;
      }),
  );
  assert.throws(() => withLock(folder, 'testing', () => {}), {
    message: new RegExp(`^process ${process.pid} is`),
  });
  finish();
  await first;
  await assert.rejects(
    withLock(folder, 'testing', () => Promise.reject(new Error('no luck'))),
    { message: 'no luck' },
  );
  assert.throws(
    () =>
      withLock(folder, 'testing', () => {
        throw new Error('no luck');
      }),
    { message: 'no luck' },
  );
  assert.deepEqual(readdirSync(folder), []);
});

test('lock: a lock that was taken from its holder is not removed by it', () => {
  withLock(folder, 'testing', () => leaveLock({ id: ID, pid: process.ppid }));
  assert.deepEqual(readdirSync(folder), ['lock']);
});
