/**
 * TLS reports from their import to the verdict, over sockets: DNS, the policy over HTTPS, the API
 * and the command.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import test, { after, before } from 'node:test';
import type { TlsReports } from '@whence/client/wire';
import { createAuthority } from '@whence/testing/servers/certificates';
import {
  type ScriptedDnsServer,
  startScriptedDnsServer,
} from '@whence/testing/servers/scripted-dns-server';
import { zip } from '@whence/testing/zip';
import { runCommand } from '../run-command.ts';
import { startInProcess, TestFolder } from '../test-server.ts';

const GOOD = 'good.example';
const BROKEN = 'broken.example';
const NEW = 'new.example';
const DAY_MS = 86_400_000;
const folder = new TestFolder();
const authority = createAuthority('Test Authority');
let dns: ScriptedDnsServer;
let policies: Server;
let server: Awaited<ReturnType<typeof startInProcess>>;
const secrets = { reader: '', checker: '', other: '', writer: '' };

const zoneOf = (domain: string) => ({
  [domain]: { MX: [[10, `mx1.${domain}`]] as const, TXT: ['v=spf1 mx -all'] },
  [`mx1.${domain}`]: { A: ['192.0.2.25'] },
  [`_mta-sts.${domain}`]: { TXT: ['v=STSv1; id=1'] },
  [`mta-sts.${domain}`]: { A: ['127.0.0.1'] },
});

before(async () => {
  const certificate = authority.issue([GOOD, BROKEN, NEW].map((domain) => `mta-sts.${domain}`));
  policies = createServer(certificate, (request, response) => {
    const domain = request.headers.host?.replace(/^mta-sts\.|:\d+$/g, '') ?? '';
    const policy = `version: STSv1\r\nmode: testing\r\nmx: mx1.${domain}\r\nmax_age: 604800\r\n`;
    response.writeHead(200, { 'content-type': 'text/plain' }).end(policy);
  });
  policies.listen(0, '127.0.0.1');
  await once(policies, 'listening');
  dns = await startScriptedDnsServer({ ...zoneOf(GOOD), ...zoneOf(BROKEN), ...zoneOf(NEW) });
  const { port } = policies.address() as AddressInfo;
  const policyNetwork = {
    ca: authority.cert,
    port,
    isReachable: (address: string) => address === '127.0.0.1',
  };
  const environment = { WHENCE_DNS_SERVERS: dns.address };
  server = await startInProcess(folder, undefined, environment, { policyNetwork });
  for (const [name, options] of Object.entries({
    reader: { permissions: ['email:read', 'reports:read'] },
    checker: { permissions: ['email:read'] },
    other: { permissions: ['email:read', 'reports:read'], allowedDomains: ['example.org'] },
    writer: { permissions: ['reports:write'] },
  } as const))
    ({ secret: secrets[name as keyof typeof secrets] } = await folder.createKey(options));
  const reports: Record<string, string> = {};
  for (let day = 1; day <= 30; day++) {
    reports[`good-${day}`] = report(GOOD, day);
    reports[`broken-${day}`] = report(BROKEN, day, day <= 4 ? 6 : 0);
  }
  // In one file, because the server starts a thread for each that it reads.
  await post(zip(reports));
});
after(async () => {
  await server.close();
  await dns.close();
  policies.closeAllConnections();
  policies.close();
  folder.remove();
});

function report(domain: string, daysAgo: number, failed = 0): string {
  const day = new Date(Date.now() - daysAgo * DAY_MS).toISOString().slice(0, 10);
  return JSON.stringify({
    'organization-name': 'Google Inc.',
    'contact-info': 'smtp-tls-reporting@google.com',
    'report-id': `${day}_${domain}`,
    'date-range': { 'start-datetime': `${day}T00:00:00Z`, 'end-datetime': `${day}T23:59:59Z` },
    policies: [
      {
        policy: { 'policy-type': 'sts', 'policy-domain': domain },
        summary: {
          'total-successful-session-count': 100,
          'total-failure-session-count': failed,
        },
        'failure-details': [
          {
            'result-type': 'certificate-expired',
            'receiving-mx-hostname': `mx1.${domain}`,
            'failed-session-count': failed,
          },
        ],
      },
    ],
  });
}

async function post(body: string | Buffer): Promise<void> {
  const headers = { 'X-API-Key': secrets.writer, 'Content-Type': 'application/octet-stream' };
  const { status } = await fetch(`${server.url}/v1/email/reports`, {
    method: 'POST',
    headers,
    body,
  });
  assert.equal(status, 200);
}

async function ask<Data>(path: string, secret = secrets.reader): Promise<Data> {
  const headers = { 'X-API-Key': secret };
  const response = await fetch(`${server.url}/v1/email/domain/${path}`, { headers });
  return ((await response.json()) as { data: Data }).data;
}
const tls = (domain: string) => ask<TlsReports>(`${domain}/tls-reports`);

test('TLS reports: a yes comes with the policy and the record to publish', async () => {
  const { verdict, mode, hosts, reports, sessions, failed, days, reporters, failures } =
    await tls(GOOD);
  assert.equal(verdict.question, 'enforce');
  assert.equal(
    verdict.text,
    'MTA-STS may be set to enforce: reports of 30 days show 3,000 sessions without a failure',
  );
  assert.equal(verdict.file_url, `https://mta-sts.${GOOD}/.well-known/mta-sts.txt`);
  assert.match(verdict.file, /mode: enforce\r\nmx: mx1\.good\.example\r\n/);
  assert.match(verdict.record, /^_mta-sts\.good\.example\. .*"v=STSv1; id=/);
  assert.deepEqual(
    [mode, hosts, reports, sessions, failed, days.length, failures],
    ['testing', [`mx1.${GOOD}`], 30, 3_000, 0, 30, []],
  );
  assert.deepEqual(
    reporters.map(({ name, is_large, sessions: all }) => [name, is_large, all]),
    [['google.com', true, 3_000]],
  );
});

test('TLS reports: a no says which host, why and what to do, and gives nothing to publish', async () => {
  const { verdict, failures } = await tls(BROKEN);
  assert.equal(verdict.answer, 'no');
  assert.match(
    verdict.text,
    /mx1\.broken\.example failed in 24 sessions on 4 days.*renew the cert/,
  );
  assert.deepEqual([verdict.record, verdict.file], ['', '']);
  assert.deepEqual(
    failures.map(({ host, result, sessions }) => [host, result, sessions]),
    [[`mx1.${BROKEN}`, 'certificate-expired', 24]],
  );
});

test('TLS reports: a domain without any is not enough', async () => {
  const { verdict, reports } = await tls(NEW);
  assert.deepEqual(
    [verdict.answer, verdict.reasons.map(({ code }) => code), verdict.file, reports],
    ['not_enough', ['no_reports'], '', 0],
  );
});

for (const [behaviour, path, secret, want] of [
  ['no permission to read reports', `${GOOD}/tls-reports`, 'checker', 'FORBIDDEN'],
  ['a domain that the key may not use', `${GOOD}/tls-reports`, 'other', 'FORBIDDEN'],
  ['days that are no number', `${GOOD}/tls-reports?days=x`, 'reader', 'INVALID_QUERY'],
  ['not a domain', '192.0.2.1/tls-reports', 'reader', 'INVALID_DOMAIN'],
] as const)
  test(`TLS reports: refused for ${behaviour}`, async () =>
    assert.equal((await ask<{ code: string }>(path, secrets[secret])).code, want));

type Report = {
  transport: { mta_sts: { recommendations: { text: string; file: string }[] } };
};
for (const [behaviour, domain, secret, text, hasFile] of [
  [
    'yes: set mode to enforce',
    GOOD,
    'reader',
    /30 days show 3,000 sessions without a failure/,
    true,
  ],
  ['no: leave it in testing', BROKEN, 'reader', /leave it so\. .*certificate had expired/, false],
  ['no reports: as without them', NEW, 'reader', /When the reports show none/, true],
  ['not for keys that may not read reports', BROKEN, 'checker', /When the reports show none/, true],
] as const)
  test(`TLS reports: advice of the check: ${behaviour}`, async () => {
    const { transport } = await ask<Report>(`${domain}/dns?include=transport`, secrets[secret]);
    const [advice] = transport.mta_sts.recommendations;
    assert.match(advice?.text ?? '', text);
    assert.equal(advice?.file.includes('mode: enforce'), hasFile);
  });

const wh = (...args: string[]) =>
  runCommand(['email', 'reports', ...args], {
    ...folder.environment,
    WHENCE_DNS_SERVERS: dns.address,
    WHENCE_KEY: secrets.reader,
  });

for (const [behaviour, domain, code, text] of [
  ['yes', GOOD, 0, /mode: enforce\n {2}mx: mx1\.good\.example\n[\s\S]*Then the record\n/],
  ['no', BROKEN, 1, /mx1\.broken\.example +24 +certificate-expired +sts/],
  ['not enough', NEW, 4, /no proven TLS report/],
] as const)
  test(`TLS reports: the command asks a server: ${behaviour}`, async () => {
    const ran = await wh(domain, '--tls', '--url', server.url);
    assert.equal(ran.code, code, ran.stderr);
    assert.match(ran.stdout, text);
  });

test('TLS reports: the command answers from storage, and refuses what it cannot do', async () => {
  const ran = await wh(BROKEN, '--tls', '--json');
  const { verdict, reports } = JSON.parse(ran.stdout) as TlsReports;
  assert.deepEqual([ran.code, verdict.answer, reports], [1, 'no', 30]);
  for (const args of [['--csv'], ['--decide', 'a=ours'], ['--days', '0']])
    assert.equal((await wh(BROKEN, '--tls', ...args)).code, 2);
});
