import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  closeSync,
  constants,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { afterEach, beforeEach } from 'node:test';
import { type Address, parseAddress } from '@whence/dataset/address';
import { sampleContent } from '@whence/dataset/test/sample-dataset';
import { openCurrent, publish } from '@whence/dataset/versions';
import { inUseFor } from '@whence/dataset/versions/past';
import { ApiError } from '../http/errors.ts';
import { requesterAs } from '../test/requester.ts';
import { PastLookups } from './past-lookups.ts';

let dataDir = '';
let events: string[] = [];
let past: PastLookups;
const address = parseAddress('1.0.0.1') as Address;

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'whence-past-'));
  for (const day of [1, 2, 3])
    publish(
      dataDir,
      sampleContent({ routes: [['1.0.0.0/16', 64500, `Version ${day}`]] }),
      new Date(Date.UTC(2026, 0, day)),
    );
  events = [];
});
afterEach(async () => {
  await past.close();
  rmSync(dataDir, { recursive: true, force: true });
});

function lookups(timeoutMs?: number): PastLookups {
  const failed = (reason: string) => void events.push(reason);
  past = new PastLookups(
    dataDir,
    { failed, tookTooLong: () => void events.push('took too long') },
    timeoutMs,
  );
  return past;
}

function task(version: number) {
  const current = openCurrent(dataDir);
  assert.ok(current);
  const inUse = inUseFor(current, address);
  return {
    kind: 'record',
    ip: '1.0.0.1',
    inUse,
    wanted: { version },
    explained: false,
    nowMs: Date.now(),
  } as const;
}

const isOverloaded = (error: unknown) => error instanceof ApiError && error.code === 'OVERLOADED';
const firstVersion = () => join(dataDir, 'datasets/000001.whence');

/**
 * A thread that opens version 1 waits, as on a network disk that does not answer, until the
 * returned function is called.
 */
function blockFirstVersion(): () => void {
  const bytes = readFileSync(firstVersion());
  rmSync(firstVersion());
  assert.equal(spawnSync('mkfifo', [firstVersion()]).status, 0);
  return () => {
    const writer = openSync(firstVersion(), constants.O_RDWR | constants.O_NONBLOCK);
    // A thread that has not opened it yet finds the file again.
    rmSync(firstVersion());
    writeFileSync(firstVersion(), bytes);
    closeSync(writer);
  };
}

test('past lookups: a version answers, one request after another', async () => {
  lookups();
  const answers = await Promise.all(
    [1, 2, 1].map((version) => past.ask(task(version), requesterAs('key'))),
  );
  assert.deepEqual(
    answers.map(({ record }) => record.kind === 'found' && JSON.parse(record.json ?? '').asn_name),
    ['Version 1', 'Version 2', 'Version 1'],
  );
});

test('past lookups: a file that does not answer ends the request at its deadline, and others are answered after it', async () => {
  lookups(300);
  const unblock = blockFirstVersion();
  await assert.rejects(past.ask(task(1), requesterAs('key')), isOverloaded);
  assert.deepEqual(events, ['took too long']);
  unblock();
  past = new PastLookups(dataDir, { failed: () => {}, tookTooLong: () => {} });
  assert.equal((await past.ask(task(1), requesterAs('key'))).record.kind, 'found');
});

test('past lookups: 16 requests of a key wait, further ones are refused at once, and other keys wait for their turn', async () => {
  lookups(2_000);
  const unblock = blockFirstVersion();
  const outcomes = Array.from({ length: 20 }, () =>
    past.ask(task(1), requesterAs('key')).catch((error: unknown) => error),
  );
  const [first, ...rest] = await Promise.all(outcomes.slice(17));
  assert.ok(isOverloaded(first) && rest.length === 2 && rest.every(isOverloaded));
  const other = past.ask(task(2), requesterAs('other')).catch((error: unknown) => error);
  assert.deepEqual(events, []);
  const closed = past.close();
  // A thread cannot end while a file does not answer.
  unblock();
  await closed;
  assert.ok((await Promise.all([...outcomes, other])).every(isOverloaded));
});

test('past lookups: a client that disconnects does not wait', async () => {
  lookups(2_000);
  const unblock = blockFirstVersion();
  const blocked = past.ask(task(1), requesterAs('key')).catch((error: unknown) => error);
  const left = new AbortController();
  const waiting = past.ask(task(1), { fairnessKey: 'key', signal: left.signal });
  left.abort();
  await assert.rejects(waiting, isOverloaded);
  unblock();
  await blocked;
});

test('past lookups: after the end of the server, requests are refused', async () => {
  await lookups().close();
  await assert.rejects(past.ask(task(1), requesterAs('key')), isOverloaded);
});
