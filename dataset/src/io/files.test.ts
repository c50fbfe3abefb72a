import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { after } from 'node:test';
import { makeFolder } from './files.ts';

const root = mkdtempSync(join(tmpdir(), 'whence-folder-'));
writeFileSync(join(root, 'file'), '');
after(() => rmSync(root, { recursive: true, force: true }));

for (const [behaviour, path] of [
  ['folders above it are created too', join(root, 'a', 'b', 'c')],
  ['an existing folder is left as it is', root],
] as const) {
  test(`folder: ${behaviour}`, () => {
    makeFolder(path, 0o700);
    assert.equal(statSync(path).isDirectory(), true);
    assert.equal(statSync(path).mode & 0o777, 0o700);
  });
}

for (const [behaviour, path, code] of [
  ['below a file', join(root, 'file', 'data'), 'ENOTDIR'],
  ['in place of a file', join(root, 'file'), 'EEXIST'],
  ['where the system creates none', '/proc/whence', 'ENOENT'],
  ['below a folder that the system does not create', '/proc/whence/data', 'ENOENT'],
] as const) {
  test(`folder: one ${behaviour} is refused with ${code}`, () => {
    assert.throws(() => makeFolder(path), { code });
  });
}
