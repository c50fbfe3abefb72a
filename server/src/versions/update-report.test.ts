import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { afterEach, beforeEach } from 'node:test';
import { ownIdentity } from '@whence/dataset/io/lock';
import { DAY_MS } from '../day.ts';
import {
  laterReport,
  readUpdateReport,
  reportPull,
  stateOf,
  UpdateReporter,
  updateReports,
} from './update-report.ts';

const NOON = new Date('2026-11-15T12:00:00Z');

let dataDir = '';
let path = '';
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'whence-report-'));
  path = join(dataDir, 'feeds', 'last-update.json');
  mkdirSync(join(dataDir, 'feeds'));
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

function store(report: object): void {
  writeFileSync(
    path,
    JSON.stringify({
      outcome: 'running',
      started_at: NOON.toISOString(),
      step: 'merging',
      ...report,
    }),
  );
}

test('update report: while its process runs, an update is running', () => {
  new UpdateReporter(dataDir, NOON).step('merging');
  assert.deepEqual(
    [readUpdateReport(dataDir)?.outcome, readUpdateReport(dataDir)?.step],
    ['running', 'merging'],
  );
});

test('update report: another process under the number of a killed one does not make its update a running one', async () => {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
  try {
    const { start: _, ...identity } = ownIdentity();
    store({ process: { ...identity, pid: child.pid, start: '1' } });
    const { outcome, error } = readUpdateReport(dataDir) ?? {};
    assert.deepEqual([outcome, error], ['failed', 'the update was killed while merging']);
  } finally {
    child.kill();
    await once(child, 'exit');
  }
});

test('update report: an update of another container runs as long as it writes its steps', () => {
  store({ process: { ...ownIdentity(), namespace: 'pid:[1]' } });
  assert.equal(readUpdateReport(dataDir)?.outcome, 'running');
  const longAgo = new Date(Date.now() - 11 * 60_000);
  utimesSync(path, longAgo, longAgo);
  assert.equal(readUpdateReport(dataDir)?.outcome, 'failed');
});

for (const [behaviour, pid, want] of [
  ['that runs', process.pid, 'running'],
  ['that has ended', 999_999_999, 'failed'],
] as const) {
  test(`update report: one of a process ${behaviour}, on a system without /proc`, () => {
    store({ process: { pid } });
    assert.equal(readUpdateReport(dataDir)?.outcome, want);
  });
}

test('update report: a reader sees each report, one of a process that has ended since, and none', () => {
  const read = updateReports(dataDir);
  const outcome = () => read()?.outcome;
  const seen = [outcome()];
  new UpdateReporter(dataDir, NOON).step('merging');
  seen.push(outcome(), outcome());
  new UpdateReporter(dataDir, NOON).succeed(NOON, 7, true);
  seen.push(outcome());
  store({ process: { ...ownIdentity(), namespace: 'pid:[1]' } });
  seen.push(outcome());
  const longAgo = new Date(Date.now() - 11 * 60_000);
  utimesSync(path, longAgo, longAgo);
  seen.push(outcome());
  rmSync(path);
  seen.push(outcome());
  assert.deepEqual(seen, [
    undefined,
    'running',
    'running',
    'published',
    'running',
    'failed',
    undefined,
  ]);
});

test('update report: pulls are reported, and a failed one keeps the time of the last success', () => {
  reportPull(dataDir, { kind: 'adopted', version: 7 }, NOON);
  assert.equal(readUpdateReport(dataDir)?.outcome, 'published');
  const later = new Date(NOON.getTime() + DAY_MS);
  reportPull(dataDir, { kind: 'failed', reason: 'no route' }, later);
  const { outcome, error, succeeded_at, finished_at } = readUpdateReport(dataDir) ?? {};
  assert.deepEqual(
    [outcome, error, succeeded_at, finished_at],
    ['failed', 'no route', NOON.toISOString(), later.toISOString()],
  );
  reportPull(dataDir, { kind: 'unchanged', version: 7 }, later);
  const unchanged = readUpdateReport(dataDir);
  assert.deepEqual(
    [unchanged?.outcome, unchanged?.succeeded_at],
    ['unchanged', NOON.toISOString()],
  );
  assert.deepEqual(
    readdirSync(join(dataDir, 'feeds')),
    ['last-update.json'],
    'nothing unfinished is left',
  );
  assert.ok(!readFileSync(path, 'utf8').includes('no route'));
});

test('update report: the first pull succeeds also if the version is already here', () => {
  rmSync(path, { force: true });
  reportPull(dataDir, { kind: 'unchanged', version: 7 }, NOON);
  assert.equal(readUpdateReport(dataDir)?.succeeded_at, NOON.toISOString());
});

const failed = {
  outcome: 'failed',
  started_at: NOON.toISOString(),
  finished_at: NOON.toISOString(),
} as const;
for (const [behaviour, report, builtAt, now, want] of [
  ['running while it runs', { ...failed, outcome: 'running' }, 0, NOON, 'running'],
  ['ok after a success', { ...failed, outcome: 'unchanged' }, 0, NOON, 'ok'],
  ['failing after a failure', failed, NOON.getTime() - DAY_MS, NOON, 'failing'],
  ['failing for days', failed, 0, new Date(NOON.getTime() + 6 * DAY_MS), 'failing'],
  ['ok once a version was built after the failure', failed, NOON.getTime() + 1, NOON, 'ok'],
  ['ok on a machine that was never online', { ...failed, is_offline: true }, 0, NOON, 'ok'],
  [
    'failing on a machine that is no longer online',
    { ...failed, is_offline: true, succeeded_at: NOON.toISOString() },
    0,
    NOON,
    'failing',
  ],
  [
    'ok a week after an attempt that was the last',
    failed,
    0,
    new Date(NOON.getTime() + 8 * DAY_MS),
    'ok',
  ],
] as const) {
  test(`update state: ${behaviour}`, () =>
    assert.equal(stateOf(report, builtAt, now.getTime()), want));
}

const reportAt = (outcome: 'failed' | 'unchanged', hour: number, more = {}) => ({
  outcome,
  started_at: new Date(Date.UTC(2026, 10, 15, hour)).toISOString(),
  ...more,
});
for (const [behaviour, written, told, want] of [
  ['none', undefined, undefined, undefined],
  ['the only one', undefined, reportAt('failed', 1), 'failed'],
  ['the one that could not be written', reportAt('unchanged', 1), reportAt('failed', 2), 'failed'],
  ['the file that was written since', reportAt('unchanged', 3), reportAt('failed', 2), 'unchanged'],
] as const)
  test(`update report: of a file and of what was told, the later counts: ${behaviour}`, () => {
    assert.equal(laterReport(written, told)?.outcome, want);
  });

test('update report: what could not be written does not hide when an update last succeeded', () => {
  const written = reportAt('unchanged', 1, { succeeded_at: NOON.toISOString() });
  assert.equal(laterReport(written, reportAt('failed', 2))?.succeeded_at, NOON.toISOString());
});
