/** `wh ip`, `wh asn` and `wh email` with `--url`: against a server, and what they say if it refuses or is not there. */
import assert from 'node:assert/strict';
import test, { after, before } from 'node:test';
import { freePort } from '@whence/testing/programs';
import { type LoopbackServer, startLoopbackServer } from '@whence/testing/servers/loopback-server';
import { type ScriptedDnsServer, startScriptedDnsServer } from '@whence/testing/servers/scripted-dns-server';
import { runCommand } from '../../test/run-command.ts';
import { startInProcess, TestFolder } from '../../test/test-server.ts';

const folder = new TestFolder();
let dns: ScriptedDnsServer;
let server: Awaited<ReturnType<typeof startInProcess>>;
let other: LoopbackServer;
let secrets: Record<'enterprise' | 'free' | 'limited', string>;

before(async () => {
  folder.publish();
  dns = await startScriptedDnsServer({
    'example.com': { MX: [[10, 'mx.example.com']], TXT: ['v=spf1 ip4:192.0.2.0/26 -all'] },
    'mx.example.com': { A: ['192.0.2.25'] },
    '_dmarc.example.com': { TXT: ['v=DMARC1; p=reject; rua=mailto:d@example.com'] },
  });
  server = await startInProcess(folder, undefined, { WHENCE_DNS_SERVERS: dns.address });
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
  await dns.close();
  folder.remove();
});

/** In a folder without a dataset: what is printed can only come from the server. */
const remote = (argv: readonly string[], key = secrets.enterprise, input?: string) =>
  runCommand(
    argv,
    { WHENCE_DATA_DIR: '/nonexistent', WHENCE_URL: server.url, WHENCE_KEY: key },
    input === undefined ? {} : { input },
  );
const local = (argv: readonly string[], input?: string) =>
  runCommand(argv, { ...folder.environment, WHENCE_DNS_SERVERS: dns.address }, input === undefined ? {} : { input });

for (const [argv, input] of [
  [['ip', '8.8.8.8']],
  [['ip', '8.8.8.8', '10.0.0.1', '4000::1']],
  [['ip', '--json', '8.8.8.8', '1.2.3', '10.0.0.1', '4000::1']],
  [['ip', '--csv', '1.0.9.0/29', '10.0.0.1']],
  [['ip', '--field', 'ip,flags,threat_score', '1.0.9.0/29']],
  [['ip', '--json', '--explain', '1.0.9.9']],
  [['ip', '--include', 'routing,privacy', '1.0.9.9', '8.8.8.8']],
  [['ip', '-'], '8.8.8.8\n# two\n2001:4860::1\n3.0.0.17/30\n'],
  [['asn', '15169', 'AS64512']],
  [['asn', '--json', '--prefixes', '15169', '16509']],
  [['asn', '--csv', '16500-16510', 'x']],
  [['asn', 'search', 'google']],
  [['email', '--json', 'example.com']],
] as const)
  test(`remote: ${argv.join(' ')} prints what it prints without --url`, async () => {
    assert.deepEqual(await remote(argv, undefined, input), await local(argv, input));
  });

test('remote: --url and --key come before the variables; an empty --url asks this machine', async () => {
  const options = ['--url', server.url, '--key', secrets.enterprise];
  const { code } = await runCommand(['ip', '8.8.8.8', ...options], { WHENCE_URL: 'http://192.0.2.1', WHENCE_KEY: 'x' });
  assert.equal(code, 0);
  const here = await remote(['ip', '8.8.8.8', '--url', '']);
  assert.match(here.stderr, /there is no dataset in \/nonexistent/);
});

test('remote: a batch is as large as the tier of the key allows', async () => {
  const { code, stdout } = await remote(['ip', '--field', 'asn', '8.8.8.0/27'], secrets.free);
  assert.equal(code, 0);
  assert.equal(stdout, '15169\n'.repeat(32));
});

test('remote: email prints the report of the server, and refuses what only a local check has', async () => {
  const { code, stdout } = await remote(['email', 'example.com', '--networks']);
  assert.equal(code, 1);
  assert.match(stdout, /^example\.com: [BC], \d+ of 100\n\nMX {5}mx\.example\.com\nSPF {4}v=spf1 ip4/);
  assert.match(stdout, /\nWhat to fix first\n {2}\S/);
  for (const line of stdout.split('\n').filter((text) => !text.includes('IN TXT'))) assert.ok(line.length <= 80, line);
  const csv = await remote(['email', 'example.com', '--csv']);
  assert.deepEqual([csv.code, csv.stdout], [2, '']);
  assert.match(
    csv.stderr,
    /^error: --csv needs a check by this machine; it has no effect with --url\n\(run wh email --help for usage\)\n$/,
  );
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
  other.routes.set('/v1/ip/8.8.8.8', (response) => {
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
    [2, 'error: --url or WHENCE_URL: it must be an http or https URL\n(run wh ip --help for usage)\n'],
  );
  const keyless = await runCommand(['ip', '8.8.8.8', '--url', server.url], {});
  assert.equal(keyless.code, 2);
  assert.match(keyless.stderr, /needs an API key: set WHENCE_KEY, or give --key\n\(run wh ip --help for usage\)\n$/);
});
