import assert from 'node:assert/strict';
import {
  copyFileSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { afterEach, beforeEach } from 'node:test';
import { parseAddress } from '@whence/dataset/address';
import { fileFingerprint } from '@whence/dataset/io/files';
import { contentOf, sampleContent, sampleInput } from '@whence/dataset/test/sample-dataset';
import { publish, useVersion } from '@whence/dataset/versions';
import { checkForOthers, fileStateOf } from '@whence/dataset/versions/open';
import { dayOfMs } from '../day.ts';
import { LiveDataset, openAhead } from './live-dataset.ts';

let dataDir = '';
let nowMs = 0;
let events: string[] = [];
let live: LiveDataset;
const handlers = {
  loaded: (version: number) => events.push(`loaded ${version}`),
  failed: () => events.push('failed'),
  fellBack: (version: number) => events.push(`fell back to ${version}`),
};
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'whence-live-'));
  nowMs = 0;
  events = [];
  live = new LiveDataset(dataDir, handlers, { nowMs: () => nowMs });
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

test('live dataset: a new version is loaded once', async () => {
  build(1);
  await live.poll();
  await live.poll();
  build(2);
  await live.poll();
  assert.deepEqual(
    [served(), events],
    [
      [2, false],
      ['loaded 1', 'loaded 2'],
    ],
  );
});

test('live dataset: a version that was opened ahead is used while it is the current one', async () => {
  assert.equal(await openAhead(dataDir), undefined);
  build(1);
  const opened = await openAhead(dataDir);
  await live.poll(opened);
  assert.equal(live.current?.dataset, opened?.dataset);
  build(2);
  await live.poll(opened);
  assert.deepEqual(served(), [2, false]);
  damage(2);
  assert.equal(await openAhead(dataDir), undefined);
});

test('live dataset: a version is opened again when a list of it becomes too old', async () => {
  const input = sampleInput({
    routes: [['8.8.8.0/24', 15169, 'Google']],
    tor: [['8.8.8.8/32', 'Example']],
  });
  const overlays = input.overlays.map((list) => ({
    ...list,
    source: { ...list.source, max_age_days: 20 },
  }));
  publish(dataDir, contentOf({ ...input, overlays }), new Date('2026-11-15'));
  let today = '2026-11-15';
  const dated = new LiveDataset(dataDir, handlers, { today: () => today });
  const answer = () => {
    const address = parseAddress('8.8.8.8');
    assert.ok(address);
    const dataset = dated.current?.dataset;
    assert.ok(dataset);
    const { detection, threat } = dataset.record(address, dataset.find(address));
    return [detection.is_tor_exit, threat.score];
  };
  await dated.poll();
  assert.deepEqual(answer(), [true, 45]);
  today = '2026-11-21';
  await dated.poll();
  assert.deepEqual(
    [answer(), events],
    [[true, 45], ['loaded 1']],
    'the last day on which it counts',
  );
  today = '2026-11-22';
  await dated.poll();
  assert.deepEqual(
    [answer(), events],
    [
      [false, 0],
      ['loaded 1', 'loaded 1'],
    ],
  );
  await dated.poll();
  assert.equal(events.length, 2, 'once');
});

test('live dataset: a version that cannot be loaded is tried again, at least every minute, and told once', async () => {
  build(1);
  await live.poll();
  build(2);
  renameSync(file(2), `${file(2)}.away`);
  for (; nowMs < 300_000; nowMs += 500) await live.poll();
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
    await live.poll();
  }
  assert.deepEqual(
    [served(), events],
    [
      [2, false],
      ['loaded 1', 'failed', 'loaded 2'],
    ],
  );
});

test('live dataset: a file that is back is loaded after a second, without a new manifest', async () => {
  build(1);
  renameSync(file(1), `${file(1)}.away`);
  await live.poll();
  assert.deepEqual(served(), [undefined, false]);
  renameSync(`${file(1)}.away`, file(1));
  nowMs = 900;
  await live.poll();
  assert.equal(live.current, undefined);
  nowMs = 1_000;
  await live.poll();
  assert.deepEqual(served(), [1, false]);
});

test('live dataset: at the start, a damaged current version gives way to the newest one that is whole', async () => {
  build(1, 2, 3, 4);
  for (const version of [3, 4]) damage(version);
  await live.poll();
  assert.deepEqual(
    [served(), events],
    [
      [2, true],
      ['failed', 'fell back to 2'],
    ],
  );
});

test('live dataset: a file that is not the one that was published is no fallback', async () => {
  build(1, 2, 3);
  damage(3);
  copyFileSync(file(1), file(2));
  await live.poll();
  assert.deepEqual(served(), [1, true]);
});

test('live dataset: the fallback ends when the manifest names it, or a new version', async () => {
  build(1, 2);
  damage(2);
  await live.poll();
  assert.deepEqual(served(), [1, true]);
  useVersion(dataDir, 1);
  await live.poll();
  assert.deepEqual(served(), [1, false]);
  build(3);
  await live.poll();
  assert.deepEqual(served(), [3, false]);
});

test('live dataset: with every version damaged there is none, until one is published', async () => {
  build(1, 2);
  for (const version of [1, 2]) damage(version);
  await live.poll();
  assert.deepEqual(served(), [undefined, false]);
  build(3);
  await live.poll();
  assert.deepEqual(served(), [3, false]);
});

