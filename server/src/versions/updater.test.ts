import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { ownIdentity } from '@whence/dataset/io/lock';
import { until } from '@whence/testing/until';
import type { Logger } from '../log/log.ts';
import { Updater } from './updater.ts';

const HOUR_MS = 3_600_000;
const START = Date.parse('2026-11-15T12:00:00Z');

/** A program that ends with a report and a code instead of an update. */
function ending(dataDir: string, report: object, code: number): readonly [string, ...string[]] {
  const path = join(dataDir, 'feeds', 'last-update.json');
  const write = `require('fs').writeFileSync(${JSON.stringify(path)}, ${JSON.stringify(JSON.stringify(report))})`;
  return [process.execPath, '-e', `${write}; process.exit(${code})`];
}

/** Runs an updater whose clock moves by `hours` with each update, for `runs` of them. */
async function linesOf(
  report: object,
  code: number,
  { hours, runs }: { readonly hours: number; readonly runs: number },
): Promise<string[]> {
  const dataDir = mkdtempSync(join(tmpdir(), 'whence-updater-'));
  mkdirSync(join(dataDir, 'feeds'));
  const lines: string[] = [];
  let started = 0;
  const note = (level: string) => (first: object | string, second?: string) => {
    const text = typeof first === 'string' ? first : second;
    if (text === 'update started') started++;
    if (level !== 'debug') lines.push(`${level}: ${text}`);
  };
  const log = { debug: note('debug'), info: note('info'), warn: note('warn') };
  const updater = new Updater({
    dataDir,
    intervalMs: 1,
    command: ending(dataDir, { started_at: new Date(START).toISOString(), ...report }, code),
    log: log as unknown as Logger,
    nowMs: () => START + started * hours * HOUR_MS,
    random: () => 0.5,
  });
  updater.start();
  await until('enough updates have started', () => started > runs);
  await updater.stop();
  rmSync(dataDir, { recursive: true });
  return lines;
}

const OFFLINE = { outcome: 'failed', is_offline: true, error: 'no DNS' };
const SENTENCE = 'warn: public lists cannot be fetched from here; trying again at least every hour';

test('updater: a machine that is offline mentions it once a day', async () => {
  const lines = await linesOf(OFFLINE, 3, { hours: 8, runs: 6 });
  // Two days.
  assert.deepEqual(lines, ['info: update started', SENTENCE, SENTENCE]);
});

test('updater: every other failure is mentioned', async () => {
  const failed = { outcome: 'failed', error: 'the disk is full' };
  const lines = await linesOf(failed, 3, { hours: 1, runs: 2 });
  assert.deepEqual(lines.slice(0, 4), [
    'info: update started',
    'warn: update failed',
    'info: update started',
    'warn: update failed',
  ]);
});

test('updater: waits for an update that another process has started', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'whence-updater-'));
  mkdirSync(join(dataDir, 'feeds'));
  writeFileSync(
    join(dataDir, 'feeds', 'last-update.json'),
    JSON.stringify({
      outcome: 'running',
      step: 'merging',
      started_at: new Date().toISOString(),
      process: ownIdentity(),
    }),
  );
  const lines: string[] = [];
  const note = (_: object | string, text = '') => lines.push(text);
  const updater = new Updater({
    dataDir,
    intervalMs: 1,
    command: [process.execPath, '-e', ''],
    log: { debug: note, info: note, warn: note } as unknown as Logger,
    nowMs: () => Date.now(),
    random: () => 0,
  });
  updater.start();
  await updater.stop();
  rmSync(dataDir, { recursive: true });
  assert.deepEqual(lines, [], 'none is planned');
});
