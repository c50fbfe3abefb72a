import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { after, afterEach, beforeEach } from 'node:test';
import { type Address, parseAddress } from '../address.ts';
import { compile } from '../compile/compile.ts';
import { DatasetError } from '../dataset-error.ts';
import { encodeContent } from '../file/write.ts';
import { sampleContent, sampleInput } from '../test/sample-dataset.ts';
import {
  openCurrent,
  prune,
  publish,
  readManifest,
  useVersion,
  versionPath,
} from '../versions/publish.ts';
import {
  inUseFor,
  type PastRecord,
  PastVersions,
  type RecordSpan,
  type WantedVersion,
} from './past-versions.ts';

let dataDir = '';
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'whence-past-'));
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

const day = (number: number) => new Date(Date.UTC(2026, 0, number, 12));
const IP = parseAddress('1.0.0.1') as Address;

/** Version `number`, in which the network has that number in its name. */
function release(number: number, name = `Version ${number}`): void {
  publish(dataDir, sampleContent({ routes: [['1.0.0.0/16', 64500, name]] }), day(number));
}

/** Built once for each number of versions, and copied for each test. */
const templates = new Map<number, string>();
after(() => {
  for (const template of templates.values()) rmSync(template, { recursive: true, force: true });
});

function releases(count: number): void {
  let template = templates.get(count);
  if (template === undefined) {
    template = mkdtempSync(join(tmpdir(), 'whence-past-'));
    templates.set(count, template);
    for (let number = 1; number <= count; number++) release(number);
    cpSync(dataDir, template, { recursive: true });
  } else cpSync(template, dataDir, { recursive: true });
}

function inUse() {
  const current = openCurrent(dataDir);
  assert.ok(current);
  return inUseFor(current, IP);
}

function ask(
  wanted: WantedVersion,
  options: { explained?: boolean } = {},
  past = new PastVersions(dataDir),
) {
  return past.record(wanted, IP, inUse(), { now: day(31), ...options });
}

const nameIn = (found: PastRecord): string | undefined =>
  found.kind === 'found' ? (JSON.parse(found.json ?? '{}').asn_name as string) : found.kind;

const history = (past = new PastVersions(dataDir)) => past.history(IP, inUse());
const namesIn = (spans: readonly RecordSpan[]) =>
  spans.map(({ record }) =>
    record === undefined ? 'none' : (JSON.parse(record).asn_name as string),
  );
const namesFrom = (newest: number, oldest: number) =>
  Array.from({ length: newest - oldest + 1 }, (_, i) => `Version ${newest - i}`);

function pathOf(version: number): string {
  const entry = readManifest(dataDir)?.versions.find((candidate) => candidate.version === version);
  assert.ok(entry);
  return versionPath(dataDir, entry);
}

for (const [behaviour, wanted, want] of [
  ['by its number', { version: 2 }, 'Version 2'],
  ['the one in use', { version: 5 }, 'in use'],
  ['an unknown number', { version: 6 }, 'not kept'],
  ['number 0', { version: 0 }, 'not kept'],
  ['the day it was built', { day: '2026-01-03' }, 'Version 3'],
  ['a later day', { day: '2026-01-20' }, 'in use'],
  ['a day before all versions', { day: '2025-12-31' }, 'not kept'],
  ['a day that has not come', { day: '2026-02-01' }, 'not kept'],
] as const) {
  test(`past versions: a version: ${behaviour}`, () => {
    releases(5);
    assert.equal(nameIn(ask(wanted)), want);
  });
}

test('past versions: of several builds of a day, the last answers', () => {
  const publishNamed = (name: string, at: string) =>
    publish(dataDir, sampleContent({ routes: [['1.0.0.0/16', 64500, name]] }), new Date(at));
  publishNamed('Morning', '2026-01-01T06:00:00Z');
  publishNamed('Evening', '2026-01-01T23:59:59Z');
  publishNamed('Next', '2026-01-02T00:00:00Z');
  assert.equal(nameIn(ask({ day: '2026-01-01' })), 'Evening');
});

test('past versions: with evidence', () => {
  releases(5);
  const found = ask({ version: 1 }, { explained: true });
  assert.ok(found.kind === 'found' && JSON.parse(found.json ?? '').evidence.length > 3);
});

test('past versions: a version without a record of the address', () => {
  publish(dataDir, sampleContent({ routes: [['2.0.0.0/16', 64500, 'Elsewhere']] }), day(1));
  release(2);
  for (const explained of [false, true])
    assert.deepEqual(ask({ version: 1 }, { explained }), { kind: 'found', version: 1 });
  assert.deepEqual(namesIn(history()), ['Version 2', 'none']);
});

