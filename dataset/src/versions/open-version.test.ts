import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { afterEach, beforeEach } from 'node:test';
import { parseAddress } from '../address.ts';
import { DatasetError } from '../dataset-error.ts';
import { encodeDataset } from '../file/write.ts';
import { BUILT_AT, sampleContent } from '../test/sample-dataset.ts';
import { type CheckedFile, checkForOthers, openChecked, openInThread } from './open-version.ts';

let folder = '';
let path = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'whence-open-'));
  path = join(folder, 'a.whence');
  writeFileSync(
    path,
    encodeDataset(sampleContent({ routes: [['8.8.8.0/24', 15169, 'Google LLC']] }), 1, BUILT_AT),
  );
});
afterEach(() => rmSync(folder, { recursive: true }));

test('open in a thread: the dataset answers, also after its file is gone', async () => {
  const sha256 = createHash('sha256').update(readFileSync(path)).digest('hex');
  const dataset = await openInThread({ path, sha256 });
  rmSync(path);
  const address = parseAddress('8.8.8.8') ?? assert.fail();
  assert.equal(dataset.record(address, dataset.find(address)).asn, 15169);
});

for (const [behaviour, damage, message] of [
  ['a file that is cut off', () => truncateSync(path, 1000), /a\.whence: truncated: 1000 of/],
  [
    'a flipped bit',
    () => {
      const bytes = readFileSync(path);
      bytes[2000] = (bytes[2000] as number) ^ 1;
      writeFileSync(path, bytes);
    },
    /a\.whence: damaged: checksum mismatch/,
  ],
] as const)
  test(`open in a thread: refused: ${behaviour}`, async () => {
    damage();
    await assert.rejects(
      openInThread({ path }),
      (error) => error instanceof DatasetError && message.test(error.message),
    );
  });

test('open in a thread: refused: another file than the one that was published', async () => {
  const opened = openInThread({ path, sha256: '0'.repeat(64) });
  await assert.rejects(opened, {
    name: 'DatasetError',
    message: /not the file that was published/,
  });
});

test('open in a thread: a file that is not there is an error of the file system', async () => {
  await assert.rejects(openInThread({ path: join(folder, 'b.whence') }), {
    code: 'ENOENT',
    errno: -2,
  });
});

async function check(): Promise<CheckedFile> {
  return (await checkForOthers(path, BUILT_AT.toISOString().slice(0, 10))) ?? assert.fail();
}

test('open a checked file: the dataset answers', async () => {
  const dataset = (await openChecked(await check())) ?? assert.fail();
  const address = parseAddress('8.8.8.8') ?? assert.fail();
  assert.equal(dataset.record(address, dataset.find(address)).asn, 15169);
});

test('open a checked file: not used if another file is in its place', async () => {
  const checked = await check();
  copyFileSync(path, `${path}.copy`);
  renameSync(`${path}.copy`, path);
  assert.equal(await openChecked(checked), undefined);
});

test('open a checked file: refused if it is not read in time', async () => {
  const checked = await check();
  rmSync(path);
  execFileSync('mkfifo', [path]);
  await assert.rejects(openChecked(checked, 20), {
    name: 'DatasetError',
    message: /not read within 0.02 s/,
  });
  // The other end, so that the read does not keep the process from ending.
  writeFileSync(path, '');
});
