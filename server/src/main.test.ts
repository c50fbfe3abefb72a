import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { after, before } from 'node:test';
import { copyEmbeddedDataset, prepareEmbeddedDataset } from '@whence/testing/embedded-dataset';
import { commandOf } from './command-line/typed-value.ts';
import { runCommand } from './test/run-command.ts';

const folder = mkdtempSync(join(tmpdir(), 'whence-cli-'));
const dataDir = join(folder, 'data');

async function whence(...argv: string[]) {
  return whenceIn({ WHENCE_DATA_DIR: dataDir }, argv);
}

const whenceIn = (environment: Record<string, string>, argv: readonly string[], isTTY = false) =>
  runCommand(argv, environment, { isTTY, columns: 60 });

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
  assert.match(firstBuild.stderr, /^reading asn-ipv4\.csv\n(?:[a-zA-Z0-9 .-]+\n)+writing\nchecking\n$/);
});

test('cli: ip prints a record as text', async () => {
  const { code, stdout } = await whence('ip', '8.8.8.8');
  assert.equal(code, 0);
  assert.match(stdout, /^8\.8\.8\.8\n {2}prefix {6}8\.8\.8\.0\/24\n {2}network {5}AS15169 Google LLC\n/);
  assert.match(
    stdout,
    / {2}cloud {7}Google Cloud\n {2}threat {6}not known: no current lists \(npx wh dataset update\)\n/,
  );
});

for (const [typed, meant] of [
  [['8.8.8.8', '1.1.1.1', '--json'], 'ip'],
  [['8.8.8.8-8.8.8.9'], 'ip'],
  [['2001:4860:4860::8888', '--explain'], 'ip'],
  [['8.8.8.0/24', '--json'], 'prefix'],
  [['2001:4860::/32'], 'prefix'],
  [['AS15169'], 'asn'],
  [['as15169', '--json'], 'asn'],
] as const)
  test(`cli: wh ${typed.join(' ')} is wh ${meant}`, async () => {
    const [short, long] = [await whence(...typed), await whence(meant, ...typed)];
    assert.equal(short.code, 0);
    assert.deepEqual(short, long);
  });

for (const [word, meant] of [
  ['example.com', 'email'],
  ['münchen.example', 'email'],
  ['postmaster@mail.example.com', 'email'],
  ['https://example.com/', 'email'],
  ['8.8.8.999', 'ip'],
  ['::1', 'ip'],
] as const)
  test(`cli: ${word} is a value of wh ${meant}`, () => assert.equal(commandOf(word), meant));

test('cli: a word that is nothing gets the closest command, and a file a command that reads it', async () => {
  const misspelt = await whence('sumarize', 'access.log');
  assert.deepEqual(
    [misspelt.code, misspelt.stderr.replaceAll(/\s+/g, ' ')],
    [
      2,
      'error: "sumarize" is not a command, an address, a prefix, an AS number or a domain; did you mean: npx wh summarize (run npx wh --help for usage) ',
    ],
  );
  const log = join(folder, 'access.log');
  writeFileSync(log, '');
  assert.match((await whence(log)).stderr.replaceAll(/\s+/g, ' '), /; did you mean: npx wh summarize .*access\.log/);
});

