/** The email check over HTTP and on the command line, against a scripted DNS server on loopback. */

import assert from 'node:assert/strict';
import { get } from 'node:http';
import test, { after, before } from 'node:test';
import { createClient } from '@whence/client';
import {
  type ScriptedDnsServer,
  startScriptedDnsServer,
} from '@whence/testing/servers/scripted-dns-server';
import { until } from '@whence/testing/until';
import { runCommand } from '../run-command.ts';
import { startInProcess, TestFolder } from '../test-server.ts';

const folder = new TestFolder();
let dns: ScriptedDnsServer;
let server: Awaited<ReturnType<typeof startInProcess>>;
let secret = '';

before(async () => {
  dns = await startScriptedDnsServer(
    {
      'example.com': {
        MX: [[10, 'mx.example.com']],
        TXT: ['v=spf1 include:long.example.com -all'],
      },
      'mx.example.com': { A: ['192.0.2.25'] },
      // Over 512 bytes, and truncated over UDP by the script below.
      'long.example.com': {
        TXT: [`v=spf1 ${Array.from({ length: 60 }, (_, i) => `ip4:192.0.2.${i}`).join(' ')} -all`],
      },
      '_dmarc.example.com': { TXT: ['v=DMARC1; p=reject; rua=mailto:d@example.com'] },
      'xn--bcher-kva.example': { A: ['192.0.2.1'] },
      'slow.example': { A: ['192.0.2.1'] },
      'broken.example': { fail: 'SERVFAIL' },
      '_dmarc.broken.example': { fail: 'SERVFAIL' },
      '*.silent.example': { fail: 'timeout' },
      'escapes.example': {
        MX: [[10, 'm\x1b[2Jx.escapes.example']],
        TXT: ['v=spf1 \x1b]0;owned\x07 include:\x9b31m.example \x7f -all'],
      },
      '_dmarc.escapes.example': { TXT: ['v=DMARC1; p=none; \x1b[31m'] },
      'google._domainkey.escapes.example': { TXT: ['v=DKIM1; k=\x1b[31m; p=\r\nforged line'] },
    },
    { scripts: { 'long.example.com': { do: 'truncate' }, 'slow.example': { delayMs: 1_500 } } },
  );
  server = await startInProcess(folder, undefined, { WHENCE_DNS_SERVERS: dns.address });
  ({ secret } = await folder.createKey());
});
after(async () => {
  await server.close();
  await dns.close();
  folder.remove();
});

async function ask(path: string, key = secret) {
  const response = await fetch(server.url + path, { headers: { 'X-API-Key': key } });
  return { status: response.status, headers: response.headers, body: await response.json() } as {
    status: number;
    headers: Headers;
    body: { data: Record<string, never> & { code?: string }; meta: object };
  };
}

test('email: the report has exactly the fields of the specification, and works without a dataset', async () => {
  const { status, headers, body } = await ask('/v1/email/domain/example.com/dns');
  assert.equal(status, 200);
  assert.deepEqual(Object.keys(body.data), [
    'domain',
    'domain_auth_score',
    'grade',
    'mx',
    'spf',
    'dkim',
    'dmarc',
    'recommendations',
  ]);
  assert.deepEqual(Object.keys(body.meta), ['processing_time_ms']);
  assert.ok(headers.has('x-ratelimit-limit'));
  const { spf, mx } = body.data as unknown as {
    spf: { dns_lookup_count: number; is_valid: boolean };
    mx: { records: string[] };
  };
  assert.deepEqual([spf.is_valid, spf.dns_lookup_count, mx.records], [true, 1, ['mx.example.com']]);
  assert.ok(
    dns.queries.some(({ transport, name }) => transport === 'tcp' && name === 'long.example.com'),
  );
});

for (const [behaviour, path, domain] of [
  ['case and the final dot', '/v1/email/domain/EXAMPLE.com./dns', 'example.com'],
  [
    'an internationalised name',
    '/v1/email/domain/b%C3%BCcher.example/dns',
    'xn--bcher-kva.example',
  ],
] as const) {
  test(`email: the domain is normalised: ${behaviour}`, async () => {
    assert.equal((await ask(path)).body.data['domain'], domain);
  });
}

