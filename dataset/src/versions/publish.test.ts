import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { afterEach, beforeEach } from 'node:test';
import { crc32 } from 'node:zlib';
import { DatasetError } from '../dataset-error.ts';
import { FORMAT_VERSION } from '../file/format.ts';
import { openDataset } from '../file/read.ts';
import { encodeDataset } from '../file/write.ts';
import { BUILT_AT, ownBuffer, sampleContent } from '../test/sample-dataset.ts';
import {
  adopt,
  immutableName,
  openCurrent,
  prune,
  publish,
  publishFirst,
  readManifest,
  useVersion,
  verifyVersion,
} from './publish.ts';

const first = sampleContent({ routes: [['1.0.0.0/16', 64500, 'First']] });
const second = sampleContent({ routes: [['1.0.0.0/16', 64500, 'Second']] });

let dataDir = '';
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'whence-publish-'));
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

test('publish: the first version is 1 and current', () => {
  assert.equal(openCurrent(dataDir), undefined);
  assert.deepEqual(publish(dataDir, first, BUILT_AT), { version: 1, isNew: true });
  assert.equal(openCurrent(dataDir)?.meta.version, 1);
});

test('publish: a finished file becomes the first version, with the entry that publishing its content would make', () => {
  const file = ownBuffer(encodeDataset(first, 1, BUILT_AT));
  assert.equal(publishFirst(dataDir, file), true);
  const manifest = readManifest(dataDir);
  const [entry] = manifest?.versions ?? [];
  assert.ok(entry);
  assert.equal(verifyVersion(dataDir, entry).asn(64500)?.asn_name, 'First');
  rmSync(join(dataDir, 'datasets'), { recursive: true });
  publish(dataDir, first, BUILT_AT);
  assert.deepEqual(manifest, readManifest(dataDir));
});

test('publish: a finished file replaces no version, and a damaged one is refused', () => {
  const file = ownBuffer(encodeDataset(second, 1, BUILT_AT));
  const damaged = ownBuffer(file);
  const middle = damaged.length >> 1;
  damaged[middle] = ~(damaged[middle] ?? 0);
  assert.throws(() => publishFirst(dataDir, damaged), DatasetError);
  assert.equal(readManifest(dataDir), undefined);
  publish(dataDir, first, BUILT_AT);
  assert.equal(publishFirst(dataDir, file), false);
  assert.equal(openCurrent(dataDir)?.asn(64500)?.asn_name, 'First');
});

test('publish: the same content makes no new version', () => {
  publish(dataDir, first, BUILT_AT);
  assert.deepEqual(publish(dataDir, first, new Date('2027-01-01T00:00:00Z')), {
    version: 1,
    isNew: false,
  });
  assert.equal(readManifest(dataDir)?.versions.length, 1);
});

test('publish: other content is the next version, and the previous one stays', () => {
  publish(dataDir, first, BUILT_AT);
  assert.deepEqual(publish(dataDir, second, BUILT_AT), { version: 2, isNew: true });
  const manifest = readManifest(dataDir);
  assert.deepEqual(
    [manifest?.current, manifest?.versions.map(({ version }) => version)],
    [2, [1, 2]],
  );
  for (const entry of manifest?.versions ?? [])
    assert.equal(verifyVersion(dataDir, entry).meta.version, entry.version);
});

test('publish: going back to a version, and publishing what is newest there again', () => {
  publish(dataDir, first, BUILT_AT);
  publish(dataDir, second, BUILT_AT);
  useVersion(dataDir, 1);
  assert.equal(openCurrent(dataDir)?.asn(64500)?.asn_name, 'First');
  assert.deepEqual(publish(dataDir, second, BUILT_AT), { version: 3, isNew: true });
});

test('publish: an unknown version cannot be used', () => {
  publish(dataDir, first, BUILT_AT);
  assert.throws(() => useVersion(dataDir, 9), {
    name: 'DatasetError',
    message: 'there is no version 9',
  });
  assert.equal(openCurrent(dataDir)?.meta.version, 1);
});

