/**
 * `wh sync` against a server process, through a proxy that can change, cut and hold back what the
 * server sends.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import {
  createServer,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  request as open,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { after, before, beforeEach } from 'node:test';
import { until } from '@whence/testing/until';
import { readIndex } from '../../geoip-files/file-index.ts';
import { Command } from '../../test/command.ts';
import { runCommand } from '../../test/run-command.ts';
import { bin, SAMPLE, ServerProcess, TestFolder } from '../../test/test-server.ts';

const data = new TestFolder();
const rules = join(data.dataDir, 'rules.yaml');
const FILES = ['country.mmdb', 'crawlers.txt'];
let server: ServerProcess;
let folder = '';
let environment: Record<string, string> = {};

let fault: 'none' | 'changed byte' | 'no digest' | 'stalls' | 'held, without a version' = 'none';
/** Sent in place of the file, with its digest, as a server whose list became empty would. */
let replacement: string | undefined;
const seen: { url: string; status: number | undefined; headers: IncomingHttpHeaders }[] = [];
const proxy = createServer((request, response) => {
  const { url = '', headers } = request;
  open(`${server.url}${url}`, { headers }, async (answer) => {
    seen.push({ url, status: answer.statusCode, headers });
    const chunks: Buffer[] = [];
    for await (const chunk of answer) chunks.push(chunk);
    const body = Buffer.from(replacement ?? Buffer.concat(chunks));
    const { 'repr-digest': digest, ...others } = answer.headers;
    const sent: OutgoingHttpHeaders = fault === 'no digest' ? others : answer.headers;
    if (fault === 'held, without a version') sent['x-whence-held'] = 'yes';
    if (replacement !== undefined) {
      sent['content-length'] = body.length;
      sent['etag'] = `"${body.length}"`;
      sent['repr-digest'] = `sha-256=:${createHash('sha256').update(body).digest('base64')}:`;
    }
    response.writeHead(answer.statusCode ?? 0, sent);
    if (fault === 'changed byte' && body.length > 0) body[body.length - 1] = (body.at(-1) ?? 0) ^ 1;
    if (fault === 'stalls') response.write(body.subarray(0, body.length / 2));
    else response.end(body);
  }).end();
});

before(async () => {
  data.publish();
  // The last has the name of the file in which the command remembers what it has.
  const crawlers = 'crawlers: { flags: ai_crawler }';
  const state = 'state: { flags: ai_crawler }';
  writeFileSync(rules, `lists: { ${crawlers}, proxies: { flags: proxy }, ${state} }`);
  const { secret } = await data.createKey({ permissions: ['database:read'] });
  server = await ServerProcess.start(data, { WHENCE_RULES: rules });
  await new Promise<void>((resolve) => void proxy.listen(0, '127.0.0.1', resolve));
  environment = {
    WHENCE_URL: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    WHENCE_KEY: secret,
  };
  const get = (path: string) => fetch(`${server.url}${path}`, { headers: { 'X-API-Key': secret } });
  for (const path of ['/v1/databases/country.mmdb', '/v1/lists/crawlers.txt'])
    await until(`${path} is written`, async () => (await get(path)).status === 200);
});
after(async () => {
  proxy.closeAllConnections();
  proxy.close();
  await server.stop();
  data.remove();
});
beforeEach(() => {
  if (folder !== '') rmSync(folder, { recursive: true, force: true });
  folder = mkdtempSync(join(tmpdir(), 'whence-sync-'));
  fault = 'none';
  replacement = undefined;
  seen.length = 0;
});
after(() => rmSync(folder, { recursive: true, force: true }));

const sync = (names: readonly string[] = FILES, ...options: string[]) =>
  runCommand(['sync', folder, ...names, '--once', ...options], environment);
const content = (name: string) => readFileSync(join(folder, name), 'utf8');
/** Appends a line for each time that it runs, and what it finds. */
const HOOK = ['--on-change', 'ls >> .sync/runs; echo end >> .sync/runs'];
const hookRuns = () =>
  existsSync(join(folder, '.sync/runs')) ? content('.sync/runs').split('end\n').slice(0, -1) : [];

/** A version with these crawlers, once its files are served. */
async function publish(crawlers: readonly string[]): Promise<void> {
  const version = data.publish({
    ...SAMPLE,
    crawlers: crawlers.map((prefix) => [prefix, 'OpenAI']),
  });
  await until('its files are written', () => {
    const { versions, lists } = readIndex(data.dataDir);
    const list = lists?.lists[0];
    return versions[0]?.version === version && (list?.heldFrom ?? list?.version) === version;
  });
  await until('they are served', async () => {
    const { data: known } = (await (
      await fetch(`${server.url}/v1/databases`, {
        headers: { 'X-API-Key': environment['WHENCE_KEY'] ?? '' },
      })
    ).json()) as {
      data: { databases: { version: number }[]; lists: { held_from?: number; version: number }[] };
    };
    const database = known.databases[0];
    const list = known.lists[0];
    return database?.version === version && (list?.held_from ?? list?.version) === version;
  });
}

