/** Commands with `--url`: which server they ask, and what they say if it refuses or is not there. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { after, before } from 'node:test';
import { freePort } from '@whence/testing/programs';
import { type LoopbackServer, startLoopbackServer } from '@whence/testing/servers/loopback-server';
import { runCommand } from '../../test/run-command.ts';
import { startInProcess, TestFolder } from '../../test/test-server.ts';

const folder = new TestFolder();
let server: Awaited<ReturnType<typeof startInProcess>>;
let other: LoopbackServer;
let secrets: Record<'enterprise' | 'free' | 'limited', string>;

before(async () => {
  folder.publish();
  server = await startInProcess(folder);
  other = await startLoopbackServer();
  secrets = {
    enterprise: (await folder.createKey()).secret,
    free: (await folder.createKey({ tier: 'free' })).secret,
    limited: (await folder.createKey({ permissions: ['asn:read'] })).secret,
  };
});
after(async () => {
  await server.close();
  await other.close();
  folder.remove();
});

/** In a folder without a dataset: what is printed can only come from the server. */
const remote = (argv: readonly string[], key = secrets.enterprise) =>
  runCommand(argv, { WHENCE_DATA_DIR: '/nonexistent', WHENCE_URL: server.url, WHENCE_KEY: key });

test('remote: --url and --key come before the variables; an empty --url asks this machine', async () => {
  const options = ['--url', server.url, '--key', secrets.enterprise];
  const { code } = await runCommand(['ip', '8.8.8.8', ...options], { WHENCE_URL: 'http://192.0.2.1', WHENCE_KEY: 'x' });
  assert.equal(code, 0);
  const here = await remote(['ip', '8.8.8.8', '--url', '']);
  assert.match(here.stderr, /there is no dataset in \/nonexistent/);
});

test('remote: a batch is as large as the tier of the key allows', async () => {
  const { code, stdout } = await remote(['ip', '--fields', 'asn', '8.8.8.0/27'], secrets.free);
  assert.equal(code, 0);
  assert.equal(stdout, '15169\n'.repeat(32));
});

const LOG = 'from 8.8.8.8 to 10.0.0.1\nnone\n1.0.0.1 and 2001:4860::8\r\n3.0.0.1';
for (const [behaviour, name, content, options] of [
  ['lines', 'a.log', LOG, []],
  ['all addresses of lines, as whole records', 'a.log', LOG, ['--all', '--full']],
  ['some fields', 'a.log', LOG, ['--fields', 'country,prefix,asn_name,privacy_kind,connection_type_source']],
  ['ndjson', 'a.log', '{"ip":"8.8.8.8"}\n{"ip":"1.0.0.1, 10.0.0.1"}\n', ['--all', '--as', 'näme']],
  ['csv', 'a.csv', 'n,ip\n1,8.8.8.8\n2,10.0.0.1\n3,\n4,1.0.0.1\n', []],
  ['csv with all columns', 'a.csv', 'ip;n\n3.0.0.1;1,5\n', ['--full', '--as', 'w']],
  ['selected lines', 'a.log', LOG, ['--only', 'datacenter', '--not', 'vpn']],
] as const)
  test(`remote: enrich writes what it writes on this machine: ${behaviour}`, async () => {
    const path = join(folder.dataDir, name);
    writeFileSync(path, content);
    const argv = ['enrich', path, ...options, '--json'];
    const [there, here] = [await remote(argv, secrets.free), await runCommand(argv, folder.environment)];
    const counts = ({ stderr }: typeof here) =>
      JSON.stringify({ ...JSON.parse(stderr), seconds: 0, addresses_per_second: 0 });
    assert.deepEqual([there.code, there.stdout, counts(there)], [here.code, here.stdout, counts(here)]);
  });

