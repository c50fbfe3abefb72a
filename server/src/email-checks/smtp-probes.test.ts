/** `include=smtp`: which MX hosts are connected to, what DNS adds, and where it is refused. */
import assert from 'node:assert/strict';
import test, { after, before } from 'node:test';
import type { SmtpReport } from '@whence/client/wire';
import { createAuthority } from '@whence/testing/servers/certificates';
import {
  type ScriptedDnsServer,
  startScriptedDnsServer,
} from '@whence/testing/servers/scripted-dns-server';
import { type SmtpServer, startSmtpServer } from '@whence/testing/servers/smtp-server';
import { checked, exitCodeOf } from '../commands/email/outcome.ts';
import { runCommand } from '../test/run-command.ts';
import { startInProcess, TestFolder } from '../test/test-server.ts';
import { EmailChecks } from './email-checks.ts';

const authority = createAuthority('Test Authority');
let mail: SmtpServer;
let dns: ScriptedDnsServer;

before(async () => {
  mail = await startSmtpServer({ certificate: authority.issue(['mx.example.com']) });
  dns = await startScriptedDnsServer({
    'example.com': { MX: [[10, 'mx.example.com']], TXT: ['v=spf1 mx -all'], isSigned: true },
    'mx.example.com': { A: ['127.0.0.1'] },
    '_25._tcp.mx.example.com': { TLSA: [`3 1 1 ${'0'.repeat(64)}`], isSigned: true },
    '1.0.0.127.in-addr.arpa': { PTR: ['mx.example.com'] },
    'many.example': {
      MX: [
        [10, 'a.many.example'],
        [20, 'b.many.example'],
      ],
    },
    'a.many.example': { A: Array.from({ length: 8 }, (_, i) => `127.0.1.${i + 1}`) },
    'b.many.example': { A: ['127.0.0.1'], AAAA: ['::1'] },
    'implicit.example': { A: ['192.0.2.1'] },
    'null.example': { MX: [[0, '.']] },
    // The system refuses to connect to the broadcast address, as a firewall would.
    'blocked.example': { MX: [[10, 'mx.blocked.example']] },
    'mx.blocked.example': { A: ['255.255.255.255'] },
  });
});
after(async () => {
  await mail.close();
  await dns.close();
});

const smtpOf = (isReachable?: (address: string) => boolean) => ({
  network: { port: mail.port, ca: authority.cert, ...(isReachable && { isReachable }) },
});

async function probe(domain: string, smtp = smtpOf(() => true)): Promise<SmtpReport> {
  const checks = new EmailChecks([dns.address], { smtp });
  try {
    const { signal } = new AbortController();
    const checked = await checks.check(domain, {
      fairnessKey: '',
      selectors: ['none'],
      signal,
      hasSmtp: true,
    });
    assert.ok(checked?.answer.smtp);
    assert.equal(checked.answer.transport, undefined);
    return checked.answer.smtp;
  } finally {
    checks.close();
  }
}

test('smtp: the report has the certificate, the names of the server, and what DANE says of it', async () => {
  const { servers, ...rest } = await probe('example.com');
  assert.deepEqual(rest, {
    is_blocked: false,
    unprobed: [],
    is_valid: false,
    validation_errors: [],
  });
  const [{ certificate, tls_version, ...server }] = servers as [SmtpReport['servers'][number]];
  assert.deepEqual(server, {
    host: 'mx.example.com',
    address: '127.0.0.1',
    banner: 'mx.example.com ESMTP',
    banner_name: 'mx.example.com',
    banner_addresses: ['127.0.0.1'],
    reverse_name: 'mx.example.com',
    is_reverse_confirmed: true,
    has_starttls: true,
    dane: 'mismatch',
    mta_sts: '',
    stops_delivery: true,
    is_valid: false,
    validation_errors: [
      'dane_mismatch: no TLSA record of mx.example.com matches its certificate: senders that use DANE do not deliver to it',
    ],
  });
  assert.deepEqual([certificate.is_trusted, certificate.is_for_host], [true, true]);
});

test('smtp: at most five addresses, of every host in turn', async () => {
  const { servers, unprobed } = await probe('many.example');
  assert.deepEqual(
    servers.map(({ address }) => address),
    ['127.0.1.1', '127.0.0.1', '127.0.1.2', '::1', '127.0.1.3'],
  );
  assert.deepEqual(unprobed, ['127.0.1.4', '127.0.1.5', '127.0.1.6', '127.0.1.7', '127.0.1.8']);
});

for (const [behaviour, domain, isReachable, want] of [
  ['addresses that are not public', 'example.com', undefined, /^no_public_mail_host: /],
  ['the address of a domain without MX', 'implicit.example', () => false, /^no_public_mail_host: /],
  ['a domain that takes no mail', 'null.example', () => true, /^no_mail_host: /],
] as const)
  test(`smtp: nothing is connected to for ${behaviour}`, async () => {
    const { connections } = mail;
    const { servers, validation_errors } = await probe(domain, smtpOf(isReachable));
    assert.deepEqual([servers, mail.connections], [[], connections]);
    assert.match(validation_errors.join(), want);
  });

