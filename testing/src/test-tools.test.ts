/**
 * `.ci/test-tools`: a copy in a folder of its own, with programs that only log their calls.
 */
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
const SHELL_TOOLS = [
  'dirname',
  'find',
  'grep',
  'ln',
  'ls',
  'mkdir',
  'mv',
  'rm',
  'sed',
  'sort',
  'touch',
  'tr',
];

function runTestTools(userId: number, args: readonly string[]) {
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
    const { status, stderr } = spawnSync('/bin/sh', [join(folder, '.ci/test-tools'), ...args], {
      encoding: 'utf8',
      env: { PATH: programs },
    });
    const calls = existsSync(log) ? readFileSync(log, 'utf8').trimEnd().split('\n') : [];
    return { status, stderr, calls };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

for (const [behaviour, userId, args, want] of [
  [
    'what is installed as root is announced, and what failed is named',
    0,
    [],
    {
      status: 1,
      calls: [
        'npm ci',
        'apt-get update',
        'apt-cache depends',
        'apt-cache depends',
        'apt-get download',
        'dpkg -x',
        'apt-get install',
        'dpkg --print-architecture',
      ],
      messages: [
        /^installing the npm packages of testing\/tools\/package-lock\.json$/m,
        /^installing Debian packages: .*\bchromium\b/m,
        /^unpacking postfix and exim4 into testing\/tools\/programs\/mail-servers$/m,
        /^unpacking geoipupdate into testing\/tools\/programs\/geoipupdate$/m,
        /^still not installed: geoipupdate; their tests are skipped$/m,
      ],
    },
  ],
  [
    'without root, only packages of npm are installed, and the rest is named',
    1000,
    [],
    {
      status: 1,
      calls: ['npm ci'],
      messages: [/^still not installed: .*\bchromium\b.* geoipupdate postfix exim; /m],
    },
  ],
  [
    '--missing installs nothing',
    0,
    ['--missing'],
    {
      status: 0,
      calls: [],
      messages: [
        /^not installed: .*\bchromium\b.* testing\/tools\/package-lock\.json; npm run test:tools installs them$/m,
      ],
    },
  ],
  [
    'another argument is refused before anything is installed',
    0,
    ['--off'],
    { status: 2, calls: [], messages: [/^unknown argument --off: there is only --missing$/m] },
  ],
] as const)
  test(`test tools: ${behaviour}`, () => {
    const { status, stderr, calls } = runTestTools(userId, args);
    assert.deepEqual([status, calls], [want.status, want.calls]);
    for (const message of want.messages) assert.match(stderr, message);
  });
