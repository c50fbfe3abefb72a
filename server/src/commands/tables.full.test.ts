/**
 * Every command that prints a table: plain rows in a pipe, colour and at most 80 columns on a
 * terminal.
 */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { after, before } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { DatabaseSync } from '@photostructure/sqlite';
import { contentOf, sampleInput } from '@whence/dataset/test/sample-dataset';
import { publish } from '@whence/dataset/versions';
import { runCommand } from '../test/run-command.ts';
import { SAMPLE, TestFolder } from '../test/test-server.ts';
import { ImplausibleResultError } from './dataset/implausible-result.ts';

const folder = new TestFolder();
const inFolder = (name: string) => join(folder.dataDir, name);
const environment = { ...folder.environment, WHENCE_FEEDS: inFolder('feeds.json') };
const LONG_NAME = 'Federation of Regional Networks and Exchanges of the Northern Coast';
const ids = { active: '', revoked: '' };

before(async () => {
  folder.publish({ ...SAMPLE, tor: [] });
  const named = {
    ...SAMPLE,
    routes: [...SAMPLE.routes, ['11.0.0.0/16', 64501, LONG_NAME] as const],
  };
  const refused = [
    { id: 'feed-that-has-moved', reason: `it is an HTML page instead of data: ${LONG_NAME}` },
  ];
  publish(folder.dataDir, contentOf(sampleInput(named), refused), new Date());
  ids.active = (
    await folder.createKey({ name: LONG_NAME, note: `${LONG_NAME}, ${LONG_NAME}` })
  ).key.id;
  ids.revoked = (await folder.createKey({ name: 'revoked' })).key.id;
  await folder.revokeKey(ids.revoked);
  const database = new DatabaseSync(inFolder('whence.sqlite'));
  const count = database.prepare(
    'insert into usage (key_id, day, endpoint, status_class, requests) values (?, ?, ?, ?, ?)',
  );
  const today = new Date().toISOString().slice(0, 10);
  for (const statusClass of [2, 4, 5]) count.run(ids.active, today, '/v1/ip/{ip}', statusClass, 1);
  database.close();
  await runCommand(['user', 'create', 'ada@example.com', '--role', 'admin'], environment);
  const feed = {
    url: 'https://example.com/list',
    format: 'cidr-lines',
    drives: ['blocklist'],
    licence: LONG_NAME,
  };
  writeFileSync(
    inFolder('feeds.json'),
    JSON.stringify([
      { id: 'one', ...feed },
      { id: 'two', ...feed, mode: 'opt-in' },
    ]),
  );
  const agent = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';
  const clients = ['8.8.8.8', '2001:db8:1234:5678:9abc:def0:1234:5678'];
  writeFileSync(
    inFolder('access.log'),
    clients
      .map((ip) => `${ip} - - [16/Nov/2026:10:00:00 +0000] "GET / HTTP/1.1" 200 1 "-" "${agent}"\n`)
      .join(''),
  );
});
after(() => folder.remove());

/** The commands, and a part of what each prints. */
const COMMANDS: readonly (readonly [name: string, argv: () => readonly string[], part: RegExp])[] =
  [
    ['key list', () => ['key', 'list'], /revoked/],
    ['key show', () => ['key', 'show', ids.active], /state +active/],
    ['key show of a revoked key', () => ['key', 'show', ids.revoked], /state +revoked/],
    ['user list', () => ['user', 'list'], /has no password yet(.*\n)+.* reset /],
    ['key usage', () => ['key', 'usage', ids.active], /5xx/],
    ['storage migrate', () => ['storage', 'migrate', '--to', inFolder('copy')], /was verified/],
    ['storage check', () => ['storage', 'check'], /no problems/],
    ['dataset list', () => ['dataset', 'list'], /feed-that-has-moved +not used/],
    ['dataset feeds', () => ['dataset', 'feeds'], /off +two/],
    ['dataset verify', () => ['dataset', 'verify'], /version 2: valid/],
    ['crawlers', () => ['crawlers', '--no-dns', inFolder('access.log')], /Googlebot/],
  ];

/** What differs from one run to the next. */
const steady = (text: string) => text.replace(/response time .* ms/, 'response time');

for (const [name, argv, part] of COMMANDS)
  test(`tables: ${name}`, async () => {
    const print = async (variables: Record<string, string>, terminal = {}) =>
      steady((await runCommand(argv(), { ...environment, ...variables }, terminal)).stdout);
    const terminal = { isTTY: true, columns: 80 };
    const piped = await print({});
    assert.match(piped, part);
    assert.equal(stripVTControlCharacters(piped), piped, 'no colour in a pipe');
    const forced = await print({ FORCE_COLOR: '1' });
    assert.notEqual(forced, piped, 'FORCE_COLOR');
    assert.equal(stripVTControlCharacters(forced), piped, 'colour moves nothing');

    const plain = await print({ NO_COLOR: '1' }, terminal);
    const coloured = await print({}, terminal);
    assert.notEqual(coloured, plain, 'colour on a terminal, and none with NO_COLOR');
    assert.equal(stripVTControlCharacters(coloured), plain);
    for (const line of plain.split('\n'))
      assert.ok(line.length <= 80, `${line.length} columns: ${line}`);
    const words = (text: string) => text.split(/\s+/).sort().join(' ');
    if (name !== 'dataset list') assert.equal(words(plain), words(piped), 'nothing is cut');
  });

test('tables: in a pipe, a key is one line', async () => {
  const { stdout } = await runCommand(['key', 'list'], environment);
  assert.equal(stdout.split('\n').length, 4, stdout);
});

test('tables: an implausible update has lines of any length in its report, and of 80 columns on a terminal', () => {
  const sources = ['first-blocklist', 'second-blocklist', 'third-blocklist'].map((id) => ({
    id,
    space: 114_898_176,
  }));
  const measure = { kind: 'flag', name: 'threat', version: 4 } as const;
  const change = {
    measure,
    before: 912_321,
    after: 115_810_497,
    limit: 'at most 3 times',
    sources,
  };
  const error = new ImplausibleResultError([change], 2);
  assert.match(
    error.message,
    /\n {2}threat IPv4 addresses +912,321 +115,810,497 +at most 3 times +first-.*third-.*\n/,
  );
  const [, ...table] = error.messageIn(80).split('\n').slice(0, -1);
  for (const line of table) assert.ok(line.length <= 80, line);
});

test('tables: messages break between words on a terminal, and point to the help of the command', async () => {
  const argv = ['dataset', 'export', '--format', 'csv', '--flag', 'cool'];
  const { code, stderr } = await runCommand(argv, environment, { isTTY: true, columns: 80 });
  assert.equal(code, 2);
  assert.match(stderr, /^error: unknown flag "cool"; valid flags: datacenter, .*\n {2}\w+/);
  assert.match(stderr, /\n\(run npx wh dataset export --help for usage\)\n$/);
  for (const line of stderr.split('\n')) assert.ok(line.length <= 80, line);
  const piped = await runCommand(argv, environment);
  assert.equal(piped.stderr.split('\n').length, 3, 'one line in a pipe');
});
