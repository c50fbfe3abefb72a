import assert from 'node:assert/strict';
import {
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
import test, { afterEach, beforeEach } from 'node:test';
import { FORMAT_VERSION } from '../file/format.ts';
import { openDataset } from '../file/read.ts';
import { sampleContent } from '../test/sample-dataset.ts';
import { openCurrent, publish, useVersion } from './publish.ts';
import { publishTo } from './published-folder.ts';
import { parsePublished } from './published-manifest.ts';

let folder = '';
let dataDir = '';
let target = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'whence-published-'));
  dataDir = join(folder, 'data');
  target = join(folder, 'www/whence');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function build(...numbers: number[]): void {
  for (const number of numbers)
    publish(
      dataDir,
      sampleContent({ routes: [['1.0.0.0/16', 64500, `Version ${number}`]] }),
      new Date(Date.UTC(2026, 10, number)),
    );
}
const files = () => readdirSync(target).sort();
const versionsOf = (names: string[]) =>
  names.filter((name) => name.endsWith('.whence')).map((name) => Number(name.slice(0, 6)));

test('publishTo: a manifest and files whose names hold the digest', () => {
  build(1, 2);
  const { current, versions, written } = publishTo(dataDir, target, { keep: 3 });
  assert.deepEqual([current, versions], [2, [1, 2]]);
  assert.deepEqual(files(), [...written, 'manifest.json']);
  const published = parsePublished(readFileSync(join(target, 'manifest.json'), 'utf8'));
  assert.equal(published.file, `000002-${published.sha256.slice(0, 16)}.whence`);
  assert.equal(openDataset(join(target, published.file)).meta.version, 2);
});

test('publishTo: the current version and the newest others', () => {
  build(1, 2, 3, 4, 5);
  useVersion(dataDir, 2);
  assert.deepEqual(publishTo(dataDir, target, { keep: 3 }).versions, [2, 4, 5]);
  assert.equal(parsePublished(readFileSync(join(target, 'manifest.json'), 'utf8')).version, 2);
});

test('publishTo: nothing new writes nothing, not even the manifest', () => {
  build(1);
  publishTo(dataDir, target, { keep: 3 });
  const before = statSync(join(target, 'manifest.json'));
  const { written, removed } = publishTo(dataDir, target, { keep: 3 });
  assert.deepEqual([written, removed], [[], []]);
  assert.equal(statSync(join(target, 'manifest.json')).ino, before.ino);
});

test('publishTo: a file that the last manifest named is removed one publication later', () => {
  build(1);
  publishTo(dataDir, target, { keep: 1 });
  build(2);
  publishTo(dataDir, target, { keep: 1 });
  assert.deepEqual(versionsOf(files()), [1, 2], 'a replica may still be reading version 1');
  build(3);
  const { removed } = publishTo(dataDir, target, { keep: 1 });
  assert.deepEqual([versionsOf(files()), versionsOf(removed)], [[2, 3], [1]]);
});

test('publishTo: files of others in the folder are left alone, a cut-off one of ours is written again', () => {
  build(1);
  const { written } = publishTo(dataDir, target, { keep: 1 });
  const [file = ''] = written;
  writeFileSync(join(target, 'index.html'), 'hello');
  truncateSync(join(target, file), 100);
  assert.deepEqual(publishTo(dataDir, target, { keep: 1 }).written, [file]);
  assert.deepEqual(files(), [file, 'index.html', 'manifest.json']);
  assert.equal(openDataset(join(target, file)).meta.version, 1);
});

test('publishTo: a damaged older version is left out, a damaged current one stops it', () => {
  build(1, 2);
  truncateSync(join(dataDir, 'datasets/000001.whence'), 1000);
  const { versions, left_out } = publishTo(dataDir, target, { keep: 3 });
  assert.deepEqual([versions, left_out.map(({ version }) => version)], [[2], [1]]);
  const before = readFileSync(join(target, 'manifest.json'), 'utf8');
  truncateSync(join(dataDir, 'datasets/000002.whence'), 1000);
  assert.throws(() => publishTo(dataDir, target, { keep: 3 }), /truncated/);
  assert.equal(readFileSync(join(target, 'manifest.json'), 'utf8'), before);
});

