/**
 * Commands with `--url`: which server they ask, and what they say if it refuses or is not there.
 */
import assert from 'node:assert/strict';
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
  const { code } = await runCommand(['ip', '8.8.8.8', ...options], {
    WHENCE_URL: 'http://192.0.2.1',
    WHENCE_KEY: 'x',
  });
  assert.equal(code, 0);
  const here = await remote(['ip', '8.8.8.8', '--url', '']);
  assert.match(here.stderr, /there is no dataset in \/nonexistent/);
});

test('remote: a batch is as large as the tier of the key allows', async () => {
  const { code, stdout } = await remote(['ip', '--fields', 'asn', '8.8.8.0/27'], secrets.free);
  assert.equal(code, 0);
  assert.equal(stdout, '15169\n'.repeat(32));
});

for (const [behaviour, status, refusal, code, message] of [
  [
    'cannot be included',
    400,
    'INVALID_INCLUDE',
    2,
    /answered: refused \(INVALID_INCLUDE\): \{"allowed":\[\]\}/,
  ],
  [
    'is over the limit',
    429,
    'RATE_LIMIT_EXCEEDED',
    3,
    /the limit of the API key at \S+ is reached/,
  ],
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
  [
    'a key that is unknown',
    () => `whence_${'A'.repeat(36)}`,
    /does not accept the API key; check --key or WHENCE_KEY/,
  ],
  [
    'a key without the permission',
    () => secrets.limited,
    /the API key has no permission for this request at http/,
  ],
] as const)
  test(`remote: ${behaviour}`, async () => {
    const { code, stdout, stderr } = await remote(['ip', '8.8.8.8'], key());
    assert.deepEqual([code, stdout], [3, '']);
    assert.match(stderr, message);
    assert.ok(!stderr.includes(key()), 'the key is not printed');
  });

test('remote: a limit that is reached names the time of its reset', async () => {
  other.routes.set('/v1/dataset', (response) => {
    response.writeHead(429, {
      'Content-Type': 'application/json',
      'Retry-After': '7200',
      'X-Request-Id': 'r1',
    });
    response.end(
      '{"data":{"error":"rate limit exceeded","code":"RATE_LIMIT_EXCEEDED"},"meta":{"processing_time_ms":0}}',
    );
  });
  const { code, stderr } = await remote(['ip', '8.8.8.8', '--url', other.url]);
  other.routes.delete('/v1/dataset');
  assert.equal(code, 3);
  assert.match(
    stderr,
    /^error: the limit of the API key at http:\S+ is reached; try again after \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ \(request r1\)\n$/,
  );
});

test('remote: another web server, none at all, and wrong options', async () => {
  const another = await remote(['ip', '9.9.9.9', '--url', other.url]);
  assert.equal(another.code, 3);
  assert.match(
    another.stderr,
    /^error: http:\S+ is not a Whence server, or a proxy answered instead: .*HTTP 404/,
  );
  const port = await freePort();
  const none = await remote(['asn', '1', '--url', `http://127.0.0.1:${port}`]);
  assert.equal(none.code, 3);
  assert.match(
    none.stderr,
    /^error: cannot reach http:\S+: connect ECONNREFUSED 127\.0\.0\.1:\d+\n$/,
  );
  const plain = await remote(['asn', '1', '--url', other.url.replace('http:', 'https:')]);
  assert.equal(plain.code, 3);
  assert.match(
    plain.stderr,
    /^error: cannot reach https:\S+: no TLS there; use http:, not https:\n$/,
  );
  const wrong = await remote(['ip', '8.8.8.8', '--url', 'ftp://example.com']);
  assert.deepEqual(
    [wrong.code, wrong.stderr],
    [
      2,
      'error: --url or WHENCE_URL: it must be an http or https URL\n(run npx wh ip --help for usage)\n',
    ],
  );
  const keyless = await runCommand(['ip', '8.8.8.8', '--url', server.url], {});
  assert.equal(keyless.code, 2);
  assert.match(
    keyless.stderr,
    /needs an API key: set WHENCE_KEY, or give --key\n\(run npx wh ip --help for usage\)\n$/,
  );
});
