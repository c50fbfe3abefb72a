/**
 * An installation whose SQLite driver has no binary, as on a platform that its package does not
 * include.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import test, { after, before } from 'node:test';

const root = resolve(import.meta.dirname, '../../../..');
const folder = mkdtempSync(join(tmpdir(), 'whence-driver-'));
const modules = join(folder, 'node_modules');
const server = join(modules, '@whence/server');
before(() => {
  mkdirSync(join(modules, '@whence'), { recursive: true });
  cpSync(join(root, 'server/dist'), join(server, 'dist'), {
    recursive: true,
    filter: (path) => !/[\\/](?:bundle[^\\/]*|test)$|\.(?:map|d\.ts)$/.test(path),
  });
  for (const file of ['package.json', 'bin'])
    cpSync(join(root, 'server', file), join(server, file), { recursive: true });
  for (const name of readdirSync(join(root, 'node_modules')))
    if (!['@photostructure', '@whence', '.bin'].includes(name))
      symlinkSync(join(root, 'node_modules', name), join(modules, name));
  for (const name of ['client', 'dataset', 'email'])
    symlinkSync(join(root, name), join(modules, '@whence', name));
  const driver = 'node_modules/@photostructure/sqlite';
  for (const part of ['package.json', 'dist'])
    cpSync(join(root, driver, part), join(folder, driver, part), { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{}');
});
after(() => rmSync(folder, { recursive: true, force: true }));

for (const argv of [
  ['serve'],
  ['key', 'create', '--new', '--name', 'x'],
  ['user', 'setup-link', '--new'],
])
  test(`sqlite driver: without its binary, wh ${argv.join(' ')} says what to do and leaves nothing behind`, () => {
    const dataDir = join(folder, 'data');
    const env = {
      PATH: process.env['PATH'],
      HOME: folder,
      WHENCE_DATA_DIR: dataDir,
      WHENCE_PORT: '0',
    };
    const { status, stderr } = spawnSync(process.execPath, [join(server, 'dist/bin.js'), ...argv], {
      cwd: folder,
      env,
      encoding: 'utf8',
    });
    assert.equal(status, 3, stderr);
    assert.match(
      stderr,
      /^error: the SQLite driver in .*sqlite has no binary for \w+-\w+: compile it with npm rebuild @photostructure\/sqlite, or set WHENCE_DATABASE_URL$/m,
    );
    assert.equal(stderr.trimEnd().split('\n').length, 1);
    assert.ok(!existsSync(dataDir), 'no data directory');
  });
