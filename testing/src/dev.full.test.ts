/**
 * `npm run dev`, in this repository: server and dashboard run, the server restarts after a change,
 * and Ctrl-C ends all.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { freePort } from './programs.ts';
import { until } from './until.ts';

const ROOT = join(import.meta.dirname, '../..');

test('npm run dev: the server restarts when a source changes, the dashboard is served, and a signal ends both', async () => {
  const dashboard = await freePort();
  const server = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'whence-dev-'));
  const child = spawn(process.execPath, [join(ROOT, '.ci/dev.mjs'), String(dashboard)], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      WHENCE_PORT: String(server),
      WHENCE_DATA_DIR: join(folder, 'data'),
      // An empty host, so that no dataset is built.
      WHENCE_DATASET_URL: `file://${folder}/`,
      WHENCE_FIRST_KEY: 'off',
    },
  });
  const ended = once(child, 'exit');
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  const starts = () => output.split('Whence listens on').length - 1;
  const waiting = { everyMs: 50, state: () => output };
  const status = (url: string) =>
    fetch(url).then(
      (answer) => answer.status,
      () => 0,
    );
  try {
    await until('the server listens', () => starts() === 1 || hasEnded(), waiting);
    await until(
      'the dashboard is served',
      async () => hasEnded() || (await status(`http://127.0.0.1:${dashboard}/`)) === 200,
      waiting,
    );
    assert.equal(
      await status(`http://127.0.0.1:${dashboard}/v1/ip/8.8.8.8`),
      401,
      'the server answers behind it',
    );
    const now = new Date();
    utimesSync(join(ROOT, 'server/src/bin.ts'), now, now);
    await until('the server listens again', () => starts() === 2 || hasEnded(), waiting);
  } finally {
    child.kill('SIGINT');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  }
  assert.equal(child.exitCode, 0, output);
  for (const port of [dashboard, server])
    assert.equal(await status(`http://127.0.0.1:${port}/`), 0);
});
