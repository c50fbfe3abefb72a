import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { after } from 'node:test';
import { writeOwnerOnlyFile } from './first-access.ts';

const folder = mkdtempSync(join(tmpdir(), 'whence-owner-'));
after(() => rmSync(folder, { recursive: true, force: true }));

for (const [behaviour, prepare] of [
  ['is new', () => {}],
  ['others can read', (path: string) => writeFileSync(path, 'old', { mode: 0o644 })],
  [
    'is a link to another',
    (path: string) => {
      writeFileSync(`${path}.target`, 'elsewhere', { mode: 0o644 });
      symlinkSync(`${path}.target`, path);
    },
  ],
] as const) {
  test(`owner-only file: one that ${behaviour} has the text, and only its owner can read it`, () => {
    const path = join(folder, behaviour.replaceAll(' ', '-'));
    prepare(path);
    writeOwnerOnlyFile(path, 'secret');
    assert.equal(readFileSync(path, 'utf8'), 'secret\n');
    assert.equal(statSync(path).mode & 0o777, 0o600);
    if (behaviour === 'is a link to another')
      assert.equal(readFileSync(`${path}.target`, 'utf8'), 'elsewhere');
  });
}
