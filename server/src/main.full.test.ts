/** The first build of the packaged data, and what commands print of it. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { after, before } from 'node:test';
import { copyEmbeddedDataset, prepareEmbeddedDataset } from '@whence/testing/embedded-dataset';
import { runCommand } from './test/run-command.ts';

const folder = mkdtempSync(join(tmpdir(), 'whence-cli-'));
const dataDir = join(folder, 'data');

const whence = (...argv: string[]) =>
  runCommand(argv, { WHENCE_DATA_DIR: dataDir }, { isTTY: false, columns: 60 });

let firstBuild: Awaited<ReturnType<typeof prepareEmbeddedDataset>>;
before(async () => {
  firstBuild = await prepareEmbeddedDataset();
  await copyEmbeddedDataset(dataDir);
});
after(() => rmSync(folder, { recursive: true, force: true }));

test('cli: the first build publishes version 1 and prints each step on a line', () => {
  assert.match(
    firstBuild.stdout,
    /^version 1: 564,552 IPv4 and 125,438 IPv6 prefixes, 91,038 networks, \d+\.\d MB, \d+\.\d s\n/,
  );
  assert.match(
    firstBuild.stderr,
    /^reading asn-ipv4\.csv\n(?:[a-zA-Z0-9 .-]+\n)+writing\nchecking\n$/,
  );
});

test('cli: ip prints a record as text', async () => {
  const { code, stdout } = await whence('ip', '8.8.8.8');
  assert.equal(code, 0);
  assert.match(
    stdout,
    /^8\.8\.8\.8\n {2}prefix {6}8\.8\.8\.0\/24\n {2}network {5}AS15169 Google LLC\n/,
  );
  assert.match(
    stdout,
    / {2}flags {7}datacenter\n {2}threat {6}not known: no current attack lists \(npx wh dataset update\)\n/,
  );
});

test('cli: prefix prints what is announced in it, as the API does', async () => {
  const { code, stdout } = await whence('prefix', '8.8.8.0/24', '10.0.0.0/8');
  assert.equal(code, 1, 'nothing in 10.0.0.0/8 is announced');
  assert.match(
    stdout,
    /^8\.8\.8\.0\/24\n {2}announced {2}100%\n {2}networks {3}AS15169 Google LLC, 100%\n/,
  );
  assert.match(stdout, /\n {2}8\.8\.8\.0 - 8\.8\.8\.255 +AS15169 +US +datacenter +100%/);
  assert.match(stdout, /\n10\.0\.0\.0\/8\n {2}nothing in it is announced\n/);
  const json = await whence('prefix', '8.0.0.0/9', 'x', '--json');
  assert.equal(json.code, 1);
  const [content, invalid] = json.stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.deepEqual(Object.keys(content), [
    'prefix',
    'announced_share',
    'parts',
    'networks',
    'types',
    'countries',
    'flags',
  ]);
  assert.deepEqual(invalid, { prefix: 'x', error: 'invalid prefix', code: 'INVALID_PREFIX' });
});

test('cli: ip --explain shows which source decided each field', async () => {
  const { stdout } = await whence('ip', '--explain', '--json', '8.8.8.8');
  const { evidence } = JSON.parse(stdout);
  assert.deepEqual(evidence[0], {
    field: 'prefix',
    value: '8.8.8.0/24',
    source: 'npm-asn',
    prefix: '8.8.8.0/24',
    as_of: '2026-06-17',
  });
  const text = await whence('ip', '--explain', '8.8.8.8');
  assert.doesNotMatch(text.stdout, /…/, 'nothing is cut in a pipe');
  assert.match(text.stdout, /\n {2}country +US +npm-dbip-country +8\.8\.\S+ +2026-06-01\n/);
});

test('cli: asn prints a network, with --prefixes its prefixes', async () => {
  const { code, stdout } = await whence('asn', 'AS22394');
  assert.equal(code, 0);
  assert.match(
    stdout,
    /^AS22394\n {2}name {8}Verizon Wireless\n(?:.*\n)* {2}connection {2}mobile\n/,
  );
  const json = await whence('asn', '15169', '--prefixes', '--json');
  const { prefixes, prefix_count } = JSON.parse(json.stdout);
  assert.equal(prefixes.ipv4.length, prefix_count.ipv4);
  assert.ok(prefixes.ipv4.includes('8.8.8.0/24'));
  assert.equal((await whence('asn', '64512')).code, 1);
});

test('cli: asn search finds by part of a name', async () => {
  const { code, stdout } = await whence('asn', 'search', 'google', '--limit', '2');
  assert.equal(code, 0);
  assert.match(stdout, /^AS\d+ +US +datacenter .* Google LLC\n.*\n2 of \d+ networks\n$/);
  const json = JSON.parse((await whence('asn', 'search', '--json', 'deutsche', 'telekom')).stdout);
  assert.equal(json.query, 'deutsche telekom');
  assert.equal(json.results[0].asn, 3320);
  assert.equal((await whence('asn', 'search', 'no such network anywhere')).code, 1);
});

test('cli: list, verify and use', async () => {
  const list = await whence('dataset', 'list');
  assert.match(
    list.stdout,
    /\n\* {2}1 {8}\d{4}-\d\d-\d\d \d\d:\d\d {2}\d+\.\d MB {2}689,990 {3}91,038\n/,
  );
  assert.match(
    list.stdout,
    /npm-dbip-country +2026-06-01 +701,668 +CC BY 4\.0 +IP Geolocation by DB-IP/,
  );
  assert.equal(JSON.parse((await whence('dataset', 'list', '--json')).stdout).current, 1);
  assert.equal((await whence('dataset', 'verify')).stdout, 'version 1: valid\n');
  assert.equal((await whence('dataset', 'use', '1')).stdout, 'version 1 is current\n');
  const missing = await whence('dataset', 'use', '7');
  assert.deepEqual(
    [missing.code, missing.stderr],
    [1, 'error: there is no version 7; list versions with: npx wh dataset list\n'],
  );
});