for (const [behaviour, path, status, code, details] of [
  ['an empty domain', '/v1/email/domain//dns', 400, 'MISSING_DOMAIN', undefined],
  ['a blank domain', '/v1/email/domain/%20/dns', 400, 'MISSING_DOMAIN', undefined],
  ['an address', '/v1/email/domain/192.0.2.1/dns', 400, 'INVALID_DOMAIN', undefined],
  ['a single label', '/v1/email/domain/localhost/dns', 400, 'INVALID_DOMAIN', undefined],
  ['a bad label', '/v1/email/domain/-x.example/dns', 400, 'INVALID_DOMAIN', undefined],
  [
    'a name of 300',
    `/v1/email/domain/${'a.'.repeat(150)}example/dns`,
    400,
    'INVALID_DOMAIN',
    undefined,
  ],
  ['a percent sign', '/v1/email/domain/%zz.example/dns', 400, 'INVALID_DOMAIN', undefined],
  [
    'a bad selector',
    '/v1/email/domain/example.com/dns?selectors=ok,b%20ad',
    400,
    'INVALID_SELECTOR',
    undefined,
  ],
  [
    '51 selectors',
    `/v1/email/domain/example.com/dns?selectors=${Array.from({ length: 51 }, (_, i) => `s${i}`)}`,
    400,
    'TOO_MANY_SELECTORS',
    { limit: 50 },
  ],
  [
    'every server failing',
    '/v1/email/domain/broken.example/dns',
    503,
    'DNS_UNAVAILABLE',
    { fault: 'servers' },
  ],
  ['no such path', '/v1/email/domain/example.com', 404, 'ROUTE_NOT_FOUND', undefined],
] as const) {
  test(`email: refused: ${behaviour}`, async () => {
    const { status: got, body } = await ask(path);
    assert.deepEqual([got, body.data.code, body.data['details']], [status, code, details]);
    if (code === 'MISSING_DOMAIN') assert.deepEqual(body.meta, { processing_time_ms: 0 });
  });
}

test('email: listed selectors are all reported, blanks and repetitions dropped', async () => {
  const { body } = await ask('/v1/email/domain/example.com/dns?selectors=%20b,,a,B,');
  const dkim = body.data['dkim'] as unknown as { selector: string; found: boolean }[];
  assert.deepEqual(
    dkim.map(({ selector, found }) => [selector, found]),
    [
      ['b', false],
      ['a', false],
    ],
  );
});

test('email: a key without email:read is refused without a DNS query', async () => {
  const { secret: other } = await folder.createKey({ permissions: ['ip:read'] });
  const before = dns.queries.length;
  const { status, body } = await ask('/v1/email/domain/example.com/dns', other);
  assert.deepEqual([status, body.data['details']], [403, { required: 'email:read' }]);
  assert.equal(dns.queries.length, before);
});

test('email: DNS_UNAVAILABLE counts against the key, because queries were sent', async () => {
  const { secret: free } = await folder.createKey({ tier: 'free' });
  const counted = () =>
    server.metrics().counters['whence_unavailable_total{code="DNS_UNAVAILABLE"}'] ?? 0;
  const before = counted();
  assert.equal(
    (await ask('/v1/email/domain/broken.example/dns', free)).headers.get('x-ratelimit-remaining'),
    '999',
  );
  await until('it is counted by its code', () => counted() === before + 1);
});

test('email: a client that disconnects stops its check', async () => {
  const checks = () => Number(server.metrics().gauges['whence_email_checks']);
  const start = async (domain: string, running: number) => {
    const request = get(`${server.url}/v1/email/domain/${domain}/dns`, {
      headers: { 'X-API-Key': secret },
    });
    request.on('error', () => {});
    await until('the check runs', () => checks() === running);
    return request;
  };
  // Neither gets an answer from DNS, so that the one that began first would end first.
  const first = await start('first.silent.example', 1);
  let isFirstAnswered = false;
  first.on('response', () => {
    isFirstAnswered = true;
  });
  (await start('second.silent.example', 2)).destroy();
  await until('a check has ended', () => checks() < 2);
  assert.equal(isFirstAnswered, false);
  first.destroy();
  await until('both have ended', () => checks() === 0);
});

test('email: 60 checks at once are all answered', async () => {
  const answers = await Promise.all(
    Array.from({ length: 60 }, (_, i) => ask(`/v1/email/domain/d${i}.example/dns`)),
  );
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
});

