/** `wh dataset export` as a process: pipes that close, disks and devices that are full. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdirSync, openSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { ExportSample } from '../../test/packages/export-sample.ts';
import { bin } from '../../test/test-server.ts';

const sample = new ExportSample();

function newFolder(name: string): string {
  const folder = sample.path(name);
  mkdirSync(folder);
  return folder;
}

test('export: a full disk is an error and leaves no file', () => {
  const folder = newFolder('full');
  // Limits files to 2 blocks and ignores SIGXFSZ, so that the write fails.
  const limit = 'trap "" XFSZ; ulimit -f 2; exec "$@"';
  for (const format of ['csv', 'mmdb']) {
    const { status, stderr } = spawnSync(
      'bash',
      [
        '-c',
        limit,
        'bash',
        process.execPath,
        bin,
        'dataset',
        'export',
        '--format',
        format,
        '--output',
        join(folder, 'out'),
      ],
      { env: { ...process.env, WHENCE_DATA_DIR: sample.dataDir }, encoding: 'utf8' },
    );
    assert.equal(status, 3, stderr);
    assert.match(stderr, /\nerror: cannot write .*\/out: no space left \(/);
    assert.deepEqual(readdirSync(folder), []);
  }
});

test('export: a closed pipe ends it without an error', async () => {
  const child = spawn(process.execPath, [bin, 'dataset', 'export', '--format', 'csv'], {
    env: { ...process.env, WHENCE_DATA_DIR: sample.dataDir },
  });
  child.stdout.destroy();
  let stderr = '';
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  const [code] = await once(child, 'close');
  assert.equal(code, 0);
  assert.doesNotMatch(stderr, /error/i);
});

test('export: completes when standard error is closed', async () => {
  const folder = newFolder('unread');
  const argv = [bin, 'dataset', 'export', '--format', 'csv', '--output', join(folder, 'out')];
  const child = spawn(process.execPath, argv, {
    env: { ...process.env, WHENCE_DATA_DIR: sample.dataDir },
  });
  child.stderr.destroy();
  const [code] = await once(child, 'exit');
  assert.equal(code, 0);
  assert.deepEqual(readdirSync(folder), ['out', 'out.NOTICE']);
});

test('export: a full device as standard output is an error', {
  skip: !existsSync('/dev/full') && 'no /dev/full',
}, () => {
  const full = openSync('/dev/full', 'w');
  const { status, stderr } = spawnSync(
    process.execPath,
    [bin, 'dataset', 'export', '--format', 'csv'],
    {
      env: { ...process.env, WHENCE_DATA_DIR: sample.dataDir },
      stdio: ['ignore', full, 'pipe'],
      encoding: 'utf8',
    },
  );
  closeSync(full);
  assert.equal(status, 3);
  assert.match(stderr, /\nerror: cannot write to standard output: no space left \(ENOSPC[^\n]*\n$/);
});
