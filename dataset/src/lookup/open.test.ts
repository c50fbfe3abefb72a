import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { after } from 'node:test';
import { DatasetError } from '../dataset-error.ts';
import { BUILT_AT, sampleContent, sampleDataset } from '../test/sample-dataset.ts';
import { publish, readManifest, useVersion, versionPath } from '../versions/publish.ts';
import { InvalidAddressError, open } from './open.ts';

const PACKAGE = join(import.meta.dirname, '../..');
const first = sampleContent({ routes: [['8.8.8.0/24', 64_496, 'First version']] });
const second = sampleContent({
  routes: [['8.8.8.0/24', 15_169, 'Google LLC']],
  countries: [['8.8.8.0/24', 'US']],
});

const folder = mkdtempSync(join(tmpdir(), 'whence-open-'));
after(() => rmSync(folder, { recursive: true }));
const dataDir = join(folder, 'data');
publish(dataDir, first, BUILT_AT);
publish(dataDir, second, BUILT_AT);
const files = (readManifest(dataDir)?.versions ?? []).map((entry) => versionPath(dataDir, entry));
const [firstFile = '', secondFile = ''] = files;

/** As npm installs it: the server's package with the compiled dataset. */
const server = join(folder, 'node_modules/@whence/server');
mkdirSync(server, { recursive: true });
writeFileSync(join(server, 'package.json'), '{ "name": "@whence/server" }');
publish(join(server, 'embedded'), second, BUILT_AT);

for (const [behaviour, path, asn] of [
  ['a data directory gives its current version', dataDir, 15_169],
  ['a file gives its version', firstFile, 64_496],
] as const) {
  test(`open: ${behaviour}`, () => assert.equal(open(path).lookup('8.8.8.8')?.asn, asn));
}

test('open: another version that was made current is the one that is opened', () => {
  useVersion(dataDir, 1);
  assert.equal(open(dataDir).lookup('8.8.8.8')?.asn, 64_496);
  useVersion(dataDir, 2);
});

test('open: records, networks, prefixes and sources of fields are found by text and number', () => {
  const dataset = open(dataDir);
  assert.equal(dataset.lookup('::ffff:8.8.8.8')?.prefix, '8.8.8.0/24');
  assert.equal(dataset.lookup('9.9.9.9'), undefined);
  assert.equal(dataset.lookup('2001:db8::1'), undefined);
  assert.equal(
    dataset.explain('8.8.8.8')?.find(({ field }) => field === 'country')?.source,
    'countries',
  );
  assert.equal(dataset.explain('9.9.9.9'), undefined);
  assert.equal(dataset.asn(15_169)?.asn_name, 'Google LLC');
  assert.deepEqual(dataset.prefixesOf(15_169), { ipv4: ['8.8.8.0/24'], ipv6: [] });
  assert.equal(dataset.meta.version, 2);
});

for (const text of [
  '',
  '8.8.8',
  '8.8.8.8.8',
  '08.8.8.8',
  '8.8.8.0/24',
  'fe80::1%eth0',
  'example.com',
  ' 8.8.8.8',
]) {
  test(`open: ${JSON.stringify(text)} is no address, which is an error and not an answer`, () => {
    const dataset = open(secondFile);
    for (const ask of [() => dataset.lookup(text), () => dataset.explain(text)])
      assert.throws(ask, {
        name: 'InvalidAddressError',
        message: `not an IP address: ${JSON.stringify(text)}`,
        text,
      });
  });
}

test('open: values that are not text, and long ones, are errors with a short message', () => {
  const dataset = open(secondFile);
  for (const value of [134_744_072, undefined, null, { version: 4, w0: 1 }])
    assert.throws(() => dataset.lookup(value as unknown as string), InvalidAddressError);
  assert.throws(
    () => dataset.lookup('1'.repeat(1e6)),
    (error: Error) => error.message.length < 150,
  );
});

test('open: the dataset below it refuses an address that was not parsed', () => {
  const dataset = sampleDataset({ routes: [['8.8.8.0/24', 15_169, 'Google LLC']] });
  assert.throws(() => dataset.find('8.8.8.8' as never), /not a parsed address: 8\.8\.8\.8/);
});

const damaged = join(folder, 'damaged.whence');
writeFileSync(damaged, readFileSync(secondFile).subarray(0, -10));

for (const [behaviour, path, message] of [
  ['a path that does not exist', join(folder, 'none'), /none: no such file or directory$/],
  [
    'a folder without a dataset',
    folder,
    /there is no dataset in .*; build one with: wh dataset build$/,
  ],
  ['a file that is cut off', damaged, /damaged\.whence: /],
  ['a file that is something else', join(PACKAGE, 'package.json'), /package\.json: /],
] as const) {
  test(`open: ${behaviour} is named in the error`, () => {
    assert.throws(
      () => open(path),
      (error: Error) => error instanceof DatasetError && message.test(error.message),
    );
  });
}

test('open: without a path it is the dataset of the installed server, or an error that says what to do', () => {
  const program = `import { open } from ${JSON.stringify(join(import.meta.dirname, 'open.js'))};
    console.log(open().lookup('8.8.8.8').asn_name);`;
  assert.equal(execute(program, folder).stdout, 'Google LLC\n');
  assert.match(
    execute(program, tmpdir()).stderr,
    /DatasetError: no dataset is installed: install @whence\/server, or/,
  );
});

test('open: the example of the readme prints the record, its sources and the error', () => {
  const [, example = ''] =
    /^```ts\n(.*?)^```$/ms.exec(readFileSync(join(PACKAGE, 'README.md'), 'utf8')) ?? [];
  const { stdout, stderr } = execute(example.replace('./whence-data', dataDir), PACKAGE);
  assert.equal(stderr, '');
  assert.match(
    stdout,
    /^8\.8\.8\.0\/24 15169 Google LLC US\n.*source: 'countries'.*not an IP address: "8\.8\.8\.8\.8"\n$/s,
  );
});

function execute(program: string, cwd: string): { stdout: string; stderr: string } {
  return spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    cwd,
    encoding: 'utf8',
  });
}