test('live dataset: a manifest that is no longer one, or names no version, leaves the version in use', async () => {
  build(1);
  await live.poll();
  const manifest = join(dataDir, 'datasets', 'manifest.json');
  const text = readFileSync(manifest, 'utf8');
  writeFileSync(manifest, '{');
  await live.poll();
  assert.deepEqual(served(), [1, true]);
  writeFileSync(manifest, text.replace('"current": 1', '"current": 9'));
  await live.poll();
  assert.deepEqual(served(), [1, true]);
  writeFileSync(manifest, text);
  await live.poll();
  assert.deepEqual(served(), [1, false]);
});

test('live dataset: at the start the version is there when poll returns, so that the first request finds it', () => {
  build(1);
  void live.poll();
  assert.deepEqual(served(), [1, false]);
});

test('live dataset: while a version is read and checked, the one in use answers and the event loop goes on', async () => {
  build(1);
  await live.poll();
  build(2);
  let turns = 0;
  const counter = setInterval(() => turns++, 1);
  const polled = live.poll();
  assert.deepEqual(served(), [1, false]);
  void live.poll();
  await polled;
  clearInterval(counter);
  assert.deepEqual(served(), [2, false]);
  assert.deepEqual(events, ['loaded 1', 'loaded 2']);
  assert.ok(turns > 0);
});

test('live dataset: a file that is damaged after it was read changes no answer', async () => {
  build(1);
  await live.poll();
  build(2);
  await live.poll();
  writeFileSync(file(2), Buffer.alloc(100_000, 0xff));
  const dataset = live.current?.dataset ?? assert.fail('nothing is served');
  const address = parseAddress('8.8.8.8') ?? assert.fail();
  assert.equal(dataset.record(address, dataset.find(address)).asn_name, 'Version 2');
  assert.deepEqual(served(), [2, false]);
});

test('live dataset: a damaged version does not replace the one in use, and is named once', async () => {
  build(1);
  await live.poll();
  build(2);
  const bytes = readFileSync(file(2));
  bytes[bytes.length - 20] = (bytes[bytes.length - 20] as number) ^ 1;
  writeFileSync(file(2), bytes);
  for (; nowMs < 5_000; nowMs += 500) await live.poll();
  assert.deepEqual(
    [served(), events],
    [
      [1, true],
      ['loaded 1', 'failed'],
    ],
  );
});

test('live dataset: on a replica, every version before the first pull is a fallback', async () => {
  let isPulled = false;
  const replica = new LiveDataset(dataDir, handlers, { isPulled: () => isPulled });
  assert.equal(replica.isFallback, false, 'nothing is served');
  build(1);
  await replica.poll();
  assert.equal(replica.isFallback, true);
  isPulled = true;
  assert.equal(replica.isFallback, false);
});

const manifestPath = () => join(dataDir, 'datasets', 'manifest.json');
const checkOf = async (version: number, day = dayOfMs(Date.now())) => {
  const checked = await checkForOthers(file(version), day);
  return { manifest: fileFingerprint(manifestPath()), ...(checked && { file: checked }) };
};

test('live dataset: a worker uses a new version when the first process has checked it, or after three seconds', async () => {
  const worker = new LiveDataset(dataDir, handlers, { nowMs: () => nowMs, isWorker: true });
  build(1);
  await worker.poll();
  assert.equal(worker.current?.version, 1, 'at the start it waits for no one');
  build(2);
  await worker.poll();
  assert.equal(worker.current?.version, 1);
  await worker.checked(await checkOf(2));
  assert.equal(worker.current?.version, 2);
  build(3);
  for (; nowMs < 2_900; nowMs += 100) await worker.poll();
  assert.equal(worker.current?.version, 2);
  nowMs = 3_100;
  await worker.poll();
  assert.equal(worker.current?.version, 3);
  assert.deepEqual(events, ['loaded 1', 'loaded 2', 'loaded 3']);
});

for (const [behaviour, checkFor, isLoaded] of [
  [
    'could not be checked is checked by the worker',
    async () => ({ manifest: fileFingerprint(manifestPath()) }),
    true,
  ],
  ['was checked for another day is checked again', () => checkOf(2, '2026-11-30'), true],
  [
    'was damaged since it was checked is refused',
    async () => {
      const check = await checkOf(2);
      const bytes = readFileSync(file(2));
      bytes[2000] = (bytes[2000] as number) ^ 1;
      writeFileSync(file(2), bytes);
      return check;
    },
    false,
  ],
  [
    'reads as other bytes than those that were checked is refused',
    async () => {
      const bytes = readFileSync(file(2));
      const check = await checkOf(2);
      bytes[2000] = (bytes[2000] as number) ^ 1;
      writeFileSync(file(2), bytes);
      return {
        ...check,
        file: { ...(check.file ?? assert.fail()), fileState: fileStateOf(statSync(file(2))) },
      };
    },
    false,
  ],
] as const)
  test(`live dataset: a version that ${behaviour}`, async () => {
    const worker = new LiveDataset(dataDir, handlers, { nowMs: () => nowMs, isWorker: true });
    build(1);
    await worker.poll();
    build(2);
    await worker.checked(await checkFor());
    assert.deepEqual(events, ['loaded 1', isLoaded ? 'loaded 2' : 'failed']);
  });
