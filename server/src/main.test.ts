import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { after, before } from 'node:test';
import { sampleContent } from '@whence/dataset/test/sample-dataset';
import { publish } from '@whence/dataset/versions';
import { commandOf } from './command-line/typed-value.ts';
import { runCommand } from './test/run-command.ts';
import { SAMPLE } from './test/test-server.ts';

const folder = mkdtempSync(join(tmpdir(), 'whence-cli-'));
const dataDir = join(folder, 'data');

async function whence(...argv: string[]) {
  return whenceIn({ WHENCE_DATA_DIR: dataDir }, argv);
}

const whenceIn = (environment: Record<string, string>, argv: readonly string[], isTTY = false) =>
  runCommand(argv, environment, { isTTY, columns: 60 });

before(() => void publish(dataDir, sampleContent(SAMPLE), new Date()));
after(() => rmSync(folder, { recursive: true, force: true }));

for (const [typed, meant] of [
  [['8.8.8.8', '1.0.9.9', '--json'], 'ip'],
  [['8.8.8.8-8.8.8.9'], 'ip'],
  [[' 8.8.8.8 '], 'ip'],
  [['2001:4860:4860::8888', '--explain'], 'ip'],
  [['8.8.8.0/24', '--json'], 'prefix'],
  [['2001:4860::/32'], 'prefix'],
  [['AS15169'], 'asn'],
  [['as15169', '--json'], 'asn'],
] as const)
  test(`cli: wh ${typed.join(' ')} is wh ${meant}`, async () => {
    const short = await whence(...typed);
    const long = await whence(meant, ...typed);
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
  assert.match(
    (await whence(log)).stderr.replaceAll(/\s+/g, ' '),
    /; did you mean: npx wh summarize .*access\.log/,
  );
  assert.doesNotMatch((await whence(folder)).stderr, /did you mean/, 'no command reads a folder');
});

test('cli: ip --json prints the record, a line per address', async () => {
  const { code, stdout } = await whence(
    'ip',
    '--json',
    '8.8.8.8',
    '2001:4860:4860:0::8888',
    '::ffff:8.8.8.9',
  );
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
      ['8.8.8.9', 15169],
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

test('cli: ip says why an address has no data, and exits with 1', async () => {
  const special = await whence('ip', '10.0.0.1');
  assert.equal(special.code, 1);
  assert.equal(
    special.stdout,
    '10.0.0.1\n  no data found for IP: 10.0.0.0/8 is Private use (RFC 1918)\n\n',
  );
  const unrouted = await whence('ip', '8.8.8.8', '4000::1', '--json');
  assert.equal(unrouted.code, 1);
  assert.equal(
    unrouted.stdout.trimEnd().split('\n')[1],
    '{"ip":"4000::1","error":"no data found for IP","code":"NOT_FOUND"}',
  );
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
  assert.deepEqual(
    [key.name, key.tier, key.permissions],
    ['shop front', 'pro', ['ip:read', 'asn:read']],
  );
  assert.equal(key.masked, `${secret.slice(0, 11)}…${secret.slice(-4)}`);
  const list = await whence('key', 'list');
  assert.ok(!list.stdout.includes(secret));
  assert.match(
    list.stdout,
    /shop front +whence_\S+ +pro +100,000 +ip:read asn:read +\d{4}-\d\d-\d\d +never +active/,
  );
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
  [
    'a name instead of an ASN',
    ['asn', 'google'],
    /"google"; to find a network by its name: npx wh asn search google/,
  ],
  [
    'an invalid ASN',
    ['asn', 'AS4294967296'],
    /invalid AS number: "AS4294967296"; write 15169 or AS15169/,
  ],
  ['a blank search', ['asn', 'search', ' '], /missing search text/],
  [
    'a search of over 100 characters',
    ['asn', 'search', 'x'.repeat(101)],
    /longer than 100 characters/,
  ],
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
  assert.match(stdout, /Exit codes: 0 done, or yes; 1 the answer is no; 2 used wrongly, or a file/);
  assert.equal((await whence('dataset', 'build', '--help')).code, 0);
});

test('cli: an invalid setting stops a command, but not --help', async () => {
  const { code, stderr } = await whenceIn({ WHENCE_DATA_DIR: dataDir, WHENCE_PORT: 'eighty' }, [
    'serve',
  ]);
  assert.deepEqual(
    [code, stderr],
    [2, 'error: WHENCE_PORT is "eighty", but must be a port from 0 to 65535\n'],
  );
  assert.equal((await whenceIn({ WHENCE_PORT: 'eighty' }, ['--help'])).code, 0);
});

test('cli: without a dataset, a command says how to build one', async () => {
  const { code, stderr } = await whenceIn({ WHENCE_DATA_DIR: join(folder, 'nowhere') }, [
    'ip',
    '8.8.8.8',
  ]);
  assert.equal(code, 3);
  assert.match(
    stderr,
    /^error: there is no dataset in .*nowhere; build one with: npx wh dataset build\n$/,
  );
  assert.ok(!existsSync(join(folder, 'nowhere')), 'a lookup creates no directory');
  const file = join(folder, 'no-folder');
  writeFileSync(file, '');
  const inFile = await whenceIn({ WHENCE_DATA_DIR: file }, ['ip', '8.8.8.8']);
  assert.match(inFile.stderr, /^error: there is no dataset in .*no-folder; build one with/);
});

test('cli: a catalogue of feeds that is not one is an invalid setting', async () => {
  const file = join(folder, 'feeds.json');
  writeFileSync(file, 'x');
  const settings = { WHENCE_DATA_DIR: dataDir, WHENCE_FEEDS: file };
  const { code, stderr } = await whenceIn(settings, ['dataset', 'feeds']);
  assert.equal(code, 2);
  assert.match(stderr, /^error: WHENCE_FEEDS: .*feeds\.json: catalogue of feeds: it is not JSON: /);
});

test('cli: a data directory that is not writable fails before the build', async () => {
  const file = join(folder, 'file');
  writeFileSync(file, '');
  const { code, stderr } = await whenceIn({ WHENCE_DATA_DIR: join(file, 'data') }, [
    'dataset',
    'build',
  ]);
  assert.equal(code, 3);
  assert.match(
    stderr,
    /^error: the data directory is not a directory: /,
    'no step of a build comes before it',
  );
});
