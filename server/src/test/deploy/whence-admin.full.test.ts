/** The script with which systemd runs commands of Whence. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { bin } from '../test-server.ts';

const SCRIPT = join(import.meta.dirname, '../../../../deploy/systemd/whence-admin');

test('whence-admin: it passes arguments, output and exit code on', () => {
  const folder = mkdtempSync(join(tmpdir(), 'whence-admin-'));
  try {
    // As systemd-run with --pipe and --wait, without the service around it.
    writeFileSync(
      join(folder, 'systemd-run'),
      `#!/bin/sh\nwhile [ "$1" != /usr/bin/wh ]; do shift; done\nshift\nexec ${process.execPath} ${bin} "$@"\n`,
      { mode: 0o755 },
    );
    const env = { PATH: `${folder}:${process.env['PATH']}`, WHENCE_DATA_DIR: join(folder, 'data') };
    const admin = (...argv: string[]) => spawnSync(SCRIPT, argv, { env, encoding: 'utf8' });
    const created = admin('key', 'create', '--name', 'two words', '--new');
    assert.match(created.stdout, /^whence_/, created.stderr);
    assert.match(admin('key', 'list').stdout, /two words/);
    assert.equal(admin('key', 'show', 'abcdefghjk').status, 1);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