test('remote: enrich ends with what the server refuses, and takes no --jobs', async () => {
  const path = join(folder.dataDir, 'a.log');
  writeFileSync(path, LOG);
  const refused = await remote(['enrich', path], secrets.limited);
  assert.deepEqual([refused.code, refused.stdout], [1, '']);
  assert.match(refused.stderr, /the API key has no permission for this request at http/);
  assert.equal((await remote(['enrich', path, '--jobs', '2'])).code, 2);
});

for (const [behaviour, status, refusal, code, message] of [
  ['cannot be included', 400, 'INVALID_INCLUDE', 2, /answered: refused \(INVALID_INCLUDE\): \{"allowed":\[\]\}/],
  ['is over the limit', 429, 'RATE_LIMIT_EXCEEDED', 1, /the limit of the API key at \S+ is reached/],
] as const)
  test(`remote: what ${behaviour} ends a list, and is said once`, async () => {
    other.routes.set('/v1/email/domain/a.example/dns?include=details', (response) => {
      response.writeHead(status, { 'Content-Type': 'application/json' });
      const data = { error: 'refused', code: refusal, details: { allowed: [] } };
      response.end(JSON.stringify({ data, meta: { processing_time_ms: 0 } }));
    });
    const ended = await remote(['email', '--url', other.url, 'a.example', 'b.example']);
    assert.deepEqual([ended.code, ended.stdout], [code, '']);
    assert.match(ended.stderr, message);
    assert.equal(ended.stderr.match(/error: /g)?.length, 1);
  });

for (const [behaviour, key, message] of [
  ['a key that is unknown', () => `whence_${'A'.repeat(36)}`, /does not accept the API key; check --key or WHENCE_KEY/],
  ['a key without the permission', () => secrets.limited, /the API key has no permission for this request at http/],
] as const)
  test(`remote: ${behaviour}`, async () => {
    const { code, stdout, stderr } = await remote(['ip', '8.8.8.8'], key());
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, message);
    assert.ok(!stderr.includes(key()), 'the key is not printed');
  });

test('remote: a limit that is reached names the time of its reset', async () => {
  other.routes.set('/v1/ip/8.8.8.8?explain=true', (response) => {
    response.writeHead(429, { 'Content-Type': 'application/json', 'Retry-After': '7200', 'X-Request-Id': 'r1' });
    response.end(
      '{"data":{"error":"rate limit exceeded","code":"RATE_LIMIT_EXCEEDED"},"meta":{"processing_time_ms":0}}',
    );
  });
  const { code, stderr } = await remote(['ip', '8.8.8.8', '--url', other.url]);
  assert.equal(code, 1);
  assert.match(
    stderr,
    /^error: the limit of the API key at http:\S+ is reached; try again after \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ \(request r1\)\n$/,
  );
});

test('remote: another web server, none at all, and wrong options', async () => {
  const another = await remote(['ip', '9.9.9.9', '--url', other.url]);
  assert.equal(another.code, 1);
  assert.match(another.stderr, /^error: http:\S+ is not a Whence server, or a proxy answered instead: .*HTTP 404/);
  const port = await freePort();
  const none = await remote(['asn', '1', '--url', `http://127.0.0.1:${port}`]);
  assert.equal(none.code, 1);
  assert.match(none.stderr, /^error: cannot reach http:\S+: connect ECONNREFUSED 127\.0\.0\.1:\d+\n$/);
  const wrong = await remote(['ip', '8.8.8.8', '--url', 'ftp://example.com']);
  assert.deepEqual(
    [wrong.code, wrong.stderr],
    [2, 'error: --url or WHENCE_URL: it must be an http or https URL\n(run npx wh ip --help for usage)\n'],
  );
  const keyless = await runCommand(['ip', '8.8.8.8', '--url', server.url], {});
  assert.equal(keyless.code, 2);
  assert.match(
    keyless.stderr,
    /needs an API key: set WHENCE_KEY, or give --key\n\(run npx wh ip --help for usage\)\n$/,
  );
});
