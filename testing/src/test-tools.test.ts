/** `.ci/test-tools`, which runs before the tests: a copy in a folder of its own, with programs that only log their calls. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';

const SCRIPT = join(import.meta.dirname, '../../.ci/test-tools');
/** Real programs that the script itself runs. */
const SHELL_TOOLS = ['dirname', 'grep', 'ln', 'ls', 'mkdir', 'mv', 'rm', 'sed', 'sort', 'touch'];

function runTestTools(userId: number, setting: string | undefined) {
  const folder = mkdtempSync(join(tmpdir(), 'whence-test-tools-'));
  try {
    const programs = join(folder, 'programs');
    for (const path of [programs, join(folder, '.ci')]) mkdirSync(path);
    copyFileSync(SCRIPT, join(folder, '.ci/test-tools'));
    const log = join(folder, 'calls');
    const program = (name: string, script: string) => {
      writeFileSync(join(programs, name), `#!/bin/sh\n${script}\n`);
      chmodSync(join(programs, name), 0o755);
    };
    for (const name of ['npm', 'apt-cache']) program(name, `echo "${name} $1" >>'${log}'`);
    program('apt-get', `echo "apt-get $1" >>'${log}'; [ "$1" != download ] || touch postfix.deb`);
    program('dpkg', `echo "dpkg $1" >>'${log}'`);
    program('id', `echo ${userId}`);
    for (const name of SHELL_TOOLS) program(name, `PATH=/usr/bin:/bin exec ${name} "$@"`);
    const { status, stdout, stderr } = spawnSync('/bin/sh', [join(folder, '.ci/test-tools')], {
      encoding: 'utf8',
      env: { PATH: programs, ...(setting === undefined ? {} : { WHENCE_TEST_TOOLS: setting }) },
    });
    const calls = existsSync(log) ? readFileSync(log, 'utf8').trimEnd().split('\n') : [];
    return { status, stdout, stderr, calls };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test('test tools: what is installed as root is announced, with how to prevent it', () => {
  const { status, stderr, calls } = runTestTools(0, undefined);
  assert.equal(status, 0);
  const unpacked = ['apt-cache depends', 'apt-cache depends', 'apt-get download', 'dpkg -x'];
  assert.deepEqual(calls, [
    'npm install',
    'apt-get update',
    ...unpacked,
    'apt-get install',
    'dpkg --print-architecture',
  ]);
  assert.match(stderr, /^unpacking postfix and exim4 into \S+ \(WHENCE_TEST_TOOLS=off installs nothing\)$/m);
  assert.match(stderr, /^installing Debian packages as root \(WHENCE_TEST_TOOLS=off installs nothing\):.* chromium/m);
  assert.match(
    stderr,
    /^installing from npm into \S+ \(WHENCE_TEST_TOOLS=off installs nothing\): chdb @duckdb\/node-api /m,
  );
});

test('test tools: WHENCE_TEST_TOOLS=off installs nothing and says which tests are skipped', () => {
  const { status, stderr, calls } = runTestTools(0, 'off');
  assert.deepEqual([status, calls], [0, []]);
  assert.match(
    stderr,
    /^WHENCE_TEST_TOOLS=off: nothing is installed; tests are skipped that need:.* chromium.* postfix exim chdb @duckdb\/node-api /m,
  );
});

test('test tools: without root no packages are installed, and the missing ones are named', () => {
  const { status, stderr, calls } = runTestTools(1000, undefined);
  assert.deepEqual([status, calls], [0, ['npm install']]);
  assert.match(stderr, /^not installed, so some tests will be skipped:.* chromium/m);
});

test('test tools: another value is refused before anything is installed', () => {
  const { status, stderr, calls } = runTestTools(0, 'no');
  assert.deepEqual([status, calls], [1, []]);
  assert.equal(stderr, 'WHENCE_TEST_TOOLS=no: the only value is off, which installs nothing\n');
});