test('publish: a damaged version cannot be used', () => {
  publish(dataDir, first, BUILT_AT);
  publish(dataDir, second, BUILT_AT);
  truncateSync(join(dataDir, 'datasets/000001.whence'), 1000);
  assert.throws(() => useVersion(dataDir, 1), /truncated/);
  assert.equal(openCurrent(dataDir)?.meta.version, 2);
});

test('publish: a damaged current version is published anew', () => {
  publish(dataDir, first, BUILT_AT);
  truncateSync(join(dataDir, 'datasets/000001.whence'), 1000);
  assert.throws(() => openCurrent(dataDir), DatasetError);
  assert.deepEqual(publish(dataDir, first, BUILT_AT), { version: 2, isNew: true });
  assert.equal(openCurrent(dataDir)?.meta.version, 2);
});

test('publish: a current version in an earlier format does not count, and is published anew', () => {
  publish(dataDir, first, BUILT_AT);
  const path = join(dataDir, 'datasets/000001.whence');
  const file = readFileSync(path);
  file.writeUInt32LE(2, 8);
  file.writeUInt32LE(crc32(file.subarray(0, 28)), 28);
  writeFileSync(path, file);
  assert.throws(
    () => openCurrent(dataDir),
    /has format 2, which this version of wh does not read; build the dataset again/,
  );
  assert.deepEqual(publish(dataDir, first, BUILT_AT), { version: 2, isNew: true });
});

test('publish: a file exchanged for another whole one is noticed', () => {
  publish(dataDir, first, BUILT_AT);
  publish(dataDir, second, BUILT_AT);
  const folder = join(dataDir, 'datasets');
  writeFileSync(join(folder, '000001.whence'), readFileSync(join(folder, '000002.whence')));
  const entry = readManifest(dataDir)?.versions[0];
  assert.ok(entry);
  assert.throws(() => verifyVersion(dataDir, entry), /not the file that was published/);
});

test('publish: a file that is not a manifest is refused', () => {
  publish(dataDir, first, BUILT_AT);
  writeFileSync(join(dataDir, 'datasets/manifest.json'), '{"current":');
  assert.throws(() => readManifest(dataDir), /manifest\.json is not a manifest/);
});

const LOCK_ID = '4f0a1f0e-0000-4000-8000-000000000000';
test('publish: a lock of a running process is respected, one of a dead process is not', () => {
  mkdirSync(join(dataDir, 'datasets'));
  const lock = join(dataDir, 'datasets/lock');
  writeFileSync(lock, JSON.stringify({ id: LOCK_ID, pid: process.ppid }));
  assert.throws(
    () => publish(dataDir, first, BUILT_AT),
    new RegExp(`process ${process.ppid} is publishing`),
  );
  writeFileSync(lock, JSON.stringify({ id: LOCK_ID, pid: 999_999_999 }));
  assert.equal(publish(dataDir, first, BUILT_AT).version, 1);
});

test('publish: a lock with our own number is left over from a process that had it before us', () => {
  mkdirSync(join(dataDir, 'datasets'));
  writeFileSync(join(dataDir, 'datasets/lock'), JSON.stringify({ id: LOCK_ID, pid: process.pid }));
  assert.equal(publish(dataDir, first, BUILT_AT).version, 1);
});

function adoptVersion(content: typeof first, version: number): void {
  const bytes = encodeDataset(content, version, BUILT_AT);
  const path = join(dataDir, 'downloaded');
  writeFileSync(path, bytes);
  const published = {
    version,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    bytes: bytes.length,
  };
  mkdirSync(join(dataDir, 'datasets'), { recursive: true });
  adopt(
    dataDir,
    { ...published, file: 'named-by-others.whence', format: FORMAT_VERSION },
    path,
    openDataset(path).meta,
  );
}
const versionFiles = () =>
  readdirSync(join(dataDir, 'datasets')).filter((name) => name.endsWith('.whence'));

