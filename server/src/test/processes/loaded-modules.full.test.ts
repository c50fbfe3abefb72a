/**
 * What a command of the build loads before it does its work: every file costs half a millisecond.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { after, before } from 'node:test';
import { until } from '@whence/testing/until';
import { WHENCE } from '@whence/testing/whence-program';
import { bin, ServerProcess, TestFolder } from '../test-server.ts';

const folder = new TestFolder();
let build: string;
let bundled: string;
before(async () => {
  folder.publish();
  await folder.createKey();
  // Builds what has changed.
  assert.equal(run(WHENCE, ['--version']).status, 0);
  const builds = join(WHENCE, '../../build');
  build = join(builds, readFileSync(join(builds, 'current'), 'utf8'));
  bundled = join(build, 'bin.js');
});
after(() => folder.remove());

/** Notes every file that is imported, as a line of standard error. */
const hook = `
  import { writeSync } from 'node:fs';
  export async function load(url, context, next) {
    writeSync(2, 'loaded ' + url + '\\n');
    return next(url, context);
  }`;
const asUrl = (source: string) => `data:text/javascript,${encodeURIComponent(source)}`;
const register = asUrl(
  `import { register } from 'node:module'; register(${JSON.stringify(asUrl(hook))});`,
);

function run(program: string, args: readonly string[], ...options: string[]) {
  return spawnSync(process.execPath, [...options, program, ...args], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], WHENCE_DATA_DIR: folder.dataDir },
  });
}

function loadedBy(program: string, args: readonly string[]): string[] {
  const { status, stderr } = run(program, args, '--import', register);
  assert.equal(status, 0, stderr);
  const urls = [...stderr.matchAll(/^loaded (file:.*)$/gm)].map(([, url]) => url as string);
  assert.ok(urls.some((url) => url.endsWith('/bin.js')));
  return urls;
}

for (const [args, maxFiles] of [
  [['--help'], 25],
  [['ip', '8.8.8.8'], 6],
  [['asn', '15169'], 12],
  [['key', 'list'], 22],
] as const) {
  test(`start: whence ${args.join(' ')} loads few files of the build, and prints what the compiled program prints`, () => {
    const urls = loadedBy(bundled, args);
    assert.ok(urls.length <= maxFiles, `${urls.length} files`);
    const own = run(bundled, args);
    const usual = run(bin, args);
    assert.deepEqual(
      [own.stdout, own.stderr, own.status],
      [usual.stdout, usual.stderr, usual.status],
    );
  });
}

test('start: whence ip loads nothing of the server and of storage', () => {
  const urls = loadedBy(bundled, ['ip', '8.8.8.8']);
  assert.deepEqual(
    urls.filter((url) => /\/(?:server|storage)-/.test(url)),
    [],
  );
});

// A package can break where it is bundled, and be needed only with some setting, such as pg.
test('start: every chunk of the build can be loaded', () => {
  const chunks = readdirSync(build).filter((name) => /-[\w-]{8}\.js$/.test(name));
  assert.ok(chunks.some((name) => name.startsWith('open-postgres-')));
  const imports = chunks.map((name) => `await import(${JSON.stringify(join(build, name))});`);
  const { status, stderr } = run('-', [], '--input-type=module', '-e', imports.join('\n'));
  assert.deepEqual([status, stderr], [0, '']);
});

test('start: a server of the build finds its threads, examples and data', async (t) => {
  const { secret } = await folder.createKey();
  const server = await ServerProcess.start(folder, {}, bundled);
  t.after(() => server.stop());
  // A busy machine refuses some requests while the server starts.
  for (const path of ['/readyz', '/openapi.json', '/v1/ip/8.8.8.8', '/v1/asn/search?q=goog'])
    await until(`${path} is answered`, async () => {
      const response = await fetch(server.url + path, { headers: { 'X-API-Key': secret } });
      return response.status === 200;
    });
});

test('start: a server of the build refuses what the compiled one refuses', async (t) => {
  const { secret } = await folder.createKey();
  const server = await ServerProcess.start(folder, {}, bundled);
  t.after(() => server.stop());
  for (const text of ['%', '%zz', '%ff', '8.8.8.8%']) {
    const response = await fetch(`${server.url}/v1/ip/${text}`, {
      headers: { 'X-API-Key': secret },
    });
    const { data } = (await response.json()) as { data: { code: string } };
    assert.deepEqual(
      [data.code, response.headers.has('x-ratelimit-remaining')],
      ['INVALID_IP', true],
      text,
    );
  }
});

test('start: the build has the licences of what is in it', () => {
  const licences = readFileSync(join(build, 'LICENSES'), 'utf8');
  for (const section of licences.split(/^-{80}$/m))
    assert.match(section.trim(), /^\S+ [\d.]+, \S.*\n\n[\s\S]*Copyright/i);
  assert.match(licences, /^fastify [\d.]+, MIT$/m);
});
