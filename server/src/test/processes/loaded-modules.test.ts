/** What a command loads before it does its work. Every file costs half a millisecond. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import test, { after, before } from 'node:test';
import { TestFolder } from '../test-server.ts';

const bin = join(import.meta.dirname, '../../bin.js');
const folder = new TestFolder();
before(async () => {
  folder.publish();
  await folder.createKey();
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
const register = asUrl(`import { register } from 'node:module'; register(${JSON.stringify(asUrl(hook))});`);

function loadedBy(args: readonly string[]): string[] {
  const { status, stderr } = spawnSync(process.execPath, ['--import', register, bin, ...args], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], WHENCE_DATA_DIR: folder.dataDir },
  });
  assert.equal(status, 0, stderr);
  const urls = [...stderr.matchAll(/^loaded (file:.*)$/gm)].map(([, url]) => url as string);
  assert.ok(urls.some((url) => url.endsWith('/main.js')));
  return urls;
}

for (const [args, maxFiles, absent] of [
  [['--help'], 54, /\/(commands\/(?!lookup\/asn-answer)|storage\/kysely|file\/read|api|dashboard)\b|fastify|pino/],
  [
    ['ip', '8.8.8.8'],
    88,
    /\/(command-line\/(?!lookups|command\.js)|storage\/kysely|api|dashboard|feeds)\b|fastify|pino/,
  ],
  [['key', 'list'], 98, /\/(api|dashboard|feeds|file\/read)\b|fastify|pino/],
] as [string[], number, RegExp][]) {
  test(`start: whence ${args.join(' ')} loads what it needs`, () => {
    const urls = loadedBy(args);
    assert.deepEqual(
      urls.filter((url) => absent.test(url)),
      [],
    );
    // A change of the schema is one more.
    const counted = urls.filter((url) => !url.includes('/storage/migrations/0'));
    assert.ok(counted.length <= maxFiles, `${counted.length} files`);
  });
}
