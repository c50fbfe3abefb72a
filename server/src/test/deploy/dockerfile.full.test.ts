/**
 * The Dockerfile, and the health check that the Compose files repeat for images in the OCI format.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { freePort } from '@whence/testing/programs';
import { parse } from 'yaml';
import { startInProcess, TestFolder } from '../test-server.ts';

const repository = join(import.meta.dirname, '../../../..');
const read = (file: string) => readFileSync(join(repository, file), 'utf8');

/** Instructions without comments, each on one line. */
const instructions = read('deploy/docker/Dockerfile')
  .replaceAll(/^#.*\n/gm, '')
  .replaceAll(/\\\n\s*/g, '')
  .split('\n')
  .filter((line) => line !== '');
const first = (pattern: RegExp) => instructions.findIndex((line) => pattern.test(line));

test('deploy: the Dockerfile pins the version of Node, and it is one that the packages accept', () => {
  const [, major = ''] = /^ARG NODE=(\d+)\.\d+\.\d+-\w+-slim$/.exec(instructions[0] ?? '') ?? [];
  assert.equal(major, '24', instructions[0]);
  const bases = instructions.filter((line) => line.startsWith('FROM '));
  for (const base of bases) assert.match(base, /^FROM (node:\$\{NODE\}|base)( AS \w+)?$/);
});

test('deploy: the Dockerfile installs what the lockfile names, before it copies sources', () => {
  const installs = instructions.filter((line) => /npm (ci|i|install|add)\b/.test(line));
  assert.equal(installs.length, 2);
  for (const install of installs)
    assert.match(install, /^RUN npm ci( --omit=dev --workspace @whence\/server)?$/);
  const sources = first(/^COPY \. \.$/);
  assert.ok(first(/^RUN npm ci$/) < sources && first(/^RUN npm run build$/) > sources);
  const { workspaces } = JSON.parse(read('package.json')) as { workspaces: string[] };
  for (const workspace of workspaces)
    assert.ok(
      instructions.indexOf(`COPY ${workspace}/package.json ${workspace}/`) > 0,
      `npm ci fails without ${workspace}/package.json`,
    );
  const copies = instructions.slice(0, sources).filter((line) => line.startsWith('COPY '));
  assert.ok(
    copies.every((line) => line.includes('package.json')),
    'a change of sources does not install dependencies again',
  );
});

test('deploy: the last stage of the Dockerfile has no build tools, runs as a user and writes to its volume', () => {
  const last = instructions.slice(instructions.findLastIndex((line) => line.startsWith('FROM ')));
  assert.ok(last.length > 5);
  assert.ok(last.every((line) => !/apt-get|npm /.test(line)));
  assert.ok(last.indexOf('USER node') < last.findIndex((line) => line.startsWith('CMD ')));
  assert.ok(last.includes('VOLUME /var/lib/whence'));
  assert.ok(
    last.includes('ENTRYPOINT ["tini", "-s", "--", "docker-entrypoint.sh"]'),
    'orphans are reaped',
  );
  assert.ok(last.includes('COPY --from=base /usr/bin/tini-static /usr/bin/tini'));
  // What an image linter would say: no latest, no ADD of files, lists of packages removed, exec
  // forms.
  assert.ok(instructions.every((line) => !/:latest|^ADD /.test(line)));
  for (const layer of instructions.filter((line) => line.includes('apt-get')))
    assert.match(layer, /rm -rf \/var\/lib\/apt\/lists/);
  for (const line of instructions.filter((text) => /(^| )CMD /.test(text)))
    assert.doesNotThrow(() => JSON.parse(line.slice(line.indexOf('CMD ') + 4)));
});

test('deploy: the Compose files have the health check of the Dockerfile, which images in the OCI format lose', () => {
  const check = instructions[first(/^HEALTHCHECK /)] ?? '';
  for (const [file, name] of [
    ['compose.yaml', 'whence'],
    ['compose.replicas.yaml', 'whence-1'],
    ['compose.replicas.yaml', 'whence-2'],
  ] as const) {
    const compose = parse(read(`deploy/docker/${file}`), { merge: true }) as {
      services: Record<string, { healthcheck?: Record<string, unknown> }>;
    };
    const healthcheck = compose.services[name]?.healthcheck ?? {};
    assert.deepEqual(healthcheck['test'], [
      'CMD',
      ...JSON.parse(check.slice(check.indexOf('CMD ') + 4)),
    ]);
    for (const [option, key] of [
      ['interval', 'interval'],
      ['timeout', 'timeout'],
      ['start-period', 'start_period'],
      ['retries', 'retries'],
    ] as const)
      assert.match(check, new RegExp(`--${option}=${healthcheck[key]} `));
  }
});

test('deploy: the health check succeeds while the server runs, without a dataset too, and fails when it has stopped', async () => {
  const folder = new TestFolder();
  const server = await startInProcess(folder);
  const check = async (port: string, ...args: string[]) => {
    const script = spawn(
      process.execPath,
      [join(repository, 'deploy/docker/healthy.mjs'), ...args],
      {
        env: { ...process.env, WHENCE_PORT: port },
      },
    );
    const [code] = await once(script, 'exit');
    return code as number;
  };
  try {
    assert.equal((await fetch(`${server.url}/readyz`)).status, 503);
    assert.equal(await check(new URL(server.url).port), 0);
    assert.equal(await check(new URL(server.url).port, '/readyz'), 1);
    assert.equal(await check(String(await freePort())), 1);
  } finally {
    await server.close();
    folder.remove();
  }
});
