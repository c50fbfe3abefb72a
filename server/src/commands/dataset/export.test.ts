import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { BUILT_AT, sampleContent } from '@whence/dataset/test/sample-dataset';
import { publish } from '@whence/dataset/versions';
import { run } from '../../main.ts';
import { ExportSample } from '../../test/packages/export-sample.ts';

const sample = new ExportSample();

function newFolder(name: string): string {
  const folder = sample.path(name);
  mkdirSync(folder);
  return folder;
}

test('export: writes a file and its NOTICE, and prints a summary', async () => {
  const folder = newFolder('file');
  const path = join(folder, 'whence.csv');
  const { code, stdout, stderr } = await sample.export(
    '--format',
    'csv',
    '--output',
    path,
    '--flag',
    'tor_exit',
  );
  assert.equal(code, 0);
  assert.equal(stdout, `${path}: 1 row of version 1, 0.0 MB\n`);
  assert.equal(stderr, 'exporting IPv4\nexporting IPv6\n');
  assert.deepEqual(readdirSync(folder).sort(), ['whence.csv', 'whence.csv.NOTICE']);
  const notice = readFileSync(`${path}.NOTICE`, 'utf8');
  assert.match(
    notice,
    /^whence\.csv was exported from version 1 of a Whence dataset, built 2026-11-15T00:00:00\.000Z\.\n/,
  );
  for (const { id } of sample.dataset.meta.sources)
    assert.ok(notice.includes(`- ${id}, as of 2026-11-01\n  licence: none\n  credit: none\n`));
  assert.match(
    notice,
    /\nChanges made: .*\nFlags unknown \(reported as false\): .*blocklists[,;.].*\n$/,
  );
});

test('export: --json prints format, rows, bytes, path and version', async () => {
  const folder = newFolder('json');
  const path = join(folder, 'whence.ndjson');
  const { stdout } = await sample.export(
    '--format',
    'ndjson',
    '--output',
    path,
    '--flag',
    'tor_exit',
    '--json',
  );
  const bytes = readFileSync(path).length;
  assert.deepEqual(JSON.parse(stdout), { format: 'ndjson', rows: 1, bytes, path, version: 1 });
});

test('export: --dataset-version exports an older version', async () => {
  const versions = new ExportSample();
  publish(
    versions.dataDir,
    sampleContent({ routes: [['9.0.0.0/16', 64510, 'New Alone']] }),
    BUILT_AT,
  );
  const rows = async (...argv: string[]) =>
    (await versions.export('--format', 'ndjson', ...argv)).stdout.trimEnd().split('\n').length;
  assert.equal(await rows(), 1);
  assert.ok((await rows('--dataset-version', '1')) > 40);
  const missing = await versions.export('--format', 'ndjson', '--dataset-version', '7');
  assert.deepEqual(
    [missing.code, missing.stderr],
    [1, 'error: there is no version 7; list versions with: npx wh dataset list\n'],
  );
});

test('export: exits with 1 if no network matches, and keeps an existing file', async () => {
  const folder = newFolder('none');
  const path = join(folder, 'whence.csv');
  writeFileSync(path, 'before');
  for (const format of ['csv', 'ndjson', 'mmdb', 'nftables', 'ipset', 'haproxy', 'nginx-geo']) {
    const { code, stdout, stderr } = await sample.export(
      '--format',
      format,
      '--asn',
      '64511',
      '--output',
      path,
    );
    assert.deepEqual([code, stdout], [1, ''], format);
    assert.match(stderr, /\nno network matches --asn 64511; nothing was written\n$/);
    assert.deepEqual(readdirSync(folder), ['whence.csv']);
    assert.equal(readFileSync(path, 'utf8'), 'before');
  }
  const { code, stderr } = await sample.export('--format', 'haproxy', '--value', 'threat_level');
  assert.equal(code, 1, 'without attack lists');
  assert.match(stderr, /\nno network with a known threat_level; nothing was written\n$/);
  assert.deepEqual(
    (await sample.export('--format', 'csv', '--asn', '64511')).stdout,
    '',
    'no header either',
  );
});

for (const [behaviour, argv, message] of [
  ['no format', [], /required option '--format <format>' not specified/],
  [
    'an unknown format',
    ['--format', 'xml'],
    /Allowed choices are mmdb, csv, ndjson, nftables, ipset, haproxy, nginx-geo/,
  ],
  ['a binary format on standard output', ['--format', 'mmdb'], /^error: mmdb needs --output FILE/],
  [
    'a name in a format without names',
    ['--format', 'csv', '--name', 'x'],
    /^error: --name applies only to nftables, /,
  ],
  [
    'a table elsewhere',
    ['--format', 'ipset', '--table', 'x'],
    /^error: --table applies only to nftables/,
  ],
  [
    'a value elsewhere',
    ['--format', 'mmdb', '--value', 'asn', '--output', 'x'],
    /^error: --value applies only to haproxy/,
  ],
  [
    'an unknown value',
    ['--format', 'haproxy', '--value', 'city'],
    /^error: --value is "city", but must be one of asn, /,
  ],
  [
    'a flag as a value',
    ['--format', 'haproxy', '--value', 'is_vpn'],
    /; for a flag use --flag without --value/,
  ],
  [
    'an unknown cloud',
    ['--format', 'csv', '--cloud', 'Nimbus'],
    /^error: unknown cloud "Nimbus"; the dataset has /,
  ],
  ['a summary among rows', ['--format', 'csv', '--json'], /^error: --json needs --output/],
  [
    'an unknown flag',
    ['--format', 'csv', '--flag', 'bad'],
    /^error: unknown flag "bad"; valid flags: datacenter, /,
  ],
  [
    'an unknown country',
    ['--format', 'csv', '--country', 'XX'],
    /^error: unknown country "XX"; the dataset has AU CH DE FR /,
  ],
  ['an invalid score', ['--format', 'csv', '--min-score', '-1'], /^error: invalid score "-1"/],
  [
    'an invalid version',
    ['--format', 'csv', '--dataset-version', 'x'],
    /It must be a positive integer/,
  ],
  ['an empty name', ['--format', 'csv', '--output', ''], /^error: --output must name a file/],
  [
    'a missing directory',
    ['--format', 'csv', '--output', '/nowhere/at/all.csv'],
    /its directory does not exist/,
  ],
] as const)
  test(`export: rejects ${behaviour}`, async () => {
    const { code, stdout, stderr } = await sample.export(...argv);
    assert.deepEqual([code, stdout], [2, '']);
    assert.match(stderr, message);
  });

test('export: without a dataset it says how to build one', async () => {
  const stderr: string[] = [];
  const output = { write: (text: string) => stderr.push(text) };
  const environment = { WHENCE_DATA_DIR: sample.path('no-data') };
  assert.equal(await run(['dataset', 'export', '--format', 'csv'], environment, output, output), 3);
  assert.match(
    stderr.join(''),
    /^error: there is no dataset in .*; build one with: npx wh dataset build\n$/,
  );
});

test('export: no bar when the rows go to the same terminal', async () => {
  let stderr = '';
  const terminal = (append: (text: string) => void) => ({
    write: append,
    isTTY: true,
    columns: 80,
  });
  const argv = ['dataset', 'export', '--format', 'csv', '--flag', 'tor_exit'];
  const code = await run(
    argv,
    { WHENCE_DATA_DIR: sample.dataDir },
    terminal(() => {}),
    terminal((text) => {
      stderr += text;
    }),
  );
  assert.deepEqual([code, stderr.replace(/^note: flags .*\n/, '')], [0, '']);
});
