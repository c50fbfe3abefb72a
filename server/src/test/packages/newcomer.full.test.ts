/**
 * A clone as a newcomer gets it: installed, started with npm start, and asked in one of its
 * folders; and the sentence that an old Node gets. packages.full.test.ts has the same for an
 * installation.
 */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import test, { after } from 'node:test';
import { until } from '@whence/testing/until';
import { isRegistryReachable, ROOT, runIn } from './packed.ts';
import { blocksOf } from './page-blocks.ts';

// Before the first test: the folder is removed when none is left.
const NO_REGISTRY = (await isRegistryReachable()) ? false : 'the npm registry cannot be reached';
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'whence-newcomer-')));
after(() => rmSync(folder, { recursive: true, force: true }));
const clone = join(folder, 'clone');

/** On disk, without node_modules/.cache, where tests keep what they built. */
const MAX_CLONE_MEGABYTES = 480;

test(`newcomer: npm ci takes less than ${MAX_CLONE_MEGABYTES} MB`, () => {
  const installed = readdirSync(join(ROOT, 'node_modules')).filter((name) => name !== '.cache');
  const sizes = installed.map((name) => ({
    name,
    megabytes: megabytesOf(join(ROOT, 'node_modules', name)),
  }));
  const total = sizes.reduce((sum, { megabytes }) => sum + megabytes, 0);
  const largest = sizes.sort((a, b) => b.megabytes - a.megabytes).slice(0, 10);
  assert.ok(
    total < MAX_CLONE_MEGABYTES,
    `${Math.round(total)} MB after npm ci: ${JSON.stringify(largest)}`,
  );
});

function megabytesOf(path: string): number {
  const found = lstatSync(path);
  const inside = found.isDirectory()
    ? readdirSync(path).map((name) => megabytesOf(join(path, name)))
    : [];
  return inside.reduce((sum, megabytes) => sum + megabytes, (found.blocks * 512) / 1e6);
}

test('newcomer: the README shows these commands of a clone', () => {
  // npm ci has run before the tests, npm test is this run, and the next test has the others.
  assert.deepEqual(blocksOf('README.md', 'sh needs=clone'), [
    'npm ci && npm start\n',
    'npx wh 45.10.157.1\n',
    'npm ci && npm test\n',
  ]);
});

