import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { after, beforeEach } from 'node:test';
import { UsageError } from './exit.ts';
import { StagedFiles, staged } from './staged-files.ts';

const root = mkdtempSync(join(tmpdir(), 'whence-staged-'));
after(() => rmSync(root, { recursive: true, force: true }));
let folder: string;
let count = 0;
beforeEach(() => {
  folder = join(root, String(count++));
  mkdirSync(folder);
});

test('staged files: they appear together on commit', async () => {
  const files = new StagedFiles();
  const sinks = [files.create(join(folder, 'a')), files.create(join(folder, 'b'))];
  for (const sink of sinks) await sink.write('tönt');
  assert.ok(readdirSync(folder).every((name) => name.endsWith('.unfinished')));
  files.commit();
  assert.deepEqual(readdirSync(folder).sort(), ['a', 'b']);
  assert.equal(readFileSync(join(folder, 'b'), 'utf8'), 'tönt');
  assert.deepEqual(
    sinks.map(({ bytes }) => bytes),
    [5, 5],
  );
});

test('staged files: discard removes everything and leaves existing files unchanged', async () => {
  writeFileSync(join(folder, 'a'), 'before');
  const files = new StagedFiles();
  await files.create(join(folder, 'a')).write('after');
  await files.create(join(folder, 'b')).write('after');
  files.discard();
  assert.deepEqual(readdirSync(folder), ['a']);
  assert.equal(readFileSync(join(folder, 'a'), 'utf8'), 'before');
});

test('staged files: a symbolic link is followed, not replaced', async () => {
  writeFileSync(join(folder, 'target'), 'before');
  symlinkSync(join(folder, 'target'), join(folder, 'link'));
  const files = new StagedFiles();
  await files.create(join(folder, 'link')).write('after');
  files.commit();
  assert.equal(readlinkSync(join(folder, 'link')), join(folder, 'target'));
  assert.equal(readFileSync(join(folder, 'target'), 'utf8'), 'after');
});

test('staged files: a replaced file keeps its mode, also while it is being written', async () => {
  const path = join(folder, 'a');
  const modes = () => readdirSync(folder).map((name) => statSync(join(folder, name)).mode & 0o777);
  writeFileSync(path, 'before');
  chmodSync(path, 0o640);
  await staged(async (files) => {
    await files.create(path).write(Buffer.from('after'));
    assert.deepEqual(modes(), [0o640, 0o640]);
  });
  assert.deepEqual(modes(), [0o640]);
  assert.equal(readFileSync(path, 'utf8'), 'after');
});

test('staged files: work that fails leaves no file', async () => {
  const work = staged(async (files) => {
    await files.create(join(folder, 'a')).write('half');
    throw new Error('failed');
  });
  await assert.rejects(work, /^Error: failed$/);
  assert.deepEqual(readdirSync(folder), []);
});

for (const [behaviour, path, message] of [
  ['a directory', '.', /is a directory; --output must name a file$/],
  ['a device', '/dev/null', /\/dev\/null is not a regular file; omit --output/],
  [
    'a file under a file',
    '/dev/null/a',
    /cannot write \/dev\/null\/a: its parent is not a directory$/,
  ],
  ['a name that is too long', 'a'.repeat(300), /: the name is too long$/],
  [
    'a file in a missing directory',
    'missing/a',
    /cannot write .*missing\/a: its directory does not exist$/,
  ],
] as const)
  test(`staged files: rejects ${behaviour}`, () => {
    const files = new StagedFiles();
    assert.throws(
      () => files.create(path.startsWith('/') ? path : join(folder, path)),
      (error) => error instanceof UsageError && message.test(error.message),
    );
    files.discard();
    assert.deepEqual(readdirSync(folder), []);
  });

test('staged files: commit removes the signal listeners', () => {
  const before = process.listenerCount('SIGINT');
  const files = new StagedFiles();
  assert.equal(process.listenerCount('SIGINT'), before + 1);
  files.create(join(folder, 'a'));
  files.commit();
  assert.equal(process.listenerCount('SIGINT'), before);
});

test('staged files: an exit or an exception leaves no file', () => {
  for (const end of ['process.exit(0)', 'throw new Error()']) {
    const script = `
      import { StagedFiles } from ${JSON.stringify(join(import.meta.dirname, 'staged-files.js'))};
      await new StagedFiles().create('a').write('half');
      ${end};
    `;
    spawnSync(process.execPath, ['--input-type=module', '-e', script], { cwd: folder });
    assert.deepEqual(readdirSync(folder), [], end);
  }
});

test('staged files: Ctrl-C leaves no file, and the process ends by the signal', async () => {
  const script = `
    import { StagedFiles } from ${JSON.stringify(join(import.meta.dirname, 'staged-files.js'))};
    const files = new StagedFiles();
    await files.create('a').write('half');
    console.log('ready');
    setInterval(() => {}, 1000);
  `;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { cwd: folder });
  const ended = once(child, 'exit');
  await once(child.stdout, 'data');
  assert.equal(readdirSync(folder).length, 1);
  child.kill('SIGINT');
  const [, signal] = await ended;
  assert.equal(signal, 'SIGINT');
  assert.deepEqual(readdirSync(folder), []);
});