test('sync: files appear, an unchanged one is asked for by its tag, and the command runs once for all', async () => {
  const first = await sync(FILES, ...HOOK);
  assert.deepEqual(first, {
    code: 0,
    stdout: 'country.mmdb: replaced\ncrawlers.txt: replaced\n',
    stderr: '',
  });
  assert.match(content('crawlers.txt'), /^3\.0\.0\.16\/28\n$/m);
  assert.deepEqual(hookRuns(), ['country.mmdb\ncrawlers.txt\n']);
  assert.deepEqual(readdirSync(folder).sort(), ['.sync', ...FILES]);
  seen.length = 0;
  const second = await sync(FILES, ...HOOK, '--json');
  const expected = { files: FILES.map((file) => ({ file, state: 'unchanged' })) };
  assert.deepEqual([second.code, JSON.parse(second.stdout), second.stderr], [0, expected, '']);
  assert.deepEqual([seen.map(({ status }) => status), hookRuns().length], [[304, 304], 1]);
});

test('sync: a file that was removed or changed by hand is fetched again', async () => {
  await sync();
  rmSync(join(folder, 'country.mmdb'));
  writeFileSync(join(folder, 'crawlers.txt'), '0.0.0.0/0\n');
  assert.equal((await sync()).stdout, 'country.mmdb: replaced\ncrawlers.txt: replaced\n');
  assert.doesNotMatch(content('crawlers.txt'), /0\.0\.0\.0\/0/);
});

test('sync: a key without the permission is told which one it needs, and that there is no file', async () => {
  const { secret } = await data.createKey({ permissions: ['ip:read'] });
  const { code, stderr } = await runCommand(['sync', folder, 'country.mmdb', '--once'], {
    ...environment,
    WHENCE_KEY: secret,
  });
  const reason = 'the server answered 403 Forbidden: the key needs the permission database:read';
  assert.deepEqual(
    [code, stderr],
    [3, `country.mmdb: ${reason}. There is no earlier file here.\n`],
  );
});

for (const [behaviour, set, expected] of [
  [
    'with another digest',
    'changed byte',
    /crawlers\.txt: checksum mismatch: not the digest that the server sent\. The file/,
  ],
  [
    'without a digest',
    'no digest',
    /crawlers\.txt: the server sent no Repr-Digest\. The file here is unchanged\.\n/,
  ],
] as const)
  test(`sync: a file ${behaviour} is not used, and the last good one stays`, async () => {
    await sync(['crawlers.txt']);
    const good = content('crawlers.txt');
    writeFileSync(join(folder, '.sync/.state.json'), '{');
    fault = set;
    const { code, stderr } = await sync(['crawlers.txt'], ...HOOK);
    assert.match(stderr, expected);
    assert.deepEqual(
      [code, content('crawlers.txt'), hookRuns(), readdirSync(join(folder, '.sync'))],
      [3, good, [], ['.state.json']],
    );
  });

test('sync: after kill -9 during a download the next run continues it; a second process at the same time ends', async () => {
  fault = 'stalls';
  const command = new Command(['sync', folder, 'country.mmdb', '--once', ...HOOK], environment);
  const part = join(folder, '.sync/country.mmdb.part');
  await until('a part has arrived', () => existsSync(part) && readFileSync(part).length > 0);
  const other = await sync(['crawlers.txt']);
  assert.deepEqual([other.code, other.stdout], [3, '']);
  assert.match(other.stderr, /process \d+ is updating this folder; try again when it is done/);
  await command.stop('SIGKILL');
  assert.deepEqual(readdirSync(folder), ['.sync']);
  fault = 'none';
  replacement = undefined;
  seen.length = 0;
  assert.equal((await sync(['country.mmdb'], ...HOOK)).code, 0);
  assert.deepEqual([seen[0]?.status, hookRuns()], [206, ['country.mmdb\n']]);
});

test('sync: a command that was not reached after kill -9 is run by the next run, also while the server is away', async () => {
  await sync(['country.mmdb']);
  const { code, stderr } = await runCommand(['sync', folder, ...FILES, '--once', ...HOOK], {
    ...environment,
    WHENCE_URL: 'http://127.0.0.1:1',
  });
  assert.match(
    stderr,
    /^country\.mmdb: the server was not reached: .*\ncrawlers\.txt: the server was not reached: .*\n$/,
  );
  assert.deepEqual([code, hookRuns()], [3, ['country.mmdb\n']]);
});

test('sync: a command that fails is reported and repeated', async () => {
  const hook = ['--on-change', 'echo run >> .sync/runs; test -e allowed'];
  const first = await sync(FILES, ...hook);
  assert.deepEqual(
    [first.code, first.stderr],
    [3, 'the command failed: the next run repeats it\n'],
  );
  assert.equal((await sync(FILES, ...hook)).code, 3);
  writeFileSync(join(folder, 'allowed'), '');
  assert.equal((await sync(FILES, ...hook)).code, 0);
  assert.equal((await sync(FILES, ...hook)).code, 0);
  assert.equal(content('.sync/runs'), 'run\n'.repeat(3));
});