test('newcomer: npm start in a fresh clone says what it does, and npx wh answers in its folders', async () => {
  const listed = spawnSync(
    'git',
    ['ls-files', '--cached', '--others', '--exclude-standard', '-z'],
    { cwd: ROOT },
  );
  for (const file of listed.stdout.toString().split('\0').filter(Boolean)) {
    mkdirSync(dirname(join(clone, file)), { recursive: true });
    cpSync(join(ROOT, file), join(clone, file));
  }
  // What npm ci has installed. Links to the packages of the workspace are relative, so they lead to
  // those of the clone.
  const { workspaces } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    workspaces: string[];
  };
  for (const installed of ['.', ...workspaces].map((name) => join(name, 'node_modules')))
    if (existsSync(join(ROOT, installed)))
      await runIn(folder, 'cp', ['-al', join(ROOT, installed), join(clone, installed)], {});
  rmSync(join(clone, 'node_modules/.cache'), { recursive: true, force: true });
  const environment = { HOME: folder, WHENCE_LOG_LEVEL: 'fatal' };
  const built = spawnSync('npm', ['run', '--silent', 'build'], { cwd: clone, encoding: 'utf8' });
  assert.match(built.stderr, /^bundling the program: \d+ s\nbuilding the dashboard: \d+ s\n$/);
  assert.equal(built.stdout, '');
  const server = spawn('npm', ['start', '--silent'], {
    cwd: clone,
    env: { ...process.env, ...environment, WHENCE_PORT: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let output = '';
  let errors = '';
  server.stdout.setEncoding('utf8').on('data', (text) => {
    output += text;
  });
  server.stderr.setEncoding('utf8').on('data', (text) => {
    errors += text;
  });
  try {
    const state = () => output + errors;
    // Each within the limit of a wait.
    await until('it listens', () => output.includes('listens on'), { state });
    await until('the dataset is ready', () => output.includes('The dataset is ready.'), { state });
    assert.match(output, /; npx wh user setup-link makes another/);
    const wh = (...args: string[]) =>
      runIn(join(clone, 'docs'), 'npx', ['wh', ...args], environment);
    assert.match(await wh('45.10.157.1'), /AS207137 PacketHub/);
    const { data_dir, found } = JSON.parse(await wh('dataset', 'list', '--json'));
    assert.deepEqual([data_dir, found], [join(clone, 'whence-data'), 'clone']);
    const key = (await wh('key', 'create', '--name', 'shop')).trim();
    const [url = ''] = /http:\/\/127\.0\.0\.1:\d+/.exec(output) ?? [];
    assert.equal(
      (await fetch(`${url}/v1/ip/8.8.8.8`, { headers: { 'X-API-Key': key } })).status,
      200,
    );
  } finally {
    // npm starts a shell, which starts the server: all of them are in one process group.
    process.kill(-(server.pid ?? 0), 'SIGTERM');
    await once(server, 'exit');
  }
});

for (const program of [
  '.ci/start.mjs',
  '.ci/build.mjs',
  '.ci/transpile.mjs',
  'server/bin/whence.js',
])
  test(`newcomer: ${program} without the packages, or with others, gets one sentence`, () => {
    const place = join(folder, 'without-packages');
    for (const path of ['.ci', 'server/bin', 'server/package.json', 'package-lock.json'])
      cpSync(join(ROOT, path), join(place, path), { recursive: true });
    const run = () => spawnSync(process.execPath, [join(place, program)], { encoding: 'utf8' });
    const sentence = /^error: the package \S+ [\d.]+ is not installed; run: npm ci\n$/;
    const none = run();
    assert.match(none.stderr, sentence);
    const installed = readFileSync(join(place, 'package-lock.json'), 'utf8');
    mkdirSync(join(place, 'node_modules'), { recursive: true });
    writeFileSync(
      join(place, 'node_modules/.package-lock.json'),
      installed.replace(
        /("node_modules\/pg": \{\s*"version": ")[^"]+/,
        (_, before) => `${before}7.0.0`,
      ),
    );
    const other = run();
    assert.match(other.stderr, /^error: the package pg 8\.\S+ is not installed; run: npm ci\n$/);
    assert.deepEqual([none.status, other.status], [3, 3]);
    rmSync(place, { recursive: true });
  });

const OLD_VERSIONS = ['10.18.1', '14.21.3', '16.20.2', '18.20.8'];

for (const version of OLD_VERSIONS)
  test(`newcomer: Node ${version} gets one sentence, from the command and from npm start`, {
    skip: NO_REGISTRY || (process.platform !== 'linux' && 'npm has these versions for Linux'),
  }, async () => {
    const name = `node-linux-${process.arch}`;
    const place = join(folder, version);
    mkdirSync(place);
    const options = [
      '--no-save',
      '--no-package-lock',
      '--ignore-scripts',
      '--prefer-offline',
      '--prefix',
      place,
    ];
    await runIn(place, 'npm', ['install', ...options, `${name}@${version}`], {});
    const node = join(place, 'node_modules', name, 'bin/node');
    for (const file of ['whence.js', 'check-node.js']) {
      const { status, stdout, stderr } = spawnSync(
        node,
        [join(ROOT, 'server/bin', file), 'ip', '8.8.8.8'],
        {
          encoding: 'utf8',
        },
      );
      const sentence = new RegExp(
        `^error: Whence needs Node 20\\.19 or newer, and this is Node ${version} \\(.*\\): .*\\n$`,
      );
      assert.deepEqual([status, stdout], [3, '']);
      assert.match(stderr, sentence);
    }
  });