test('smtp: where no address can be reached, it is said once', async () => {
  const { is_blocked, servers, validation_errors } = await probe('blocked.example');
  assert.deepEqual([is_blocked, servers, validation_errors.length], [true, [], 1]);
  assert.match(
    validation_errors[0] ?? '',
    /^smtp_blocked: port 25 of no MX host could be reached from here \(255\./,
  );
});

test('smtp: a session is kept for other domains with the same host', async () => {
  const checks = new EmailChecks([dns.address], { smtp: smtpOf(() => true) });
  const request = {
    fairnessKey: '',
    selectors: ['none'],
    signal: new AbortController().signal,
    hasSmtp: true,
  };
  const { connections } = mail;
  for (let i = 0; i < 3; i++) await checks.check('example.com', request);
  assert.equal(mail.connections, connections + 1);
  checks.close();
});

test('smtp: one network is not connected to without limit', async (t) => {
  const hosts = Array.from(
    { length: 30 },
    (_, i) => [`d${i}.example`, `mx.d${i}.example`] as const,
  );
  const busy = await startScriptedDnsServer(
    Object.fromEntries(
      hosts.flatMap(([domain, host]) => [
        [domain, { MX: [[1, host]] }],
        [host, { A: ['127.0.0.1'] }],
      ]),
    ),
  );
  const checks = new EmailChecks([busy.address], { smtp: smtpOf(() => true) });
  t.after(() => checks.close());
  t.after(() => busy.close());
  const { connections } = mail;
  const request = () => ({
    fairnessKey: '',
    selectors: ['none'],
    signal: new AbortController().signal,
    hasSmtp: true,
  });
  const startedMs = performance.now();
  await Promise.all(hosts.map(([domain]) => checks.check(domain, request())));
  // Twenty at once, and one for each second that the checks took on a busy machine.
  const most = 20 + Math.ceil((performance.now() - startedMs) / 1_000);
  const opened = mail.connections - connections;
  assert.ok(opened > 0 && opened <= most, `${opened} connections, ${most} allowed`);
});

test('smtp: over HTTP it is refused unless it is switched on, and the refusal names the setting', async () => {
  const folder = new TestFolder();
  const environment = { WHENCE_DNS_SERVERS: dns.address };
  const { secret } = await folder.createKey();
  const ask = async (
    environmentMore: Record<string, string>,
    path: string,
    headers: Record<string, string>,
  ) => {
    const { network } = smtpOf(() => true);
    const server = await startInProcess(
      folder,
      undefined,
      { ...environment, ...environmentMore },
      { smtpNetwork: network },
    );
    try {
      const response = await fetch(`${server.url}${path}`, { headers });
      return JSON.parse(await response.text());
    } finally {
      await server.close();
    }
  };
  const path = '/v1/email/domain/example.com/dns?selectors=none&include=smtp';
  const off = await ask({}, path, { 'X-API-Key': secret });
  assert.equal(off.data.code, 'INVALID_INCLUDE');
  assert.deepEqual(off.data.details, {
    allowed: ['transport', 'networks', 'details'],
    setting: 'WHENCE_SMTP_PROBE',
  });
  const on = await ask({ WHENCE_SMTP_PROBE: 'on' }, path, { 'X-API-Key': secret });
  assert.deepEqual(
    [on.data.smtp.servers[0].dane, on.data.smtp.servers[0].stops_delivery],
    ['mismatch', true],
  );
  assert.ok(mail.received.includes('EHLO [127.0.0.1]'));
  // Not for people without an account.
  const page = '/dashboard/api/lookup/domain/example.com?include=smtp';
  const stranger = await ask({ WHENCE_SMTP_PROBE: 'on', WHENCE_PUBLIC_LOOKUPS: 'on' }, page, {});
  assert.equal(stranger.data.code, 'INVALID_INCLUDE');
  folder.remove();
});

test('smtp: the command prints it, and connects to nothing that is not public', async () => {
  const environment = { WHENCE_DNS_SERVERS: dns.address, WHENCE_DATA_DIR: '/nonexistent' };
  const { stdout } = await runCommand(['email', 'example.com', '--include', 'smtp'], environment);
  assert.match(
    stdout,
    /\nMX hosts on port 25 \(not part of the score\)\n {2}! no_public_mail_host: /,
  );
});

for (const stops_delivery of [true, false])
  test(`smtp: the exit code of a good domain whose host ${stops_delivery ? 'stops' : 'does not stop'} delivery`, async () => {
    const checks = new EmailChecks([dns.address], { smtp: smtpOf(() => true) });
    const signal = new AbortController().signal;
    const request = {
      fairnessKey: '',
      selectors: ['none'],
      signal,
      hasSmtp: true,
      hasDetails: true,
    };
    const answer = (await checks.check('example.com', request))?.answer;
    checks.close();
    assert.ok(answer?.smtp && answer.details);
    const servers = answer.smtp.servers.map((server) => ({ ...server, stops_delivery }));
    const details = { ...answer.details, risk: '', unverified: [] };
    const outcome = checked({ ...answer, grade: 'A', smtp: { ...answer.smtp, servers }, details });
    assert.equal(exitCodeOf(outcome), stops_delivery ? 1 : 0);
  });
