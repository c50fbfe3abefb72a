import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { after, beforeEach } from 'node:test';
import { UsageError } from '../terminal.ts';
import { StagedFiles } from './staged-files.ts';

const root = mkdtempSync(join(tmpdir(), 'whence-staged-'));
after(() => rmSync(root, { recursive: true, force: true }));
let folder: string;
let count = 0;
beforeEach(() => {
  folder = join(root, String(count++));
  mkdirSync(folder);
});

test('staged files: they appear together when they are complete', async () => {
  const files = new StagedFiles();
  const sinks = [files.create(join(folder, 'a')), files.create(join(folder, 'b'))];
  for (const sink of sinks) await sink.write('tönt');
  assert.ok(readdirSync(folder).every((name) => name.endsWith('.part')));
  files.commit();
  assert.deepEqual(readdirSync(folder).sort(), ['a', 'b']);
  assert.equal(readFileSync(join(folder, 'b'), 'utf8'), 'tönt');
  assert.deepEqual(
    sinks.map(({ bytes }) => bytes),
    [5, 5],
  );
});

test('staged files: discarded, nothing is left, and what was there is as it was', async () => {
  writeFileSync(join(folder, 'a'), 'before');
  const files = new StagedFiles();
  files.makeFolder(join(folder, 'new'));
  await files.create(join(folder, 'a')).write('after');
  await files.create(join(folder, 'new', 'b')).write('after');
  files.discard();
  assert.deepEqual(readdirSync(folder), ['a']);
  assert.equal(readFileSync(join(folder, 'a'), 'utf8'), 'before');
});

test('staged files: a symbolic link stays one', async () => {
  writeFileSync(join(folder, 'target'), 'before');
  symlinkSync(join(folder, 'target'), join(folder, 'link'));
  const files = new StagedFiles();
  await files.create(join(folder, 'link')).write('after');
  files.commit();
  assert.equal(readlinkSync(join(folder, 'link')), join(folder, 'target'));
  assert.equal(readFileSync(join(folder, 'target'), 'utf8'), 'after');
});

for (const [behaviour, path, message] of [
  ['a folder', '.', /is a folder; --output must name a file$/],
  ['a device', '/dev/null', /\/dev\/null is not a file; leave --output out/],
  ['a file in a folder that does not exist', 'missing/a', /cannot write .*missing\/a: its folder does not exist$/],
] as const)
  test(`staged files: refuses ${behaviour}`, () => {
    const files = new StagedFiles();
    assert.throws(
      () => files.create(path.startsWith('/') ? path : join(folder, path)),
      (error) => error instanceof UsageError && message.test(error.message),
    );
    files.discard();
    assert.deepEqual(readdirSync(folder), []);
  });

test('staged files: nobody listens for signals when all is done', () => {
  const before = process.listenerCount('SIGINT');
  const files = new StagedFiles();
  assert.equal(process.listenerCount('SIGINT'), before + 1);
  files.create(join(folder, 'a'));
  files.commit();
  assert.equal(process.listenerCount('SIGINT'), before);
});

test('staged files: on Ctrl-C nothing is left, and the process ends by the signal', async () => {
  const script = `
    import { StagedFiles } from ${JSON.stringify(join(import.meta.dirname, 'staged-files.js'))};
    const files = new StagedFiles();
    files.makeFolder('new');
    await files.create('new/a').write('half');
    console.log('ready');
    setInterval(() => {}, 1000);
  `;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { cwd: folder });
  const ended = once(child, 'exit');
  await once(child.stdout, 'data');
  assert.equal(readdirSync(join(folder, 'new')).length, 1);
  child.kill('SIGINT');
  const [, signal] = await ended;
  assert.equal(signal, 'SIGINT');
  assert.ok(!existsSync(join(folder, 'new')));
});