test('publishTo: refuses the folder of versions itself, and a data directory without any', () => {
  assert.throws(() => publishTo(dataDir, target, { keep: 3 }), /there is no dataset in /);
  build(1);
  assert.throws(
    () => publishTo(dataDir, join(dataDir, 'datasets'), { keep: 3 }),
    /publish to another folder/,
  );
  assert.equal(openCurrent(dataDir)?.meta.version, 1);
});

const good = {
  version: 1,
  file: '000001-aa.whence',
  format: FORMAT_VERSION,
  bytes: 10,
  sha256: 'a'.repeat(64),
};
for (const [behaviour, manifest, want] of [
  ['a web page', '<!DOCTYPE html><p>Sign in', /^is a web page, not a manifest$/],
  ['half a manifest', '{"current": 1, "ver', /^is not a manifest$/],
  ['nothing', '', /^is not a manifest$/],
  ['null', 'null', /^is not a manifest$/],
  ['a list', '[]', /^is not a manifest$/],
  ['a version that is not a number', { current: '1', versions: [good] }, /^is not a manifest$/],
  ['version 0', { current: 0, versions: [] }, /^is not a manifest$/],
  [
    'a current version that is not listed',
    { current: 2, versions: [null, good] },
    /version 2 as current, but does not/,
  ],
  [
    'a path upwards',
    { current: 1, versions: [{ ...good, file: '../../etc/passwd' }] },
    /plain file name: "\.\.\/\.\.\//,
  ],
  ['a hidden file', { current: 1, versions: [{ ...good, file: '..' }] }, /plain file name/],
  [
    'an absolute path',
    { current: 1, versions: [{ ...good, file: '/etc/passwd' }] },
    /plain file name/,
  ],
  ['a Windows path', { current: 1, versions: [{ ...good, file: '..\\x' }] }, /plain file name/],
  [
    'an escaped path',
    { current: 1, versions: [{ ...good, file: '%2e%2e%2fx' }] },
    /plain file name/,
  ],
  [
    'another host',
    { current: 1, versions: [{ ...good, file: 'http://192.0.2.1/x' }] },
    /plain file name/,
  ],
  ['no file', { current: 1, versions: [{ ...good, file: undefined }] }, /plain file name/],
  ['no digest', { current: 1, versions: [{ ...good, sha256: '' }] }, /no SHA-256 for version 1/],
  [
    'a digest in capitals',
    { current: 1, versions: [{ ...good, sha256: 'A'.repeat(64) }] },
    /no SHA-256 for version 1/,
  ],
  ['no size', { current: 1, versions: [{ ...good, bytes: 0 }] }, /no size for version 1/],
  [
    'a size of 600 MB',
    { current: 1, versions: [{ ...good, bytes: 6e8 }] },
    /a file of 600000000 bytes; replicas take 536870912 at most$/,
  ],
] as const) {
  test(`published manifest: ${behaviour} is refused`, () => {
    const text = typeof manifest === 'string' ? manifest : JSON.stringify(manifest);
    assert.throws(() => parsePublished(text), { name: 'DatasetError', message: want });
  });
}

test('published manifest: unknown fields are ignored', () => {
  assert.deepEqual(
    parsePublished(JSON.stringify({ current: 1, versions: [{ ...good, note: 1 }], more: [] })),
    good,
  );
});

for (const [behaviour, format, want] of [
  [
    'no format',
    undefined,
    /^names version 1, which has format 0, which .* does not read; build the dataset again$/,
  ],
  [
    'an earlier format',
    5,
    /^names version 1, which has format 5, which .* does not read; build the dataset again$/,
  ],
  [
    'a format of a later release',
    FORMAT_VERSION + 1,
    /^names version 1, which has format \d+, which .* does not read; upgrade wh$/,
  ],
] as const)
  test(`published manifest: a current version with ${behaviour} is refused`, () => {
    const versions = [{ ...good, format }];
    assert.throws(() => parsePublished(JSON.stringify({ current: 1, versions })), {
      name: 'DatasetError',
      message: want,
    });
  });