test('past versions: versions that were removed are not kept, and the history ends before them', () => {
  releases(5);
  const past = new PastVersions(dataDir);
  assert.equal(nameIn(ask({ version: 2 }, {}, past)), 'Version 2');
  prune(dataDir, 3, day(5));
  assert.equal(nameIn(ask({ version: 2 }, {}, past)), 'not kept');
  assert.deepEqual(namesIn(history(past)), namesFrom(5, 3));
});

test('past versions: after a return to an earlier version, the others answer as before', () => {
  releases(5);
  useVersion(dataDir, 2);
  assert.deepEqual(
    [nameIn(ask({ version: 2 })), nameIn(ask({ version: 5 }))],
    ['in use', 'Version 5'],
  );
  assert.deepEqual(namesIn(history()), namesFrom(5, 1));
});

test('past versions: a version in use that was removed from the folder still answers', () => {
  releases(3);
  const served = inUse();
  release(4);
  release(5);
  prune(dataDir, 2, day(5));
  const past = new PastVersions(dataDir);
  assert.deepEqual(past.record({ version: 3 }, IP, served), { kind: 'in use' });
  assert.deepEqual(namesIn(past.history(IP, served)), namesFrom(5, 3));
});

test('past versions: equal records of several versions are one span', () => {
  const names = ['A', 'B', 'B', 'A'];
  for (const [i, name] of names.entries())
    publish(
      dataDir,
      sampleContent({
        routes: [
          ['1.0.0.0/16', 64500, name],
          ['2.0.0.0/16', 64501, `Other ${i}`],
        ],
      }),
      day(i + 1),
    );
  const at = (number: number) => day(number).toISOString();
  assert.deepEqual(
    history().map(({ from_version, to_version, from, to }) => [from_version, to_version, from, to]),
    [
      [4, 4, at(4), at(4)],
      [2, 3, at(2), at(3)],
      [1, 1, at(1), at(1)],
    ],
  );
});

test('past versions: records that differ only in the dates of lists are one span, which shows the newest', () => {
  const input = sampleInput({
    routes: [['1.0.0.0/16', 64500, 'Nord']],
    tor: [['1.0.0.1/32', 'Relay Friends']],
  });
  for (const number of [1, 2]) {
    const as_of = day(number).toISOString().slice(0, 10);
    const overlays = input.overlays.map((overlay) => ({
      ...overlay,
      source: { ...overlay.source, as_of },
    }));
    publish(dataDir, encodeContent(compile({ ...input, overlays })), day(number));
  }
  const [span, ...others] = history();
  assert.deepEqual([span?.from_version, span?.to_version, others], [1, 2, []]);
  assert.match(span?.record ?? '', /, 2026-01-02\)/);
});

test('past versions: a publisher that starts over: the newest version of a number answers', () => {
  releases(5);
  const past = new PastVersions(dataDir);
  rmSync(join(dataDir, 'datasets/manifest.json'));
  release(20, 'Started over');
  assert.equal(nameIn(ask({ version: 1 }, {}, past)), 'in use');
});

for (const [behaviour, damage] of [
  ['a truncated file', (path: string) => truncateSync(path, 500)],
  ['an empty file', (path: string) => truncateSync(path, 0)],
  [
    'another byte',
    (path: string) => {
      const bytes = readFileSync(path);
      bytes[bytes.length - 100] = (bytes.at(-100) ?? 0) ^ 1;
      writeFileSync(path, bytes);
    },
  ],
  ['the file of another version', (path: string) => writeFileSync(path, readFileSync(pathOf(3)))],
] as const)
  test(`past versions: damage is an error that names the file: ${behaviour}`, () => {
    releases(5);
    const path = pathOf(2);
    damage(path);
    const isAboutFile = (error: unknown) =>
      error instanceof DatasetError && error.message.startsWith(path);
    assert.throws(() => ask({ version: 2 }), isAboutFile);
    assert.throws(() => history(), isAboutFile);
    assert.equal(nameIn(ask({ version: 1 })), 'Version 1');
  });

test('past versions: a file that is gone: open ones still answer, and after that the version is not kept', () => {
  releases(5);
  const past = new PastVersions(dataDir);
  assert.equal(nameIn(ask({ version: 2 }, {}, past)), 'Version 2');
  rmSync(pathOf(2));
  assert.equal(nameIn(ask({ version: 2 }, {}, past)), 'Version 2');
  assert.equal(nameIn(ask({ version: 2 })), 'not kept');
  assert.deepEqual(namesIn(history()), namesFrom(5, 3));
});

test('past versions: a damaged manifest is an error', () => {
  releases(5);
  const served = inUse();
  writeFileSync(join(dataDir, 'datasets/manifest.json'), '{');
  assert.throws(() => new PastVersions(dataDir).history(IP, served), /is not a manifest/);
});
