/** `wh key` as a process: under a user without a name, and on a full disk. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chownSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { after } from 'node:test';
import { Command, ORDINARY_USER } from '../../test/command.ts';
import { bin, TestFolder } from '../../test/test-server.ts';

const folder = mkdtempSync(join(tmpdir(), 'whence-key-'));
after(() => rmSync(folder, { recursive: true, force: true }));

test('key revoke: a user whom no passwd entry names is recorded by number', async () => {
  const owned = new TestFolder();
  try {
    const { key } = await owned.createKey();
    const uid = Number(ORDINARY_USER.uid ?? process.getuid?.());
    for (const name of ['.', ...readdirSync(owned.dataDir)])
      chownSync(join(owned.dataDir, name), uid, -1);
    const argv = ['key', 'revoke', key.id];
    const { code, stdout, stderr } = await new Command(
      argv,
      { WHENCE_DATA_DIR: owned.dataDir },
      ORDINARY_USER,
    ).ended;
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
    const argv = [
      '-c',
      limit,
      'sh',
      process.execPath,
      bin,
      'key',
      'create',
      '--new',
      '--name',
      'one',
    ];
    const { status, stdout, stderr } = spawnSync('sh', argv, {
      env: { PATH: process.env['PATH'], WHENCE_DATA_DIR: dir },
      encoding: 'utf8',
    });
    assert.deepEqual([status, stdout], [3, '']);
    assert.match(
      stderr,
      /^error: .*whence\.sqlite.*: (no space left on the disk|the disk is full or broken) \(SQLITE_\w+( \d+)?\)\n$/,
    );
  });
}
