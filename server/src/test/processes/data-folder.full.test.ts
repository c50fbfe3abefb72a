/**
 * Which data directory commands use that are run in any folder, and what they say where it would be
 * the wrong one.
 */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { after } from 'node:test';
import { sampleContent } from '@whence/dataset/test/sample-dataset';
import { publish } from '@whence/dataset/versions';
import { ownDataFolder } from '../../settings/data-folder.ts';
import { Command, serve, urlOf } from '../command.ts';

const root = realpathSync(mkdtempSync(join(tmpdir(), 'whence-folders-')));
after(() => rmSync(root, { recursive: true, force: true }));
const home = join(root, 'home');
const own = join(home, '.local/share/whence');

const datasetIn = (dataDir: string, name: string) =>
  publish(dataDir, sampleContent({ routes: [['8.8.8.0/24', 15169, name]] }), new Date());
const folder = (name: string) => {
  mkdirSync(join(root, name), { recursive: true });
  return join(root, name);
};
const wh = (cwd: string, argv: readonly string[], environment: Record<string, string> = {}) =>
  new Command(argv, { HOME: home, ...environment }, { cwd }).ended;
const nameIn = async (...given: Parameters<typeof wh>) => {
  const { stdout, stderr } = await wh(
    given[0],
    ['ip', '8.8.8.8', '--fields', 'asn_name', ...given[1]],
    given[2],
  );
  return (stdout + stderr).trim();
};

const empty = folder('empty');
const work = folder('work');

test('data directory: without any, the message names the one that an update would write', async () => {
  assert.equal(
    await nameIn(empty, []),
    `error: there is no dataset in ${own}; build one with: wh dataset build`,
  );
});

test('data directory: what is set, then the one of the working folder, then the one of the user', async () => {
  datasetIn(own, 'of the user');
  datasetIn(join(work, 'whence-data'), 'of the folder');
  datasetIn(join(root, 'set'), 'of the setting');
  assert.equal(await nameIn(empty, []), 'of the user');
  assert.equal(await nameIn(work, []), 'of the folder');
  assert.equal(await nameIn(work, [], { WHENCE_DATA_DIR: join(root, 'set') }), 'of the setting');
  assert.equal(
    await nameIn(work, ['--data-dir', '../set'], { WHENCE_DATA_DIR: '/nonexistent' }),
    'of the setting',
  );
  assert.deepEqual(readdirSync(empty), []);
});

test('data directory: --explain and dataset list say which one it is', async () => {
  const { stderr } = await wh(empty, ['ip', '--explain', '8.8.8.8']);
  assert.equal(stderr.split('\n')[0], `dataset: ${own} (your own)`);
  const { stdout } = await wh(work, ['dataset', 'list']);
  assert.match(stdout, /^data directory: .*\/work\/whence-data \(of the working folder\)\n/);
  const json = JSON.parse((await wh(empty, ['dataset', 'list', '--json'])).stdout);
  assert.deepEqual([json.data_dir, json.found, json.current], [own, 'own', 1]);
});

test('data directory: a version is selected in the one of the user, and no database is made for it', async () => {
  assert.equal((await wh(empty, ['dataset', 'use', '1'])).stdout, 'version 1 is current\n');
  assert.deepEqual(
    [empty, own].map((path) => existsSync(join(path, 'whence.sqlite'))),
    [false, false],
  );
});

test('data directory: a command in another folder than the server names the server', async () => {
  const server = serve(join(work, 'whence-data'), { HOME: home });
  try {
    const url = await urlOf(server);
    const data = join(work, 'whence-data');
    const refused = await wh(empty, ['key', 'create', '--name', 'shop']);
    assert.deepEqual(
      [refused.code, refused.stdout, refused.stderr],
      [
        3,
        '',
        `error: there is no database in ${empty}/whence-data. The server at ${url} uses ${data}: ` +
          `add --data-dir ${data}; --new starts an empty one here\n`,
      ],
    );
    assert.deepEqual(readdirSync(empty), []);
    const accepted = await wh(empty, ['key', 'create', '--name', 'shop', '--data-dir', data]);
    assert.equal(accepted.code, 0);
    assert.match(accepted.stderr, /^created key shop: .*\n$/);
    const answer = await fetch(`${url}/v1/ip/8.8.8.8`, {
      headers: { 'X-API-Key': accepted.stdout.trim() },
    });
    assert.equal(answer.status, 200);
    const started = await wh(empty, ['key', 'create', '--name', 'shop', '--new']);
    assert.match(started.stdout, /^whence_\w{36}\n$/);
    const other = await wh(empty, ['key', 'list']);
    assert.equal(
      other.stderr,
      `note: this is about ${empty}/whence-data; the server at ${url} uses ${data}\n`,
    );
  } finally {
    await server.kill();
  }
});

for (const [platform, environment, want] of [
  ['linux', { HOME: '/home/ada' }, '/home/ada/.local/share/whence'],
  ['linux', { HOME: '/home/ada', XDG_DATA_HOME: '/data' }, '/data/whence'],
  ['linux', { HOME: '/home/ada', XDG_DATA_HOME: 'data' }, '/home/ada/.local/share/whence'],
  ['darwin', { HOME: '/Users/ada' }, '/Users/ada/Library/Application Support/whence'],
  ['win32', { LOCALAPPDATA: '/Local' }, '/Local/whence'],
  ['linux', {}, undefined],
] as const)
  test(`data directory: the user's own on ${platform} is ${want}`, () => {
    assert.equal(ownDataFolder(environment, platform), want);
  });
