/**
 * MTA-STS over real HTTPS: a server on loopback with certificates of an authority that the test
 * makes.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import test, { after, before } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { MtaStsReport } from '@whence/email/report';
import { createAuthority, selfSigned } from '@whence/testing/servers/certificates';
import {
  type ScriptedDnsServer,
  startScriptedDnsServer,
} from '@whence/testing/servers/scripted-dns-server';
import { periodPasses } from '@whence/testing/until';
import { EmailChecks } from './email-checks.ts';
import type { Checked } from './examine-mail.ts';
import { addressesToTry, type PolicyNetwork } from './mta-sts-fetch.ts';

const POLICY = 'version: STSv1\r\nmode: enforce\r\nmx: mx.example.com\r\nmax_age: 86400\r\n';
const HOST = 'mta-sts.example.com';
const authority = createAuthority('Test Authority');
const yesterday = new Date(Date.now() - 86_400_000);
const certificates = {
  good: authority.issue([HOST]),
  'for another host': authority.issue(['www.example.com']),
  expired: authority.issue([HOST], {
    from: new Date(Date.now() - 10 * 86_400_000),
    until: yesterday,
  }),
  'self-signed': selfSigned([HOST]),
};

let dns: ScriptedDnsServer;
let privateDns: ScriptedDnsServer;
let answer: RequestListener = () => {};
const asked: string[] = [];
const servers = new Map<keyof typeof certificates, Server>();

before(async () => {
  const zone = {
    'example.com': { MX: [[10, 'mx.example.com']] as const },
    'mx.example.com': { A: ['192.0.2.25'] },
    '_mta-sts.example.com': { TXT: ['v=STSv1; id=1;'] },
    [HOST]: { A: ['127.0.0.1'] },
  };
  dns = await startScriptedDnsServer(zone);
  privateDns = await startScriptedDnsServer({
    ...zone,
    [HOST]: { A: ['127.0.0.1', '169.254.169.254'], AAAA: ['::1'] },
  });
  for (const [name, certificate] of Object.entries(certificates)) {
    const server = createServer(certificate, (request, response) => {
      asked.push(`${request.method} ${request.headers.host?.replace(/:\d+$/, '')} ${request.url}`);
      answer(request, response);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    servers.set(name as keyof typeof certificates, server);
  }
});
after(async () => {
  await Promise.all([dns.close(), privateDns.close()]);
  for (const server of servers.values()) {
    server.closeAllConnections();
    server.close();
  }
});

function networkOf(certificate: keyof typeof certificates): PolicyNetwork {
  const address = servers.get(certificate)?.address() as AddressInfo | undefined;
  return {
    ca: authority.cert,
    port: address?.port ?? 0,
    isReachable: (candidate) => candidate === '127.0.0.1',
  };
}

async function mtaSts(
  policyNetwork: PolicyNetwork,
  listener: RequestListener,
  server = dns,
): Promise<MtaStsReport> {
  answer = listener;
  asked.length = 0;
  const checks = new EmailChecks([server.address], { policyNetwork });
  try {
    const { signal } = new AbortController();
    const checked = await checks.check('example.com', {
      fairnessKey: '',
      selectors: ['none'],
      signal,
      hasTransport: true,
    });
    assert.ok(checked?.answer.transport);
    return checked.answer.transport.mta_sts;
  } finally {
    checks.close();
  }
}

const plain =
  (text: string, type = 'text/plain'): RequestListener =>
  (_, response) =>
    void response.writeHead(200, { 'content-type': type }).end(text);

test('mta-sts: the policy is fetched from its well-known place, with the certificate checked', async () => {
  const { recommendations, ...report } = await mtaSts(networkOf('good'), plain(POLICY));
  assert.match(recommendations[0]?.text ?? '', /after 86400 s/);
  assert.deepEqual(report, {
    found: true,
    raw: 'v=STSv1; id=1;',
    id: '1',
    policy_found: true,
    mode: 'enforce',
    max_age: 86_400,
    mx: ['mx.example.com'],
    is_valid: true,
    validation_errors: [],
  });
  assert.deepEqual(asked, [`GET ${HOST} /.well-known/mta-sts.txt`]);
});

for (const [certificate, want] of [
  ['for another host', /is for another host: www\.example\.com$/],
  ['expired', /has expired/],
  ['self-signed', /is not trusted/],
] as const)
  test(`mta-sts: a certificate that is ${certificate} is refused, and nothing is asked`, async () => {
    const report = await mtaSts(networkOf(certificate), plain(POLICY));
    assert.deepEqual([report.policy_found, report.validation_errors.length, asked], [false, 1, []]);
    assert.match(
      report.validation_errors[0] ?? '',
      /^policy_not_fetched: https:\/\/mta-sts\.example\.com\//,
    );
    assert.match(report.validation_errors[0] ?? '', want);
  });

for (const [behaviour, listener, want] of [
  [
    'a redirect',
    (_, response) => void response.writeHead(302, { location: '/elsewhere' }).end(),
    /redirected, which is not allowed/,
  ],
  ['404', (_, response) => void response.writeHead(404).end(), /the server answered 404/],
  ['more than 64 KiB', plain('mx: a.example\n'.repeat(5_000)), /larger than 65536 bytes/],
  [
    'more than 64 KiB without a length',
    (_, response) => {
      response.writeHead(200, { 'content-type': 'text/plain' });
      for (let i = 0; i < 100; i++) response.write('x'.repeat(1_000));
      response.end();
    },
    /larger than 65536 bytes/,
  ],
  ['HTML', plain(POLICY, 'text/html'), /^policy_not_text: the policy is sent as text\/html/],
  ['a broken connection', (request) => void request.socket.destroy(), /closed the connection/],
] as readonly (readonly [string, RequestListener, RegExp])[])
  test(`mta-sts: ${behaviour} is named`, async () => {
    const { validation_errors } = await mtaSts(networkOf('good'), listener);
    assert.match(validation_errors[0] ?? '', want);
    assert.equal(asked.length, 1);
  });

test('mta-sts: a server that does not answer costs five seconds at most', async () => {
  const { validation_errors } = await mtaSts(networkOf('good'), () => {});
  assert.match(validation_errors[0] ?? '', /^policy_not_fetched: .* within 5 s$/);
});

test('mta-sts: no connection is made to an address that is not public', async () => {
  const { ca = '', port = 0 } = networkOf('good');
  const { validation_errors } = await mtaSts({ ca, port }, plain(POLICY), privateDns);
  assert.deepEqual(validation_errors, [
    'policy_host_private: mta-sts.example.com has no address that can be reached from the internet',
  ]);
  assert.deepEqual(asked, []);
});

test('mta-sts: a host that switches protocols ends the fetch at once', async () => {
  const report = await mtaSts(networkOf('good'), ({ socket }) => {
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n');
  });
  assert.match(report.validation_errors.join(), /answered 101 Switching Protocols/);
});

for (const [behaviour, addresses, want] of [
  ['all of a few', ['192.0.2.1', '192.0.2.2'], ['192.0.2.1', '192.0.2.2']],
  [
    'four of thousands',
    Array.from({ length: 3_000 }, (_, i) => `10.0.${i >> 8}.${i & 255}`),
    ['10.0.0.0', '10.0.0.1', '10.0.0.2', '10.0.0.3'],
  ],
  [
    'both families',
    ['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4', '2001:db8::1'],
    ['2001:db8::1', '192.0.2.1', '192.0.2.2', '192.0.2.3'],
  ],
] as const)
  test(`mta-sts: addresses of the policy host that are tried: ${behaviour}`, () =>
    assert.deepEqual(addressesToTry(addresses), want));

test('email checks: the slot of a check that never ends is free after the deadline', {
  timeout: 30_000,
}, async () => {
  const signals: AbortSignal[] = [];
  const never = (_domain: string, _resolver: unknown, { signal }: { signal: AbortSignal }) => {
    signals.push(signal);
    return new Promise<never>(() => {});
  };
  const checks = new EmailChecks([dns.address], { slotsPerKey: 1, deadlineMs: 50, examine: never });
  const request = { fairnessKey: 'k', selectors: undefined, signal: new AbortController().signal };
  await assert.rejects(checks.check('example.com', request), { code: 'OVERLOADED' });
  assert.deepEqual([checks.inFlight, signals[0]?.aborted], [0, true]);
  await assert.rejects(checks.check('example.com', request), { code: 'OVERLOADED' });
  assert.equal(signals.length, 2);
  checks.close();
});

test('email checks: a process that stood still at the deadline does not fail its checks', async () => {
  const stalled = async (
    domain: string,
    _resolver: unknown,
    { leftMs }: { leftMs: () => number },
  ) => {
    await periodPasses(leftMs());
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 400);
    // What ends a check after its last timeout: sockets and files, each in a later turn of the
    // event loop.
    for (let turn = 0; turn < 3; turn++) await nextTurn();
    return { domain, isDnsUnavailable: true } as unknown as Checked;
  };
  const checks = new EmailChecks([dns.address], {
    budgetMs: 50,
    deadlineMs: 250,
    examine: stalled,
  });
  const request = { fairnessKey: 'k', selectors: undefined, signal: new AbortController().signal };
  assert.equal((await checks.check('example.com', request))?.isDnsUnavailable, true);
  checks.close();
});
