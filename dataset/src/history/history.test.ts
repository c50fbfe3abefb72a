import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { after, afterEach, beforeEach } from 'node:test';
import { killAfter } from '@whence/testing/until';
import { type Address, parseAddress } from '../address.ts';
import { DatasetError } from '../dataset-error.ts';
import { sampleContent } from '../test/sample-dataset.ts';
import { openCurrent, publish, readManifest, useVersion, versionPath } from '../versions/publish.ts';
import type { Retention } from '../versions/retention.ts';
import { changesPath, historyFolder, historyPath, readHistoryIndex } from './history-index.ts';
import { inUseFor, type PastRecord, PastVersions, type WantedVersion } from './past-versions.ts';
import { keepVersions, keepVersionsInThread } from './record-history.ts';

let dataDir = '';
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'whence-history-'));
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

const day = (number: number) => new Date(Date.UTC(2026, 0, number, 12));
const KILLS = 5;
const IP = parseAddress('1.0.0.1') as Address;

/** Version `number`, in which the network has that number in its name. */
function release(number: number, retention: Retention = 1000, name = `Version ${number}`): void {
  publish(dataDir, sampleContent({ routes: [['1.0.0.0/16', 64500, name]] }), day(number));
  keepVersions(dataDir, retention, day(number));
}

/** Built once for each number of versions, and copied for each test. */
const templates = new Map<number, string>();
after(() => {
  for (const template of templates.values()) rmSync(template, { recursive: true, force: true });
});

function releases(count: number, retention: Retention = 1000): void {
  if (retention === 1000 && !templates.has(count)) {
    const template = mkdtempSync(join(tmpdir(), 'whence-history-'));
    for (let number = 1; number <= count; number++) release(number);
    cpSync(dataDir, template, { recursive: true });
    templates.set(count, template);
  } else if (retention === 1000) cpSync(templates.get(count) ?? '', dataDir, { recursive: true });
  else for (let number = 1; number <= count; number++) release(number, retention);
}

function ask(
  wanted: WantedVersion,
  options: { explained?: boolean; now?: Date } = {},
  past = new PastVersions(dataDir),
) {
  const current = openCurrent(dataDir);
  assert.ok(current);
  return past.record(wanted, IP, inUseFor(current, IP), { now: day(31), ...options });
}

const nameIn = (found: PastRecord): string | undefined =>
  found.kind === 'found' ? (JSON.parse(found.json ?? '{}').asn_name as string) : found.kind;

function historyNames(): string[] {
  const current = openCurrent(dataDir);
  assert.ok(current);
  const spans = new PastVersions(dataDir).history(IP, inUseFor(current, IP));
  return spans.map(({ record }) => (record === undefined ? 'none' : (JSON.parse(record).asn_name as string)));
}

const wholeNumbers = () => readManifest(dataDir)?.versions.map(({ version }) => version);
const changesNumbers = () => readHistoryIndex(dataDir).map(({ version }) => version);
const changesFiles = () => readdirSync(historyFolder(dataDir)).filter((name) => name.endsWith('.changes'));
function entryPath(version: number): string {
  const entry = readHistoryIndex(dataDir).find((candidate) => candidate.version === version);
  assert.ok(entry);
  return changesPath(dataDir, entry);
}
function wholePath(version: number): string {
  const entry = readManifest(dataDir)?.versions.find((candidate) => candidate.version === version);
  assert.ok(entry);
  return versionPath(dataDir, entry);
}

for (const [behaviour, retention, whole, changes] of [
  ['as many as the whole files', 7, [4, 5, 6, 7, 8, 9, 10], [4, 5, 6, 7, 8, 9]],
  ['fewer', 3, [8, 9, 10], [8, 9]],
  ['more: older ones as changes', 9, [4, 5, 6, 7, 8, 9, 10], [2, 3, 4, 5, 6, 7, 8, 9]],
  ['an age in days', { days: 3 }, [8, 9, 10], [8, 9]],
  ['a long age', { days: 100 }, [4, 5, 6, 7, 8, 9, 10], [1, 2, 3, 4, 5, 6, 7, 8, 9]],
] as const) {
  test(`history: versions to keep: ${behaviour}`, () => {
    releases(10, retention);
    assert.deepEqual([wholeNumbers(), changesNumbers()], [whole, changes]);
    assert.equal(changesFiles().length, changes.length);
    assert.deepEqual(
      historyNames(),
      [10, ...[...changes].reverse()].map((number) => `Version ${number}`),
    );
  });
}

test('history: an age keeps the current version and the newest beside it, however old', () => {
  releases(3);
  keepVersions(dataDir, { days: 1 }, new Date('2030-01-01T00:00:00Z'));
  assert.deepEqual([wholeNumbers(), changesNumbers()], [[2, 3], []]);
});

