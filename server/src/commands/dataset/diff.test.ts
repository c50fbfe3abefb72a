import assert from 'node:assert/strict';
import { rmSync, truncateSync } from 'node:fs';
import test, { after } from 'node:test';
import type { Sample } from '@whence/dataset/internal/test/sample-dataset';
import { readManifest, useVersion, type VersionEntry, versionPath } from '@whence/dataset/internal/versions/publish';
import { runCommand } from '../../test/run-command.ts';
import { SAMPLE, TestFolder } from '../../test/test-server.ts';

const folder = new TestFolder();
const empty = new TestFolder();
const OLDER: Sample = { ...SAMPLE, routes: SAMPLE.routes.slice(0, 4), countries: [['8.8.8.0/24', 'CA']], tor: [] };
for (const sample of [OLDER, SAMPLE, { ...SAMPLE, crawlers: [] }, { ...SAMPLE, countries: [] }]) folder.publish(sample);
useVersion(folder.dataDir, 2);
const [, , third, fourth] = (readManifest(folder.dataDir)?.versions ?? []) as VersionEntry[];
if (third !== undefined) truncateSync(versionPath(folder.dataDir, third), 100);
if (fourth !== undefined) rmSync(versionPath(folder.dataDir, fourth));
after(() => {
  folder.remove();
  empty.remove();
});

const whence = (dataDir: string, ...argv: string[]) => runCommand(argv, { WHENCE_DATA_DIR: dataDir });

test('cli: dataset diff shows totals, then the largest of each kind', async () => {
  const { code, stdout } = await whence(folder.dataDir, 'dataset', 'diff', '1', '2', '--limit', '1');
  assert.equal(code, 0);
  const table = stdout.slice(stdout.indexOf('\n') + 1);
  assert.match(stdout, /^version 1 \(\d{4}-\d\d-\d\d \d\d:\d\d UTC\) to version 2 \(/);
  for (const part of [
    /\nasn gained +IPv4 +1 +65,536 addresses\n/,
    /\ntor_exit gained +IPv4 +1 +1 address\n/,
    /\nthreat_level changed +IPv4 +1 +1 address\n/,
    /\nasn gained, IPv4\n {2}9\.0\.0\.0\/16 +65,536 +none → AS22394 +AS22394 Verizon Wireless\n/,
    /\ntor_exit gained, IPv4\n {2}1\.0\.9\.9\/32 +1 +AS64500 Exämple "Nord" GmbH\n/,
    /\ncountry changed, IPv4, the largest 1 of 2\n {2}3\.0\.0\.0\/8 +16,777,216 +ZZ → US /,
    /\ncountry changed, IPv6\n {2}2001:4860::\/32 +65,536 +ZZ → US /,
  ])
    assert.match(table, part);
  assert.ok(!stdout.includes('lost'), 'kinds without changes are omitted');
});

test('cli: dataset diff --json prints everything; without versions it compares the current one with the one before', async () => {
  const { code, stdout } = await whence(folder.dataDir, 'dataset', 'diff', '--json');
  const { from, to, limit, changes } = JSON.parse(stdout);
  assert.deepEqual([code, from.version, to.version, limit, changes[0].attribute], [0, 1, 2, 20, 'asn']);
});

test('cli: dataset diff of equal versions', async () => {
  const { code, stdout } = await whence(folder.dataDir, 'dataset', 'diff', 'current', '2');
  assert.equal(code, 0);
  assert.match(stdout, /\nno difference\n$/);
});

for (const [behaviour, dataDir, argv, wantCode, message] of [
  [
    'an unknown version',
    folder.dataDir,
    ['1', '9'],
    1,
    /^error: there is no version 9; list versions with: npx wh dataset list/,
  ],
  ['a truncated version', folder.dataDir, ['1', '3'], 1, /^error: .*000003\.whence: truncated: 100 of \d+ bytes\n$/],
  [
    'a version whose file is missing',
    folder.dataDir,
    ['1', '4'],
    1,
    /^error: .*000004\.whence is missing; choose another version\n$/,
  ],
  ['no dataset', empty.dataDir, ['previous', 'current'], 1, /^error: there is no dataset in .*; build one with/],
  [
    'a word',
    folder.dataDir,
    ['1', 'x'],
    2,
    /^error: invalid version "x": must be a number, current or previous\n\(run npx wh dataset diff --help for usage\)\n$/,
  ],
  ['a limit of 0', folder.dataDir, ['1', '2', '--limit', '0'], 2, /It must be a positive integer/],
] as const) {
  test(`cli: dataset diff with ${behaviour}`, async () => {
    const { code, stdout, stderr } = await whence(dataDir, 'dataset', 'diff', ...argv);
    assert.deepEqual([code, stdout], [wantCode, '']);
    if (typeof message === 'string') assert.equal(stderr, message);
    else assert.match(stderr, message);
  });
}

test('cli: dataset diff: the first version has no previous one', async () => {
  useVersion(folder.dataDir, 1);
  const { code, stderr } = await whence(folder.dataDir, 'dataset', 'diff', 'previous', 'current');
  assert.deepEqual([code, stderr], [1, 'error: there is no version before the current version 1\n']);
});
