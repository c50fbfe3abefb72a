/** Builds of the whole embedded dataset, which take 10 s of processor time each. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { after, before } from 'node:test';
import { copyEmbeddedDataset } from '@whence/testing/embedded-dataset';
import { runCommand } from '../run-command.ts';
import { bin } from '../test-server.ts';

const folder = mkdtempSync(join(tmpdir(), 'whence-build-'));
const dataDir = join(folder, 'data');
const whence = (...argv: string[]) => runCommand(argv, { WHENCE_DATA_DIR: dataDir });

before(() => copyEmbeddedDataset(dataDir));
after(() => rmSync(folder, { recursive: true, force: true }));

test('build: a second build gives the same content, so it is no new version; it draws a bar on a terminal', async () => {
  const { code, stdout, stderr } = await runCommand(
    ['dataset', 'build', '--json'],
    { WHENCE_DATA_DIR: dataDir },
    { isTTY: true, columns: 60 },
  );
  assert.equal(code, 0);
  const { version, is_new } = JSON.parse(stdout);
  assert.deepEqual([version, is_new], [1, false]);
  assert.match(stderr.replaceAll('\r\x1b[K', '\n'), /\n█+░+ +\d+% {2}merging IPv4\n/);
  assert.ok(stderr.endsWith('\r\x1b[K'), 'the bar is cleared');
  assert.ok(
    stderr.split('\r\x1b[K').every((line) => line.length <= 60),
    'no line is longer than the terminal',
  );
});

test('build: the first start builds, creates a key, prints it and serves; the second prints none', async (t) => {
  const fresh = join(folder, 'fresh');
  const start = () => {
    const child = spawn(process.execPath, [bin, 'serve'], {
      env: { ...process.env, WHENCE_DATA_DIR: fresh, WHENCE_PORT: '0', WHENCE_LOG_LEVEL: 'fatal' },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    t.after(() => child.kill('SIGKILL'));
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
    const until = async (text: string) => {
      while (!output.includes(text)) await once(child.stdout, 'data');
      return output;
    };
    const stop = async () => {
      child.kill('SIGTERM');
      return once(child, 'exit');
    };
    return { until, stop };
  };

  const first = start();
  const welcome = await first.until(' dataset update\n');
  assert.match(
    welcome,
    /The dataset is ready\.\n\nTry it:\n\n {2}curl .+\n\nWithout current lists a threat is not known\. Fetch them: npx wh dataset update\n/,
  );
  const [, secret = '', url = ''] = /curl -H 'X-API-Key: (\S+)' (\S+)/.exec(welcome) ?? [];
  const response = await fetch(url, { headers: { 'X-API-Key': secret } });
  assert.equal(response.status, 200, 'the printed command works from then on');
  assert.equal(response.headers.get('x-ratelimit-limit'), '2147483647');
  assert.deepEqual(await first.stop(), [0, null]);

  const second = start();
  assert.doesNotMatch(await second.until('listens on'), /whence_/);
  assert.deepEqual(await second.stop(), [0, null]);
});

test('build: a build on a full disk fails and leaves no file', async () => {
  // A file size limit simulates a full disk: a write fails in the middle.
  const limited = join(folder, 'limited');
  const limit = 'trap "" XFSZ; ulimit -f 8000; exec "$@"';
  const { status, stderr } = spawnSync(
    'sh',
    ['-c', limit, 'sh', process.execPath, bin, 'dataset', 'build'],
    {
      env: { ...process.env, WHENCE_DATA_DIR: limited },
      encoding: 'utf8',
    },
  );
  assert.equal(status, 3);
  assert.match(
    stderr,
    /error: no space left for the dataset: .*\. Published versions are unchanged\.\n$/,
  );
  assert.deepEqual(readdirSync(join(limited, 'datasets')), [], 'no file is left');
});

test('build: after a killed build the old version still answers and verifies', async () => {
  const child = spawn(process.execPath, [bin, 'dataset', 'build'], {
    env: { ...process.env, WHENCE_DATA_DIR: dataDir },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let progress = '';
  for await (const text of child.stderr.setEncoding('utf8')) {
    progress += text;
    if (progress.includes('merging IPv6')) break;
  }
  child.kill('SIGKILL');
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  assert.equal((await whence('ip', '8.8.8.8')).code, 0);
  assert.equal((await whence('dataset', 'verify')).stdout, 'version 1: valid\n');
});