test('history: the current version stays whole after a rollback', () => {
  releases(4);
  useVersion(dataDir, 1);
  keepVersions(dataDir, 2, day(5));
  assert.deepEqual(wholeNumbers(), [1, 4]);
  assert.equal(nameIn(ask({ version: 4 })), 'Version 4');
});

for (const [behaviour, wanted, want] of [
  ['by its number', { version: 2 }, 'Version 2'],
  ['the one in use', { version: 12 }, 'in use'],
  ['an unknown number', { version: 13 }, 'not kept'],
  ['number 0', { version: 0 }, 'not kept'],
  ['the day it was built', { day: '2026-01-03' }, 'Version 3'],
  ['a later day', { day: '2026-01-20' }, 'in use'],
  ['a day before all versions', { day: '2025-12-31' }, 'not kept'],
  ['a day that has not come', { day: '2026-02-01' }, 'not kept'],
] as const) {
  test(`history: a version: ${behaviour}`, () => {
    releases(12);
    assert.equal(nameIn(ask(wanted)), want);
  });
}

test('history: of several builds of a day, the last answers', () => {
  publish(dataDir, sampleContent({ routes: [['1.0.0.0/16', 64500, 'Morning']] }), new Date('2026-01-01T06:00:00Z'));
  publish(dataDir, sampleContent({ routes: [['1.0.0.0/16', 64500, 'Evening']] }), new Date('2026-01-01T23:59:59Z'));
  publish(dataDir, sampleContent({ routes: [['1.0.0.0/16', 64500, 'Next']] }), new Date('2026-01-02T00:00:00Z'));
  assert.equal(nameIn(ask({ day: '2026-01-01' })), 'Evening');
});

test('history: evidence is there as long as the file of the version is', () => {
  releases(9);
  const found = ask({ version: 5 }, { explained: true });
  assert.ok(found.kind === 'found' && JSON.parse(found.json ?? '').evidence.length > 3);
  assert.deepEqual(ask({ version: 1 }, { explained: true }), { kind: 'no evidence' });
});

test('history: versions without changes, as before an upgrade, are answered from their files, and recorded later', () => {
  for (const number of [1, 2, 3, 4])
    publish(dataDir, sampleContent({ routes: [['1.0.0.0/16', 64500, `Version ${number}`]] }), day(number));
  assert.deepEqual(historyNames(), ['Version 4', 'Version 3', 'Version 2', 'Version 1']);
  assert.ok(!existsSync(historyPath(dataDir)));
  keepVersions(dataDir, 1000, day(4));
  assert.deepEqual(changesNumbers(), [1, 2, 3]);
});

test('history: equal records of several versions are one span', () => {
  for (const [number, name] of [
    [1, 'A'],
    [2, 'B'],
    [3, 'B'],
    [4, 'A'],
  ] as const)
    publish(
      dataDir,
      sampleContent({
        routes: [
          ['1.0.0.0/16', 64500, name],
          ['2.0.0.0/16', 64501, `Other ${number}`],
        ],
      }),
      day(number),
    );
  keepVersions(dataDir, 1000, day(4));
  const current = openCurrent(dataDir);
  assert.ok(current);
  const spans = new PastVersions(dataDir).history(IP, inUseFor(current, IP));
  assert.deepEqual(
    spans.map(({ from_version, to_version, from, to }) => [from_version, to_version, from, to]),
    [
      [4, 4, day(4).toISOString(), day(4).toISOString()],
      [2, 3, day(2).toISOString(), day(3).toISOString()],
      [1, 1, day(1).toISOString(), day(1).toISOString()],
    ],
  );
});

test('history: a publisher that starts over: the newest version of a number answers', () => {
  releases(9);
  const restarted = new PastVersions(dataDir);
  rmSync(join(dataDir, 'datasets/manifest.json'));
  release(20, 1000, 'Started over');
  assert.deepEqual(wholeNumbers(), [1]);
  assert.equal(nameIn(ask({ version: 1 }, {}, restarted)), 'in use');
});

for (const [behaviour, damage] of [
  ['a truncated header', (path: string) => truncateSync(path, 20)],
  ['a truncated page', (path: string) => truncateSync(path, statSync(path).size - 5)],
  ['an empty file', (path: string) => truncateSync(path, 0)],
  [
    'another byte',
    (path: string) => {
      const bytes = readFileSync(path);
      bytes[bytes.length - 3] = (bytes.at(-3) ?? 0) ^ 1;
      writeFileSync(path, bytes);
    },
  ],
  [
    'a newer format',
    (path: string) => writeFileSync(path, readFileSync(path, 'latin1').replace('changes 1 ', 'changes 2 '), 'latin1'),
  ],
] as const) {
  test(`history: changes that are damaged: ${behaviour}: an error that names the file`, () => {
    releases(9);
    const path = entryPath(1);
    damage(path);
    assert.throws(
      () => ask({ version: 1 }),
      (error) => error instanceof DatasetError && error.message.startsWith(path),
    );
    assert.equal(nameIn(ask({ version: 2 })), 'Version 2');
  });
}