test('sync: on a full disk the last good file stays, and other files are updated', async () => {
  await sync();
  const good = content('country.mmdb');
  writeFileSync(join(folder, '.sync/.state.json'), '{}');
  // A limit of 1,024 bytes on the size of files makes writes fail as a full disk does.
  const limited = ['-c', 'ulimit -f 2; exec "$@"', 'sh'];
  const argv = [...limited, process.execPath, bin, 'sync', folder, ...FILES, '--once'];
  const env = { ...environment, WHENCE_URL: server.url, PATH: process.env['PATH'] };
  const { status, stdout, stderr } = spawnSync('sh', argv, { env, encoding: 'utf8' });
  assert.match(stderr, /country\.mmdb: no space left \(.*\)\. The file here is unchanged\.\n/);
  assert.deepEqual([status, stdout], [3, 'country.mmdb: failed\ncrawlers.txt: replaced\n']);
  assert.equal(content('country.mmdb'), good);
  assert.equal((await sync()).code, 0);
});

test('sync: a list without a source that counts stays as it is, with exit code 4', async () => {
  const { code, stdout, stderr } = await sync(['crawlers.txt', 'proxies.txt']);
  assert.deepEqual([code, stdout], [4, 'crawlers.txt: replaced\nproxies.txt: unavailable\n']);
  assert.match(
    stderr,
    /^proxies\.txt: no source of this list counts today \(LIST_UNAVAILABLE\)\. There is no earlier file here\.\n$/,
  );
});

test('sync: a held list is reported, and only a change of its prefixes replaces the file', async () => {
  await publish(['3.0.0.16/28', '3.0.0.64/28', '3.0.0.128/28']);
  await sync(FILES, ...HOOK);
  await publish([]);
  const held = await sync(FILES, ...HOOK);
  assert.deepEqual(
    [held.code, held.stdout, held.stderr],
    [
      0,
      'country.mmdb: replaced\ncrawlers.txt: unchanged\n',
      'crawlers.txt: held by the server at version 2\n',
    ],
  );
  assert.match(content('crawlers.txt'), /^3\.0\.0\.16\/28$/m);
  assert.equal(hookRuns().length, 2);
});

for (const [file, full, empty] of [
  ['crawlers.txt', '# 1 IPv4\n3.0.0.16/28\n', '# 0 IPv4; from 10.0.0.0/8\n'],
  [
    'crawlers.nft',
    'elements = { 2001:db8::/32 }\n',
    '# https://example.com:443/4\nset crawlers4 { }\n',
  ],
  ['crawlers.rsc', 'add list="crawlers" address=3.0.0.16/28\n', 'remove [find list="crawlers"]\n'],
  [
    'crawlers.json',
    '{"prefixes":{"ipv4":["3.0.0.16/28"],"ipv6":[]}}',
    '{"notice":"CC BY/4.0","prefixes":{}}',
  ],
  ['state.json', '{"prefixes":{"ipv4":["3.0.0.16/28"]}}', '{"prefixes":{}}'],
] as const)
  test(`sync: ${file} is kept when the server's list becomes empty, until the file is removed`, async () => {
    replacement = full;
    assert.equal((await sync([file])).stdout, `${file}: replaced\n`);
    replacement = empty;
    fault = 'held, without a version';
    const kept = await sync([file]);
    assert.deepEqual([kept.code, kept.stdout, content(file)], [4, `${file}: unavailable\n`, full]);
    assert.equal(
      kept.stderr,
      `${file}: the server sent a list without prefixes (remove the file here to accept it). The file here is unchanged.\n`,
    );
    rmSync(join(folder, file));
    const accepted = await sync([file]);
    assert.deepEqual([accepted.code, accepted.stderr, content(file)], [0, '', empty]);
  });

test('sync: a database is kept when the server sends something else with its digest', async () => {
  await sync(['country.mmdb']);
  const good = content('country.mmdb');
  // Without the tag, which the server would answer with 304. JSON that is no state is none.
  writeFileSync(join(folder, '.sync/.state.json'), 'null');
  replacement = '<html>Sign in</html>';
  const { code, stderr } = await sync(['country.mmdb']);
  assert.deepEqual([code, content('country.mmdb')], [4, good]);
  assert.match(stderr, /^country\.mmdb: the server sent no database \(remove the file here/);
});

for (const [behaviour, argv, variables, expected] of [
  ['without a server', ['tor.nft'], {}, /no server: set WHENCE_URL, or give --url/],
  [
    'without a key',
    ['tor.nft'],
    { WHENCE_URL: 'http://127.0.0.1:1' },
    /needs an API key: set WHENCE_KEY/,
  ],
  [
    'outside the folder',
    ['../tor.nft'],
    {},
    /"\.\.\/tor\.nft" is not a file such as country\.mmdb or tor\.nft/,
  ],
  ['without a format', ['tor'], {}, /"tor" is not a file such as/],
] as const)
  test(`sync: a file ${behaviour} is a usage error`, async () => {
    const { code, stderr } = await runCommand(['sync', folder, ...argv, '--once'], variables);
    assert.equal(code, 2);
    assert.match(stderr, expected);
  });
