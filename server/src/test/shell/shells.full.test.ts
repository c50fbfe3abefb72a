/**
 * docs/cli.md: its commands are typed into real shells, and print what the page shows. In zsh and
 * ksh, `whence` is a builtin that comes first, which is why there is a second name.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { after, before } from 'node:test';
import { copyEmbeddedDataset } from '@whence/testing/embedded-dataset';
import { findProgram } from '@whence/testing/programs';
import { allBlocks } from '../packages/page-blocks.ts';
import { commandsOf, differenceOf } from '../packages/run-page.ts';
import { TestFolder } from '../test-server.ts';

const blocks = allBlocks('docs/cli.md').filter(({ needs }) => needs.length === 0);
const documented = blocks.filter(({ language }) => language === 'console').flatMap(commandsOf);

const folder = new TestFolder();
const programs = join(folder.dataDir, 'programs');
const files = join(folder.dataDir, 'files');
before(async () => {
  await copyEmbeddedDataset(folder.dataDir);
  for (const path of [programs, files]) mkdirSync(path);
  for (const name of ['wh', 'whence'])
    symlinkSync(join(import.meta.dirname, '../../../bin/whence.js'), join(programs, name));
  for (const { file, code } of blocks)
    if (file !== undefined) writeFileSync(join(files, file), code);
});
after(() => folder.remove());

function type(shell: string, command: string) {
  const { status, stdout, stderr } = spawnSync(shell, ['-c', command], {
    cwd: files,
    encoding: 'utf8',
    env: { ...folder.environment, PATH: `${programs}:${process.env['PATH']}`, HOME: files },
  });
  return { status, stdout, stderr };
}

for (const shell of ['bash', 'zsh', 'ksh']) {
  const skip = findProgram(shell) === undefined && `${shell} is not here; apt-get install ${shell}`;

  test(`${shell}: the commands of docs/cli.md print what it shows`, { skip }, () => {
    assert.ok(documented.length > 0);
    for (const { text, shown = '' } of documented)
      assert.equal(differenceOf(shown, type(shell, text).stdout), undefined);
  });

  test(`${shell}: help and usage errors have the name that was typed`, { skip }, () => {
    const error = type(shell, 'wh asn --colour');
    assert.equal(error.status, 2);
    assert.match(error.stderr, /unknown option '--colour'\n\(run wh asn --help for usage\)\n$/);
    const other = type(shell, 'env whence asn --colour');
    assert.match(other.stderr, /\(run whence asn --help for usage\)\n$/);
    assert.match(type(shell, 'wh ip --help').stdout, /^Usage: wh ip /);
    assert.match(type(shell, 'env whence ip --help').stdout, /^Usage: whence ip /);
  });
}

for (const [shell, isBuiltin] of [
  ['bash', false],
  ['zsh', true],
  ['ksh', true],
] as const) {
  const skip = findProgram(shell) === undefined && `${shell} is not here; apt-get install ${shell}`;
  test(`${shell}: whence is ${isBuiltin ? 'a builtin, which hides the program' : 'the program'}`, {
    skip,
  }, () => {
    const { stdout } = type(shell, 'whence ip 8.8.8.8');
    assert.equal(stdout.includes('Google LLC'), !isBuiltin, stdout);
    assert.match(type(shell, 'wh ip 8.8.8.8').stdout, /Google LLC/);
  });
}
