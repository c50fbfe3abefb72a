import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { afterEach, beforeEach } from 'node:test';
import { publish, useVersion } from '@whence/dataset/publish';
import { sampleContent } from '@whence/dataset/sample-dataset';
import { LiveDataset } from './live-dataset.ts';

let dataDir = '';
let nowMs = 0;
let events: string[] = [];
let live: LiveDataset;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'whence-live-'));
  [nowMs, events] = [0, []];
  const handlers = {
    loaded: (version: number) => events.push(`loaded ${version}`),
    failed: () => events.push('failed'),
    fellBack: (version: number) => events.push(`fell back to ${version}`),
  };
  live = new LiveDataset(dataDir, handlers, () => nowMs);
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

const build = (...numbers: number[]) => {
  for (const number of numbers)
    publish(
      dataDir,
      sampleContent({ routes: [['8.8.8.0/24', 15169, `Version ${number}`]] }),
      new Date(Date.UTC(2026, 10, number)),
    );
};
const file = (version: number) => join(dataDir, 'datasets', `00000${version}.whence`);
const damage = (version: number) => truncateSync(file(version), 1000);
const served = () => [live.current?.version, live.isFallback];

test('live dataset: a new version is loaded once', () => {
  build(1);
  live.poll();
  live.poll();
  build(2);
  live.poll();
  assert.deepEqual(
    [served(), events],
    [
      [2, false],
      ['loaded 1', 'loaded 2'],
    ],
  );
});

test('live dataset: a version that cannot be loaded is tried again, at least every minute, and told once', () => {
  build(1);
  live.poll();
  build(2);
  renameSync(file(2), `${file(2)}.away`);
  for (; nowMs < 300_000; nowMs += 500) live.poll();
  assert.deepEqual(
    [served(), events],
    [
      [1, true],
      ['loaded 1', 'failed'],
    ],
  );
  renameSync(`${file(2)}.away`, file(2));
  const backMs = nowMs;
  for (; live.isFallback; nowMs += 500) {
    assert.ok(nowMs <= backMs + 60_000);
    live.poll();
  }
  assert.deepEqual(
    [served(), events],
    [
      [2, false],
      ['loaded 1', 'failed', 'loaded 2'],
    ],
  );
});

test('live dataset: a file that is back is loaded after a second, without a new manifest', () => {
  build(1);
  renameSync(file(1), `${file(1)}.away`);
  live.poll();
  assert.deepEqual(served(), [undefined, false]);
  renameSync(`${file(1)}.away`, file(1));
  nowMs = 900;
  live.poll();
  assert.equal(live.current, undefined);
  nowMs = 1_000;
  live.poll();
  assert.deepEqual(served(), [1, false]);
});

test('live dataset: at the start, a damaged current version gives way to the newest one that is whole', () => {
  build(1, 2, 3, 4);
  for (const version of [3, 4]) damage(version);
  live.poll();
  assert.deepEqual(
    [served(), events],
    [
      [2, true],
      ['failed', 'fell back to 2'],
    ],
  );
});

test('live dataset: a file that is not the one that was published is no fallback', () => {
  build(1, 2, 3);
  damage(3);
  copyFileSync(file(1), file(2));
  live.poll();
  assert.deepEqual(served(), [1, true]);
});

test('live dataset: the fallback ends when the manifest names it, or a new version', () => {
  build(1, 2);
  damage(2);
  live.poll();
  assert.deepEqual(served(), [1, true]);
  useVersion(dataDir, 1);
  live.poll();
  assert.deepEqual(served(), [1, false]);
  build(3);
  live.poll();
  assert.deepEqual(served(), [3, false]);
});

test('live dataset: with every version damaged there is none, until one is published', () => {
  build(1, 2);
  for (const version of [1, 2]) damage(version);
  live.poll();
  assert.deepEqual(served(), [undefined, false]);
  build(3);
  live.poll();
  assert.deepEqual(served(), [3, false]);
});

test('live dataset: a manifest that is no longer one, or names no version, leaves the version in use', () => {
  build(1);
  live.poll();
  const manifest = join(dataDir, 'datasets', 'manifest.json');
  const text = readFileSync(manifest, 'utf8');
  writeFileSync(manifest, '{');
  live.poll();
  assert.deepEqual(served(), [1, true]);
  writeFileSync(manifest, text.replace('"current": 1', '"current": 9'));
  live.poll();
  assert.deepEqual(served(), [1, true]);
  writeFileSync(manifest, text);
  live.poll();
  assert.deepEqual(served(), [1, false]);
});