test('cli: prefix prints what is announced in it, as the API does', async () => {
  const { code, stdout } = await whence('prefix', '8.8.8.0/24', '10.0.0.0/8');
  assert.equal(code, 1, 'nothing in 10.0.0.0/8 is announced');
  assert.match(stdout, /^8\.8\.8\.0\/24\n {2}announced {2}100 %\n {2}networks {3}AS15169 Google LLC, 100 %\n/);
  assert.match(stdout, /\n {2}8\.8\.8\.0 - 8\.8\.8\.255 +AS15169 +US +datacenter +100 %/);
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

test('cli: ip --json prints the record, a line per address', async () => {
  const { code, stdout } = await whence('ip', '--json', '8.8.8.8', '2001:4860:4860:0::8888', '::ffff:8.8.4.4');
  assert.equal(code, 0);
  const records = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.deepEqual(
    records.map(({ ip, asn }) => [ip, asn]),
    [
      ['8.8.8.8', 15169],
      ['2001:4860:4860::8888', 15169],
      ['8.8.4.4', 15169],
    ],
  );
  assert.deepEqual(Object.keys(records[0]), [
    'ip',
    'prefix',
    'asn',
    'asn_name',
    'country',
    'rir',
    'connection_type',
    'detection',
    'threat',
  ]);
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

test('cli: ip says why an address has no data, and exits with 1', async () => {
  const special = await whence('ip', '10.0.0.1');
  assert.equal(special.code, 1);
  assert.equal(special.stdout, '10.0.0.1\n  no data found for IP: 10.0.0.0/8 is Private use (RFC 1918)\n\n');
  const unrouted = await whence('ip', '8.8.8.8', '4000::1', '--json');
  assert.equal(unrouted.code, 1);
  assert.equal(
    unrouted.stdout.trimEnd().split('\n')[1],
    '{"ip":"4000::1","error":"no data found for IP","code":"NOT_FOUND"}',
  );
});

test('cli: asn prints a network, with --prefixes its prefixes', async () => {
  const { code, stdout } = await whence('asn', 'AS22394');
  assert.equal(code, 0);
  assert.match(stdout, /^AS22394\n {2}name {8}Verizon Wireless\n(?:.*\n)* {2}connection {2}mobile\n/);
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

test('cli: key create prints the key alone; list shows it masked; revoke ends it', async () => {
  const created = await whence(
    'key',
    'create',
    '--new',
    '--name',
    'shop front',
    '--tier',
    'pro',
    '--permissions',
    'ip:read,asn:read',
  );
  assert.equal(created.code, 0);
  assert.match(created.stdout, /^whence_[0-9A-Za-z]{36}\n$/);
  const secret = created.stdout.trim();
  const [key] = JSON.parse((await whence('key', 'list', '--json')).stdout);
  assert.deepEqual([key.name, key.tier, key.permissions], ['shop front', 'pro', ['ip:read', 'asn:read']]);
  assert.equal(key.masked, `${secret.slice(0, 11)}…${secret.slice(-4)}`);
  const list = await whence('key', 'list');
  assert.ok(!list.stdout.includes(secret));
  assert.match(list.stdout, /shop front +whence_\S+ +pro +100,000 +ip:read asn:read +\d{4}-\d\d-\d\d +never +active/);
  assert.equal((await whence('key', 'revoke', key.id)).stdout, `${key.id} is revoked\n`);
  assert.equal((await whence('key', 'revoke', key.id)).stdout, `${key.id} is already revoked\n`);
  assert.match((await whence('key', 'list')).stdout, /revoked \d{4}-\d\d-\d\d/);
  const unknown = await whence('key', 'revoke', 'nosuchkey');
  assert.deepEqual(
    [unknown.code, unknown.stderr],
    [1, 'error: there is no key nosuchkey; npx wh key list shows them\n'],
  );
});

test('cli: key list shows an unlimited tier as a word', async () => {
  await whence('key', 'create', '--name', 'large', '--tier', 'enterprise');
  assert.match((await whence('key', 'list')).stdout, /large +\S+ +enterprise +unlimited +default/);
});

for (const [behaviour, argv, message] of [
  ['a key without a name', ['key', 'create'], /required option '--name <name>'/],
  ['a key with a blank name', ['key', 'create', '--name', ' '], /a name has 1 to 100 characters/],
  [
    'an unknown tier',
    ['key', 'create', '--name', 'x', '--tier', 'gold'],
    /Allowed choices are free, starter, pro, enterprise/,
  ],
  [
    'an unknown permission',
    ['key', 'create', '--name', 'x', '--permissions', 'root'],
    /permissions are some of ip:read/,
  ],
  ['an unknown command', ['frobnicate'], /"frobnicate" is not a command, an address/],
  ['an unknown option', ['ip', '--verbose', '8.8.8.8'], /unknown option '--verbose'/],
  ['a missing address', ['ip'], /nothing to look up: give addresses/],
  ['an invalid address', ['ip', '1.2.3'], /invalid IP address: "1\.2\.3"/],
  ['a zone id', ['ip', 'fe80::1%eth0'], /invalid IP address: "fe80::1%eth0"/],
  ['a name instead of an ASN', ['asn', 'google'], /"google"; to find a network by its name: npx wh asn search google/],
  ['an invalid ASN', ['asn', 'AS4294967296'], /invalid AS number: "AS4294967296"; write 15169 or AS15169/],
  ['a blank search', ['asn', 'search', ' '], /missing search text/],
  ['a search of over 100 characters', ['asn', 'search', 'x'.repeat(101)], /longer than 100 characters/],
  ['a limit of 0', ['asn', 'search', 'x', '--limit', '0'], /must be a positive integer/],
  ['a version that is no number', ['dataset', 'use', 'latest'], /must be a positive integer/],
] as const) {
  test(`cli: usage error: ${behaviour}`, async () => {
    const { code, stdout, stderr } = await whence(...argv);
    assert.equal(code, 2);
    assert.equal(stdout, '', 'nothing is printed to standard output');
    assert.match(stderr, message);
  });
}

test('cli: --help lists the settings', async () => {
  const { code, stdout } = await whence('--help');
  assert.equal(code, 0);
  assert.match(stdout, /WHENCE_DATA_DIR/);
  assert.match(stdout, /Exit codes: 0 success, 1 failure or a negative answer, 2 usage error, 3 not\n\s+known whether/);
  assert.equal((await whence('dataset', 'build', '--help')).code, 0);
});

test('cli: list, verify and use', async () => {
  const list = await whence('dataset', 'list');
  assert.match(list.stdout, /\n\* {2}1 {8}\d{4}-\d\d-\d\d \d\d:\d\d {2}\d+\.\d MB {2}689,990 {3}91,038\n/);
  assert.match(list.stdout, /npm-dbip-country +2026-06-01 +701,668 +CC BY 4\.0 +IP Geolocation by DB-IP/);
  assert.equal(JSON.parse((await whence('dataset', 'list', '--json')).stdout).current, 1);
  assert.equal((await whence('dataset', 'verify')).stdout, 'version 1: valid\n');
  assert.equal((await whence('dataset', 'use', '1')).stdout, 'version 1 is current\n');
  const missing = await whence('dataset', 'use', '7');
  assert.deepEqual(
    [missing.code, missing.stderr],
    [1, 'error: there is no version 7; list versions with: npx wh dataset list\n'],
  );
});

test('cli: an invalid setting stops a command, but not --help', async () => {
  const { code, stderr } = await whenceIn({ WHENCE_DATA_DIR: dataDir, WHENCE_PORT: 'eighty' }, ['serve']);
  assert.deepEqual([code, stderr], [2, 'error: WHENCE_PORT is "eighty", but must be a port from 0 to 65535\n']);
  assert.equal((await whenceIn({ WHENCE_PORT: 'eighty' }, ['--help'])).code, 0);
});

test('cli: without a dataset, a command says how to build one', async () => {
  const { code, stderr } = await whenceIn({ WHENCE_DATA_DIR: join(folder, 'nowhere') }, ['ip', '8.8.8.8']);
  assert.equal(code, 1);
  assert.match(stderr, /^error: there is no dataset in .*nowhere; build one with: npx wh dataset build\n$/);
  assert.ok(!existsSync(join(folder, 'nowhere')), 'a lookup creates no directory');
});

test('cli: a data directory that is not writable fails before the build', async () => {
  const file = join(folder, 'file');
  writeFileSync(file, '');
  const { code, stderr } = await whenceIn({ WHENCE_DATA_DIR: join(file, 'data') }, ['dataset', 'build']);
  assert.equal(code, 1);
  assert.match(stderr, /^error: the data directory is not a directory: /, 'no step of a build comes before it');
});
