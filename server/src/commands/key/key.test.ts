/** `whence key` in the hands of operators: wrong folders, secrets as arguments, users without a name, full disks. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { after, before } from 'node:test';
import { makeSecret, maskSecret } from '../../keys/secret.ts';
import { Command, ORDINARY_USER } from '../../test/command.ts';
import { runCommand } from '../../test/run-command.ts';
import { bin, TestFolder } from '../../test/test-server.ts';

const folder = mkdtempSync(join(tmpdir(), 'whence-key-'));
const dataDir = join(folder, 'data');
after(() => rmSync(folder, { recursive: true, force: true }));

const whenceIn = (dir: string, ...argv: string[]) => runCommand(argv, { WHENCE_DATA_DIR: dir });
const whence = (...argv: string[]) => whenceIn(dataDir, ...argv);
const create = async () => (await whence('key', 'create', '--name', 'shop')).stdout.trim();
const list = async () => JSON.parse((await whence('key', 'list', '--json')).stdout) as Record<string, string>[];

before(create);

test('key create: a data directory that is made by it is named, so that a wrong folder is noticed', async () => {
  const dir = join(folder, 'elsewhere');
  const { stdout, stderr } = await whenceIn(dir, 'key', 'create', '--name', 'shop');
  assert.match(stdout, /^whence_\w{36}\n$/);
  assert.equal(stderr, `note: the data directory ${dir} is new (WHENCE_DATA_DIR)\n`);
  assert.equal((await whenceIn(dir, 'key', 'create', '--name', 'shop')).stderr, '');
});

for (const argv of [
  ['key', 'list'],
  ['key', 'revoke', 'abcdefghjk'],
  ['key', 'revoke', makeSecret()],
]) {
  test(`key: ${argv.slice(0, 2).join(' ')} in a wrong folder says which, and makes none`, async () => {
    const dir = join(folder, 'wrong');
    const { code, stdout, stderr } = await whenceIn(dir, ...argv);
    assert.deepEqual([code, stdout], [1, '']);
    assert.equal(
      stderr,
      `error: there are no keys in ${dir}: set WHENCE_DATA_DIR to the data directory of the server, ` +
        'or run the command in the folder where the server was started\n',
    );
    assert.ok(!existsSync(dir));
  });
}

for (const [behaviour, nameOf] of [
  ['by the secret itself', (secret: string) => secret],
  ['by its masked form', maskSecret],
  ['by its masked form, typed with dots', (secret: string) => maskSecret(secret).replace('…', '...')],
] as const) {
  test(`key revoke: a key is revoked ${behaviour}, which is not printed`, async () => {
    const secret = await create();
    const { code, stdout, stderr } = await whence('key', 'revoke', nameOf(secret));
    const key = (await list()).find(({ masked }) => masked === maskSecret(secret));
    assert.deepEqual([code, stdout, stderr], [0, `${key?.['id']} is revoked\n`, '']);
    assert.ok(key?.['revoked_at'] !== undefined);
    assert.equal((await whence('key', 'revoke', nameOf(secret))).stdout, `${key['id']} is already revoked\n`);
  });
}

const secret = makeSecret();
for (const [behaviour, name, message] of [
  ['a secret that belongs to no key', secret, /^error: there is no key with this secret; whence key list shows/],
  ['a secret that is cut off', secret.slice(0, 30), /^error: this is neither the id nor the whole secret of a key;/],
  ['a secret in quotes', `"${secret}"`, /^error: this is neither the id nor the whole secret of a key;/],
  ['a secret without its prefix', secret.slice(7), /^error: this is neither the id nor the whole secret of a key;/],
  ['a part of a secret', secret.slice(7, 19), /^error: (this is neither|there is no key)/],
  ['an id that is unknown', 'abcdefghjk', /^error: there is no key abcdefghjk; whence key list shows them\n$/],
] as const) {
  test(`key revoke: ${behaviour} revokes nothing and is not printed`, async () => {
    const { code, stdout, stderr } = await whence('key', 'revoke', name);
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, message);
    if (name !== 'abcdefghjk') assert.ok(!stderr.includes(secret.slice(12, 17)), stderr);
    assert.ok((await list()).every(({ id }) => id !== name));
  });
}

for (const argv of [
  ['key', secret],
  [secret],
  ['ip', secret],
  ['asn', secret],
  ['dataset', 'use', secret],
  ['key', 'create', '--name', 'x', '--tier', secret],
  ['key', 'create', '--name', `the key ${secret}`],
]) {
  test(`cli: a secret in the wrong place is not printed: ${argv.join(' ').replace(secret, 'SECRET')}`, async () => {
    const { code, stdout, stderr } = await whence(...argv);
    assert.notEqual(code, 0);
    assert.equal(stdout, '');
    assert.ok(!stderr.includes(secret.slice(12, 30)), stderr);
  });
}

test('key revoke: a user whom no passwd entry names is recorded by number', async () => {
  const owned = new TestFolder();
  try {
    const { key } = await owned.createKey();
    const uid = Number(ORDINARY_USER.uid ?? process.getuid?.());
    for (const name of ['.', ...readdirSync(owned.dataDir)]) chownSync(join(owned.dataDir, name), uid, -1);
    const argv = ['key', 'revoke', key.id];
    const { code, stdout, stderr } = await new Command(argv, { WHENCE_DATA_DIR: owned.dataDir }, ORDINARY_USER).ended;
    assert.deepEqual([code, stdout, stderr], [0, `${key.id} is revoked\n`, '']);
    const [revoked] = await owned.withKeys((keys) => keys.list());
    assert.match(
      revoked?.revokedBy ?? '',
      ORDINARY_USER.uid === undefined ? /^command line, ./ : /^command line, uid 54321$/,
    );
  } finally {
    owned.remove();
  }
});

for (const [behaviour, blocks] of [
  ['when the database is made', '0'],
  ['when the key is stored', '40'],
] as const) {
  test(`key create: on a disk that is full ${behaviour}, one sentence and no key`, async () => {
    // A file size limit simulates a full disk: a write fails in the middle.
    const limit = `trap "" XFSZ; ulimit -f ${blocks}; exec "$@"`;
    const dir = join(folder, `full ${blocks}`);
    const argv = ['-c', limit, 'sh', process.execPath, bin, 'key', 'create', '--name', 'one'];
    const { status, stdout, stderr } = spawnSync('sh', argv, {
      env: { PATH: process.env['PATH'], WHENCE_DATA_DIR: dir },
      encoding: 'utf8',
    });
    assert.deepEqual([status, stdout], [1, '']);
    assert.match(
      stderr,
      /^error: .*whence\.sqlite.*: (no space left on the disk|the disk is full or broken) \(SQLITE_\w+\)\n$/,
    );
  });
}
