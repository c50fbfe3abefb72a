/** What a command loads before it does its work, as it is compiled and as a bundle. Every file costs half a millisecond. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import test, { after, before } from 'node:test';
import { bin, ServerProcess, TestFolder } from '../test-server.ts';

const dist = join(import.meta.dirname, '../..');
// Beside the one that the program may be using meanwhile.
const bundle = join(dist, `bundle-${process.pid}`);
const bundled = join(bundle, 'bin.js');
const folder = new TestFolder();
before(async () => {
  folder.publish();
  await folder.createKey();
  execFileSync(process.execPath, [join(dist, '../../.ci/bundle.mjs'), bundle]);
});
after(() => {
  folder.remove();
  rmSync(bundle, { recursive: true });
});

/** Notes every file that is imported, as a line of standard error. */
const hook = `
  import { writeSync } from 'node:fs';
  export async function load(url, context, next) {
    writeSync(2, 'loaded ' + url + '\\n');
    return next(url, context);
  }`;
const asUrl = (source: string) => `data:text/javascript,${encodeURIComponent(source)}`;
const register = asUrl(`import { register } from 'node:module'; register(${JSON.stringify(asUrl(hook))});`);

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

for (const [args, maxFiles, absent] of [
  [['--help'], 56, /\/(commands\/(?!lookup\/asn-answer)|storage\/kysely|file\/read|api|dashboard)\b|fastify|pino/],
  [
    ['ip', '8.8.8.8'],
    90,
    /\/(command-line\/(?!lookups|commands?\.js)|storage\/kysely|api|dashboard|feeds)\b|fastify|pino/,
  ],
  [['key', 'list'], 98, /\/(api|dashboard|feeds|file\/read)\b|fastify|pino/],
] as [string[], number, RegExp][]) {
  test(`start: whence ${args.join(' ')} loads what it needs`, () => {
    const urls = loadedBy(bin, args);
    assert.deepEqual(
      urls.filter((url) => absent.test(url)),
      [],
    );
    // A change of the schema is one more.
    const counted = urls.filter((url) => !url.includes('/storage/migrations/0'));
    assert.ok(counted.length <= maxFiles, `${counted.length} files`);
  });
}

for (const [args, maxFiles] of [
  [['--help'], 25],
  [['ip', '8.8.8.8'], 6],
  [['asn', '15169'], 12],
  [['key', 'list'], 20],
] as const) {
  test(`start: whence ${args.join(' ')} loads few files of the bundle, and prints the same`, () => {
    const urls = loadedBy(bundled, args);
    assert.ok(urls.length <= maxFiles, `${urls.length} files`);
    const [own, usual] = [run(bundled, args), run(bin, args)];
    assert.deepEqual([own.stdout, own.stderr, own.status], [usual.stdout, usual.stderr, usual.status]);
  });
}

test('start: a server of the bundle finds its threads, examples and data', async (t) => {
  const { secret } = await folder.createKey();
  const server = await ServerProcess.start(folder, {}, bundled);
  t.after(() => server.stop());
  const answers = ['/readyz', '/openapi.json', '/v1/ip/8.8.8.8', '/v1/asn/search?q=goog'].map(
    async (path) => (await fetch(server.url + path, { headers: { 'X-API-Key': secret } })).status,
  );
  assert.deepEqual(await Promise.all(answers), [200, 200, 200, 200]);
});

test('start: a server of the bundle refuses what the compiled one refuses', async (t) => {
  const { secret } = await folder.createKey();
  const server = await ServerProcess.start(folder, {}, bundled);
  t.after(() => server.stop());
  for (const text of ['%', '%zz', '%ff', '8.8.8.8%']) {
    const response = await fetch(`${server.url}/v1/ip/${text}`, { headers: { 'X-API-Key': secret } });
    const { data } = (await response.json()) as { data: { code: string } };
    assert.deepEqual([data.code, response.headers.has('x-ratelimit-remaining')], ['INVALID_IP', true], text);
  }
});

test('start: the bundle has the licences of what is in it', () => {
  const licences = readFileSync(join(bundle, 'LICENSES'), 'utf8');
  for (const section of licences.split(/^-{80}$/m))
    assert.match(section.trim(), /^\S+ [\d.]+, \S+\n\n[\s\S]*Copyright/i);
  assert.match(licences, /^fastify [\d.]+, MIT$/m);
});
