import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { afterEach, beforeEach } from 'node:test';
import { until } from '@whence/testing/until';
import { type Log, MAX_LINES, openLog } from './log.ts';
import { LogOutput } from './log-output.ts';

let folder = '';
let pipe = -1;
let log: Log;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'whence-log-'));
  const path = join(folder, 'pipe');
  assert.equal(spawnSync('mkfifo', [path]).status, 0);
  // Both ends: opening only one would wait for the other.
  pipe = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
  log = openLog('debug', undefined, new LogOutput(pipe));
});
afterEach(() => {
  closeSync(pipe);
  rmSync(folder, { recursive: true, force: true });
});

/** What the pipe holds at present. */
function read(): string {
  const pieces: Buffer[] = [];
  const piece = Buffer.alloc(65_536);
  try {
    for (let size = 1; size > 0; ) {
      size = readSync(pipe, piece, 0, piece.length, null);
      pieces.push(Buffer.from(piece.subarray(0, size)));
    }
  } catch (error) {
    assert.equal((error as NodeJS.ErrnoException).code, 'EAGAIN');
  }
  return Buffer.concat(pieces).toString();
}

type Line = {
  level: string;
  msg: string;
  repeated?: number;
  dropped?: number;
  err?: { message: string };
};
const lines = (text: string) =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);

test('log: a line is JSON with a time, and its level is a word', () => {
  log.logger.warn({ port: 1 }, 'hello');
  const [{ time, ...line } = { time: '' }] = lines(read()) as (Line & { time: string })[];
  assert.deepEqual(line, { level: 'warn', pid: process.pid, port: 1, msg: 'hello' });
  assert.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
});

test('log: a stalled reader blocks nothing; lines beyond 1 MB are dropped and counted', async () => {
  // This is the process that reads: a line that waited for it would wait for ever.
  for (let i = 0; i < 5_000; i++) log.logger.debug({ i }, 'x'.repeat(1_000));
  const { whence_log_lines_dropped_total: dropped = 0 } = log.counters();
  assert.ok(dropped > 3_500 && dropped < 4_500, `${dropped} dropped`);
  let text = '';
  await until('the loss is logged', () => {
    text += read();
    return text.includes('"dropped"');
  });
  const got = lines(text);
  assert.equal(
    got.filter(({ level }) => level === 'debug').length,
    5_000 - dropped,
    'all others arrive whole',
  );
  assert.deepEqual(
    [got.at(-1)?.level, got.at(-1)?.dropped, got.at(-1)?.msg],
    ['warn', dropped, 'log lines were dropped: standard error was not read'],
  );
});

test('log: on exit the process waits for a stalled reader for a limited time', () => {
  for (let i = 0; i < 1_000; i++) log.logger.debug('x'.repeat(1_000));
  // It returns, although this process cannot read meanwhile.
  log.flush();
  assert.ok(lines(read()).length < 1_000);
});

test('log: a repeated line is written a few times and then counted, separately for each error', () => {
  for (let i = 0; i < 1_000; i++) {
    log.logger.error({ err: new Error('locked') }, 'storage unavailable');
    log.logger
      .child({ request_id: i })
      .error({ err: new TypeError('a bug') }, 'storage unavailable');
  }
  log.logger.info('another');
  log.flush();
  const got = lines(read());
  assert.equal(got.length, 2 * MAX_LINES + 3);
  assert.deepEqual(
    got
      .filter(({ repeated }) => repeated !== undefined)
      .map(({ level, msg, repeated }) => [level, msg, repeated]),
    [
      ['error', 'storage unavailable', 1_000 - MAX_LINES],
      ['error', 'storage unavailable', 1_000 - MAX_LINES],
    ],
  );
  assert.equal(log.counters()['whence_log_lines_repeated_total'], 2 * (1_000 - MAX_LINES));
  log.logger.error('storage unavailable');
  assert.equal(lines(read()).length, 1, 'the next window starts over');
});

test('log: debug lines are never suppressed', () => {
  for (let i = 0; i < 100; i++) log.logger.debug('request');
  assert.equal(lines(read()).length, 100);
});

test('log: lines with ever new texts are bounded too', () => {
  for (let i = 0; i < 2_000; i++) log.logger.info(`text ${i}`);
  log.flush();
  const got = lines(read());
  assert.ok(got.length < 600, `${got.length} lines`);
});

test('log: a line that cannot be written is counted and has no other effect', () => {
  const full = openSync('/dev/full', 'w');
  const other = openLog('info', undefined, new LogOutput(full));
  other.logger.info('one');
  other.logger.info('two');
  other.flush();
  assert.equal(other.counters()['whence_log_lines_dropped_total'], 2);
  closeSync(full);
});

const SECRET = `whence_${'k'.repeat(36)}`;

for (const [behaviour, write] of [
  [
    'an error of a library',
    (logger: Log['logger']) => logger.warn({ err: new Error(`in "/v1/ip/8.8.8.8?key=${SECRET}"`) }),
  ],
  [
    'an error alone',
    (logger: Log['logger']) => logger.warn(new Error(`in "/v1/ip/8.8.8.8?key=${SECRET}" (GET)`)),
  ],
  [
    'a request',
    (logger: Log['logger']) =>
      logger.warn({ req: { method: 'GET', url: `/a?key=${SECRET}` } }, 'aborted'),
  ],
  ['a text', (logger: Log['logger']) => logger.warn(`GET /v1/ip/8.8.8.8?key=${SECRET} failed`)],
  [
    'a key in a path',
    (logger: Log['logger']) =>
      logger.warn({ req: { method: 'GET', url: `/v1/ip/${SECRET}` } }, 'x'),
  ],
] as const) {
  test(`log: ${behaviour} is logged without the query and without the key`, () => {
    for (let i = 0; i <= MAX_LINES; i++) write(log.logger);
    log.flush();
    const text = read();
    assert.equal(lines(text).length, MAX_LINES + 1);
    assert.ok(!text.includes(SECRET) && !text.includes('?'), text);
  });
}

test('log: the count of lines without a text of their own names the error', () => {
  for (let i = 0; i < 100; i++) log.logger.warn({ err: new Error('Reply was already sent') });
  log.flush();
  const last = lines(read()).at(-1);
  assert.deepEqual([last?.repeated, last?.msg], [100 - MAX_LINES, 'Reply was already sent']);
});