test('adopt: a downloaded version keeps its number and becomes current', () => {
  adoptVersion(first, 42);
  const manifest = readManifest(dataDir);
  const [entry] = manifest?.versions ?? [];
  assert.ok(entry);
  assert.deepEqual(
    [manifest?.current, entry.version, entry.built_at],
    [42, 42, BUILT_AT.toISOString()],
  );
  assert.deepEqual(versionFiles(), [immutableName(entry)]);
  assert.equal(verifyVersion(dataDir, entry).asn(64500)?.asn_name, 'First');
});

test('adopt: another content under a number that is taken replaces it', () => {
  publish(dataDir, first, BUILT_AT);
  publish(dataDir, second, BUILT_AT);
  adoptVersion(second, 1);
  const manifest = readManifest(dataDir);
  assert.deepEqual(
    [manifest?.current, manifest?.versions.map(({ version }) => version)],
    [1, [1, 2]],
  );
  assert.equal(openCurrent(dataDir)?.asn(64500)?.asn_name, 'Second');
  assert.equal(versionFiles().length, 2, 'the file that was replaced is removed');
});

test('adopt: a file that holds another number than it was published under is refused', () => {
  publish(dataDir, first, BUILT_AT);
  const path = join(dataDir, 'downloaded');
  writeFileSync(path, encodeDataset(second, 8, BUILT_AT));
  assert.throws(
    () =>
      adopt(
        dataDir,
        { version: 7, file: 'x', format: FORMAT_VERSION, bytes: 1, sha256: '' },
        path,
        openDataset(path).meta,
      ),
    /the file published as version 7 contains version 8/,
  );
  assert.equal(openCurrent(dataDir)?.meta.version, 1);
});

for (const [behaviour, current, keep, want] of [
  ['the newest stay', 5, 3, [3, 4, 5]],
  ['the current one stays, however old', 1, 3, [1, 4, 5]],
  ['enough room for all', 5, 9, [1, 2, 3, 4, 5]],
  ['an age in days', 5, { days: 3 }, [3, 4, 5]],
  ['an age keeps the current version and the newest, however old', 1, { days: 1 }, [1, 5]],
] as const) {
  test(`prune: ${behaviour}`, () => {
    for (let day = 1; day <= 5; day++)
      publish(
        dataDir,
        sampleContent({ routes: [['1.0.0.0/16', 64500, `Day ${day}`]] }),
        new Date(Date.UTC(2026, 0, day)),
      );
    useVersion(dataDir, current);
    const removed = prune(dataDir, keep, new Date(Date.UTC(2026, 0, 5, 12)));
    const manifest = readManifest(dataDir);
    assert.deepEqual(
      [manifest?.current, manifest?.versions.map(({ version }) => version)],
      [current, want],
    );
    assert.equal(removed.length, 5 - want.length);
    assert.deepEqual(
      versionFiles(),
      want.map((version) => `00000${version}.whence`),
    );
    assert.equal(openCurrent(dataDir)?.meta.version, current);
  });
}

test('prune: after the publisher has started over, newest is by the time of the build', () => {
  publish(dataDir, first, new Date('2026-01-01T00:00:00Z'));
  publish(dataDir, second, new Date('2026-01-02T00:00:00Z'));
  adoptVersion(second, 1);
  adoptVersion(first, 3);
  assert.deepEqual(prune(dataDir, 2, BUILT_AT), [2]);
});

test('prune: files that no manifest names are removed, other files stay', () => {
  publish(dataDir, first, BUILT_AT);
  for (const name of ['000009.whence', '000009-0123456789abcdef.whence', 'notes.txt'])
    writeFileSync(join(dataDir, 'datasets', name), 'x');
  assert.deepEqual(prune(dataDir, 7, BUILT_AT), []);
  assert.deepEqual(readdirSync(join(dataDir, 'datasets')).sort(), [
    '000001.whence',
    'manifest.json',
    'notes.txt',
  ]);
});