test('history: damaged changes of a version that is a whole file are not needed', () => {
  releases(9);
  truncateSync(entryPath(5), 20);
  assert.equal(nameIn(ask({ version: 5 })), 'Version 5');
});

test('history: changes that are gone, also after they were read: the version is not kept, and the history ends there', () => {
  releases(9);
  const past = new PastVersions(dataDir);
  assert.equal(nameIn(ask({ version: 1 }, {}, past)), 'Version 1');
  assert.equal(nameIn(ask({ version: 2 }, {}, past)), 'Version 2');
  rmSync(entryPath(2));
  assert.equal(nameIn(ask({ version: 2 }, {}, past)), 'not kept');
  assert.deepEqual(historyNames().at(-1), 'Version 3');
});

test('history: a whole file that is gone or damaged while it is open changes nothing, and after that it is an error', () => {
  releases(4);
  const past = new PastVersions(dataDir);
  const explained = (version: number, versions = past) => nameIn(ask({ version }, { explained: true }, versions));
  assert.equal(explained(2), 'Version 2');
  rmSync(wholePath(2));
  assert.equal(explained(2), 'Version 2');
  assert.equal(explained(2, new PastVersions(dataDir)), 'not kept');
  truncateSync(wholePath(3), 500);
  assert.throws(() => explained(3), DatasetError);
});

test('history: a damaged list of versions is an error that says what to do', () => {
  releases(3);
  writeFileSync(historyPath(dataDir), '{');
  assert.throws(() => ask({ version: 1 }), /history\.json is damaged; remove the folder/);
});

test('history: a damaged version is passed over, and versions before and after it are kept', () => {
  releases(2);
  publish(dataDir, sampleContent({ routes: [['1.0.0.0/16', 64500, 'Damaged']] }), day(3));
  truncateSync(wholePath(3), 500);
  release(4);
  assert.deepEqual(changesNumbers(), [1, 2]);
  release(5);
  assert.deepEqual(changesNumbers(), [1, 2, 4]);
  for (const version of [1, 2, 4]) assert.equal(nameIn(ask({ version })), `Version ${version}`);
});

test('history: the version that the changes lead to is damaged: those of the version before lead to the next one', () => {
  releases(3);
  truncateSync(wholePath(3), 500);
  release(4);
  assert.deepEqual(changesNumbers(), [1, 2]);
  for (const version of [1, 2]) assert.equal(nameIn(ask({ version })), `Version ${version}`);
});

test('history: a missing manifest removes nothing', () => {
  releases(3);
  rmSync(join(dataDir, 'datasets/manifest.json'));
  keepVersions(dataDir, 1000, day(3));
  assert.deepEqual(changesNumbers(), [1, 2]);
  assert.equal(changesFiles().length, 2);
});

test('history: files that no list names are removed', () => {
  releases(3);
  for (const name of ['000009-0123456789abcdef.changes', 'history.json.unfinished', 'notes.txt'])
    writeFileSync(join(historyFolder(dataDir), name), 'x');
  release(4);
  assert.deepEqual(readdirSync(historyFolder(dataDir)).sort(), [...changesFiles(), 'history.json', 'notes.txt'].sort());
  assert.equal(changesFiles().length, 3);
});

test('history: recorded in a thread', async () => {
  for (const number of [1, 2, 3])
    publish(dataDir, sampleContent({ routes: [['1.0.0.0/16', 64500, `Version ${number}`]] }), day(number));
  await keepVersionsInThread(dataDir, 2, day(3), new AbortController().signal);
  assert.deepEqual([wholeNumbers(), changesNumbers()], [[2, 3], [2]]);
});

test('history: killed at any moment, no version that is kept is lost', async () => {
  // Some versions are only changes.
  releases(9);
  const recorder = join(import.meta.dirname, '../test/endless-recorder.js');
  for (let kill = 0; kill < KILLS; kill++) {
    const child = spawn(process.execPath, [recorder, dataDir], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(child.stdout, 'data');
    await killAfter(child, kill * 7);
    const current = openCurrent(dataDir);
    assert.ok(current);
    const names = historyNames();
    assert.deepEqual(
      names,
      names.map((_, i) => `Version ${current.meta.version - i}`),
    );
    assert.equal(names.length, current.meta.version);
  }
  assert.ok((openCurrent(dataDir)?.meta.version ?? 0) >= 9 + KILLS, 'each added a version');
});
