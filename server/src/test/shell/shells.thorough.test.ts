/**
 * docs/cli.md: its commands are typed into real shells, and print what the page shows. In zsh and ksh, `whence` is a
 * builtin that comes first, which is why there is a second name.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { after, before } from 'node:test';
import { findProgram } from '@whence/testing/programs';
import { TestFolder } from '../test-server.ts';

const page = readFileSync(join(import.meta.dirname, '../../../../docs/cli.md'), 'utf8');
const documented = [...page.matchAll(/^```console\n([\s\S]*?)^```$/gm)].flatMap(([, block = '']) =>
  block
    .split(/^\$ /m)
    .slice(1)
    .map((text) => {
      const end = text.indexOf('\n');
      return { command: text.slice(0, end), output: text.slice(end + 1) };
    }),
);

/** The file that the page names. */
const ACCESS_LOG = `8.8.8.8 - - [16/Nov/2026:10:00:00 +0000] "GET / HTTP/1.1" 200 512 "-" "curl/8.5.0"
8.8.8.8 - - [16/Nov/2026:10:00:01 +0000] "GET /a HTTP/1.1" 200 512 "-" "curl/8.5.0"
3.0.0.17 - - [16/Nov/2026:10:00:02 +0000] "GET /b HTTP/1.1" 200 512 "-" "GPTBot/1.2"
1.0.9.9 - - [16/Nov/2026:10:00:03 +0000] "POST /login HTTP/1.1" 401 12 "-" "Mozilla/5.0"
10.0.0.1 - - [16/Nov/2026:10:00:04 +0000] "GET /health HTTP/1.1" 200 2 "-" "probe"
`;

const folder = new TestFolder();
const programs = join(folder.dataDir, 'programs');
const files = join(folder.dataDir, 'files');
before(() => {
  folder.publish();
  for (const path of [programs, files]) mkdirSync(path);
  for (const name of ['wh', 'whence'])
    symlinkSync(join(import.meta.dirname, '../../../bin/whence.js'), join(programs, name));
  writeFileSync(join(files, 'access.log'), ACCESS_LOG);
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
    for (const { command, output } of documented) {
      const { stdout, stderr } = type(shell, command);
      assert.equal(stdout, output, `${command}\n${stderr}`);
    }
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
  test(`${shell}: whence is ${isBuiltin ? 'a builtin, which hides the program' : 'the program'}`, { skip }, () => {
    const { stdout } = type(shell, 'whence ip 8.8.8.8');
    assert.equal(stdout.includes('Google LLC'), !isBuiltin, stdout);
    assert.match(type(shell, 'wh ip 8.8.8.8').stdout, /Google LLC/);
  });
}