test('email: 130 silent domains of one key do not delay the check of another', async () => {
  const controller = new AbortController();
  const { secret: other } = await folder.createKey();
  let ended = 0;
  const silent = Array.from({ length: 130 }, (_, i) =>
    fetch(`${server.url}/v1/email/domain/d${i}.silent.example/dns`, {
      headers: { 'X-API-Key': secret },
      signal: controller.signal,
    })
      .catch(() => undefined)
      .finally(() => ended++),
  );
  const checks = () => Number(server.metrics().gauges['whence_email_checks']);
  await until('eight checks run', () => checks() >= 8);
  assert.equal((await ask('/v1/email/domain/example.com/dns', other)).status, 200);
  assert.ok(ended < 130 - 8, 'it did not wait for the others');
  assert.equal(checks(), 8, 'one key has eight checks in flight');
  controller.abort();
  await Promise.all(silent);
  await until('all checks are stopped', () => checks() === 0);
});

test('email: the client library', async () => {
  const client = createClient({ baseUrl: server.url, apiKey: secret });
  const { data } = await client.emailDomain('example.com', { selectors: ['google'] });
  assert.deepEqual([data.dmarc.effective_policy, data.dkim[0]?.found], ['reject', false]);
});

test('email: with every DNS server down the answer is 503', async () => {
  const dead = await startScriptedDnsServer({}, { scripts: {} });
  const { address } = dead;
  await dead.close();
  const other = await startInProcess(folder, undefined, { WHENCE_DNS_SERVERS: address });
  try {
    const response = await fetch(`${other.url}/v1/email/domain/example.com/dns`, {
      headers: { 'X-API-Key': secret },
    });
    const { data } = (await response.json()) as { data: object };
    assert.deepEqual(
      [response.status, data],
      [503, { error: 'DNS unavailable', code: 'DNS_UNAVAILABLE' }],
    );
  } finally {
    await other.close();
  }
});

const whence = (...argv: string[]) =>
  runCommand(argv, { WHENCE_DATA_DIR: folder.dataDir, WHENCE_DNS_SERVERS: dns.address });

test('email: the command line prints grade, parts, the SPF tree and what to do', async () => {
  const { code, stdout } = await whence('email', 'example.com');
  assert.equal(code, 1, 'grade C is no');
  assert.match(
    stdout,
    /^example\.com: C, 70 of 100\n\nMX {5}10 of 10 {2}mx\.example\.com\nSPF {4}25 of 25 {2}v=spf1 include/,
  );
  assert.match(
    stdout,
    /\nSPF lookups: 1 of 10\n {2}example\.com\n {4}include:long\.example\.com\n/,
  );
  assert.match(stdout, /\nWhat to fix first\n {2}\+30 {2}No DKIM key was found/);
});

for (const options of [[], ['--json']])
  test(`email: control characters of records do not reach the terminal ${options.join()}`, async () => {
    const { stdout } = await whence('email', 'escapes.example', ...options);
    // Nothing but printable characters and our own line ends; no record can begin a line.
    assert.doesNotMatch(stdout, /[^\P{C}\n]/u);
    assert.doesNotMatch(stdout, /^forged/m);
    if (options.length === 0) assert.ok(stdout.includes('\\x1b]0;owned\\x07'), stdout);
    else
      assert.ok(JSON.parse(stdout).spf.raw.startsWith('v=spf1 \x1b]0;owned\x07 include:\x9b31m'));
  });

test('email: the command line prints the report as JSON, and refuses invalid domains', async () => {
  const { stdout } = await whence('email', 'example.com', '--json', '--only-selectors', 'a');
  assert.equal(JSON.parse(stdout).dkim[0].selector, 'a');
  assert.deepEqual(await whence('email', 'localhost'), {
    code: 2,
    stdout: '',
    stderr: 'error: invalid domain: "localhost"\n(run npx wh email --help for usage)\n',
  });
  assert.equal((await whence('email', 'example.com', '--only-selectors', ' ')).code, 2);
  const failed = await whence('email', 'broken.example');
  assert.deepEqual([failed.code, failed.stdout], [3, '']);
  assert.match(failed.stderr, /^error: broken\.example: DNS unavailable/);
});
