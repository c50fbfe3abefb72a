/** Sessions with mail servers that follow the protocol, and with some that do not. */
import assert from 'node:assert/strict';
import { createHash, X509Certificate } from 'node:crypto';
import type { Socket } from 'node:net';
import test from 'node:test';
import { createAuthority, selfSigned } from '@whence/testing/servers/certificates';
import { type SmtpScript, startSmtpServer } from '@whence/testing/servers/smtp-server';
import { formatFinding } from '../findings/finding.ts';
import type { SmtpServer } from '../report.ts';
import { judgeSession, type SmtpContext } from './judge.ts';
import { openSmtpSession } from './session.ts';

const HOST = 'mx.example.com';
const authority = createAuthority('Test Authority');
const DAY_MS = 86_400_000;
const before = (days: number) => new Date(Date.now() - days * DAY_MS);
const good = authority.issue([HOST]);

type Transport = NonNullable<SmtpContext['transport']>;
const transportOf = (
  records: readonly string[],
  mode: Transport['mta_sts']['mode'] = '',
  isAuthenticated = true,
  mx: readonly string[] = ['*.example.com'],
) =>
  ({
    dane: {
      is_authenticated: isAuthenticated,
      hosts: [{ host: HOST, records, is_authenticated: true }],
    },
    mta_sts: { mode, mx },
  }) as unknown as Transport;

async function probe(
  script: SmtpScript,
  { timeoutMs = 20_000, transport = undefined as Transport | undefined } = {},
) {
  const server = await startSmtpServer(script);
  try {
    const target = {
      address: '127.0.0.1',
      port: server.port,
      host: HOST,
      ca: authority.cert,
    };
    const session = await openSmtpSession(target, AbortSignal.timeout(timeoutMs));
    const judged = judgeSession(session, {
      domain: 'example.com',
      host: HOST,
      address: '127.0.0.1',
      transport,
      now: new Date(),
    });
    return {
      ...judged,
      errors: judged.validation_errors.map(formatFinding),
      received: server.received,
    };
  } finally {
    await server.close();
  }
}

test('smtp: a session says EHLO, STARTTLS and QUIT, and nothing else', async () => {
  const { received, errors, certificate, ...seen } = await probe({ certificate: good });
  assert.deepEqual(received, ['EHLO [127.0.0.1]', 'STARTTLS', 'TLS QUIT']);
  assert.deepEqual(
    [errors, seen.banner, seen.banner_name, seen.has_starttls],
    [[], `${HOST} ESMTP`, HOST, true],
  );
  assert.match(seen.tls_version, /^TLSv1\.[23]$/);
  assert.deepEqual(
    [certificate.names, certificate.is_trusted, certificate.is_for_host],
    [[HOST], true, true],
  );
  assert.match(certificate.valid_to, /^\d{4}-\d\d-\d\dT/);
});

test('smtp: a server without STARTTLS is told QUIT in plain text', async () => {
  const { received, errors } = await probe({ ehlo: '250 mx.example.com\r\n' });
  assert.deepEqual(received, ['EHLO [127.0.0.1]', 'QUIT']);
  assert.deepEqual(errors, [
    'no_starttls: 127.0.0.1 does not offer STARTTLS: mail to it is sent in plain text',
  ]);
});

/** Sends for as long as it is read. */
const flood = (text: string) => (socket: Socket) => {
  const send = () => {
    while (!socket.destroyed && socket.write(text.repeat(5_000)));
  };
  socket.on('drain', send);
  send();
};

for (const [behaviour, script, want] of [
  [
    'a greeting that does not end',
    { greeting: flood('220-x\r\n') },
    /^smtp_failed: .* the reply to the greeting does not end$/,
  ],
  [
    'a line that does not end',
    { greeting: flood('220 x') },
    /^smtp_failed: .* a line of the greeting is too long/,
  ],
  [
    'a reply to EHLO that does not end',
    { ehlo: flood('250-x\r\n') },
    /the reply to the EHLO does not end$/,
  ],
  [
    'lines with different codes',
    { ehlo: '250-x\r\n251 y\r\n' },
    /the EHLO was not answered with a reply of SMTP$/,
  ],
  [
    'another protocol',
    { greeting: 'SSH-2.0-OpenSSH_9\r\n' },
    /the greeting was not answered with a reply of SMTP$/,
  ],
  [
    'control characters',
    { greeting: '554 \x1b[2Jno\r\n' },
    /the greeting was answered with "554 \\x1b\[2Jno"$/,
  ],
  [
    'a refusal',
    { greeting: '554 no service\r\n' },
    /the greeting was answered with "554 no service"$/,
  ],
  ['EHLO refused', { ehlo: '502 unknown\r\n' }, /the EHLO was answered with "502 unknown"$/],
  [
    'STARTTLS refused',
    { starttls: '454 not now\r\n' },
    /the STARTTLS was answered with "454 not now"$/,
  ],
  [
    'two greetings',
    { greeting: '220 a.example\r\n220 b.example\r\n' },
    /sent unexpected text before the EHLO$/,
  ],
  [
    'plain text injected after STARTTLS',
    { starttls: '220 go\r\n250-evil\r\n250 STARTTLS\r\n', certificate: good },
    /^starttls_injection: 127\.0\.0\.1 sent plain text after its reply to STARTTLS/,
  ],
  [
    'plain text instead of a handshake',
    {
      starttls: (socket: Socket) => {
        socket.write('220 go\r\n');
        setImmediate(() => socket.write(`250 injected${'x'.repeat(200)}\r\n`));
      },
    },
    /^smtp_failed: .* the TLS handshake failed \(/,
  ],
  [
    'a connection that is closed',
    { greeting: (socket: Socket) => void socket.end('220-x\r\n') },
    /closed the connection during the greeting$/,
  ],
] as readonly (readonly [string, SmtpScript, RegExp])[])
  test(`smtp: ${behaviour} ends the session`, async () => {
    const { errors, received } = await probe(script);
    assert.equal(errors.length, 1);
    assert.match(errors[0] ?? '', want);
    assert.deepEqual(
      received.filter((command) => !/^(EHLO|STARTTLS)/.test(command)),
      [],
    );
  });

for (const [step, script] of [
  ['greeting', { greeting: '220-wait\r\n' }],
  ['EHLO', { ehlo: '' }],
  ['STARTTLS', { starttls: '22' }],
  ['TLS handshake', {}],
] as readonly (readonly [string, SmtpScript])[])
  test(`smtp: a server that is silent during the ${step} costs no more than the time that is given`, async () => {
    const { errors } = await probe(script, { timeoutMs: 300 });
    assert.deepEqual(errors, [`smtp_failed: 127.0.0.1: the ${step} timed out`]);
  });

test('smtp: a port where nothing listens is a failed connection', async () => {
  const server = await startSmtpServer({});
  await server.close();
  const target = { address: '127.0.0.1', port: server.port, host: HOST };
  const { failure } = await openSmtpSession(target, AbortSignal.timeout(20_000));
  assert.deepEqual(failure, { step: 'connection', fault: { error: 'ECONNREFUSED' } });
});

test('smtp: without a name EHLO has the address of the connection', async () => {
  const server = await startSmtpServer({ ehlo: '250 mx.example.com\r\n' });
  await openSmtpSession(
    { address: '127.0.0.1', port: server.port, host: HOST },
    AbortSignal.timeout(20_000),
  );
  await server.close();
  assert.equal(server.received[0], 'EHLO [127.0.0.1]');
});

const expired = authority.issue([HOST], { from: before(10), until: before(1) });
const early = authority.issue([HOST], { from: before(-1), until: before(-2) });
for (const [kind, certificate, want] of [
  ['expired', expired, [/^certificate_expired: the certificate was valid until \d{4}-/]],
  ['not valid yet', early, [/^certificate_not_yet_valid: /]],
  ['self-signed', selfSigned([HOST]), [/^certificate_self_signed: /]],
  [
    'for another host',
    authority.issue(['other.example']),
    [/^certificate_other_name: .* but for other\.example$/],
  ],
  ['for a whole label', authority.issue(['*.example.com']), []],
  ['for two labels', authority.issue(['*.com']), [/^certificate_other_name: /]],
  [
    'of an unknown authority',
    createAuthority('Other').issue([HOST]),
    [/^certificate_untrusted: .*\(UNABLE_TO_/],
  ],
  [
    'with hostile names',
    authority.issue(['a\x1b[2J.example, DNS:mx.example.com']),
    [/^certificate_other_name: .*\\u001b/],
  ],
] as const)
  test(`smtp: a certificate that is ${kind}`, async () => {
    const { errors, mta_sts } = await probe(
      { certificate },
      { transport: transportOf([], 'enforce') },
    );
    const isGood = want.length === 0;
    assert.equal(mta_sts, isGood ? 'match' : 'mismatch');
    assert.equal(errors.length, isGood ? 0 : want.length + 1, errors.join('\n'));
    for (const [i, pattern] of want.entries()) assert.match(errors[i] ?? '', pattern);
    if (!isGood) assert.match(errors.at(-1) ?? '', /^mta_sts_mismatch: .* do not deliver$/);
  });

const own = new X509Certificate(good.cert);
const root = new X509Certificate(authority.cert);
const sha = (bytes: Buffer, name = 'sha256') => createHash(name).update(bytes).digest('hex');
const keyOf = ({ publicKey }: X509Certificate) => publicKey.export({ type: 'spki', format: 'der' });
const chained = { cert: `${good.cert}\n${authority.cert}`, key: good.key };
const elsewhere = selfSigned(['elsewhere.example']);
const late = { cert: `${expired.cert}\n${authority.cert}`, key: expired.key };

for (const [behaviour, certificate, records, want] of [
  ['3 1 1: the key', good, [`3 1 1 ${sha(keyOf(own))}`], 'match'],
  ['3 0 2: the certificate', good, [`3 0 2 ${sha(own.raw, 'sha512')}`], 'match'],
  ['3 1 0: the key itself', good, [`3 1 0 ${keyOf(own).toString('hex')}`], 'match'],
  ['another key', good, [`3 1 1 ${sha(Buffer.from('x'))}`], 'mismatch'],
  [
    'one of two records fits',
    good,
    [`3 1 1 ${sha(Buffer.from('x'))}`, `3 1 1 ${sha(keyOf(own))}`],
    'match',
  ],
  [
    'names and dates do not matter for usage 3',
    elsewhere,
    [`3 1 1 ${sha(keyOf(new X509Certificate(elsewhere.cert)))}`],
    'match',
  ],
  ['2 0 1: the authority', chained, [`2 0 1 ${sha(root.raw)}`], 'match'],
  ['usage 2 with an expired certificate', late, [`2 0 1 ${sha(root.raw)}`], 'mismatch'],
  ['usage 2 does not mean the certificate itself', good, [`2 0 1 ${sha(own.raw)}`], 'mismatch'],
  ['usages of PKIX are not used', good, [`1 1 1 ${sha(keyOf(own))}`, '0 0 1 00'], ''],
] as readonly (readonly [string, typeof good, string[], SmtpServer['dane']])[])
  test(`smtp: DANE, ${behaviour}`, async () => {
    const { dane, errors } = await probe({ certificate }, { transport: transportOf(records) });
    assert.equal(dane, want);
    assert.equal(
      errors.some((error) => error.startsWith('dane_mismatch')),
      want === 'mismatch',
      errors.join(),
    );
  });

test('smtp: TLSA records that DNSSEC does not authenticate are not compared', async () => {
  const { dane } = await probe(
    { certificate: good },
    { transport: transportOf(['3 1 1 00'], '', false) },
  );
  assert.equal(dane, '');
});

test('smtp: DANE and MTA-STS need STARTTLS', async () => {
  const { dane, mta_sts } = await probe(
    { ehlo: '250 x\r\n' },
    { transport: transportOf(['3 1 1 00'], 'testing') },
  );
  assert.deepEqual([dane, mta_sts], ['mismatch', 'mismatch']);
});

test('smtp: a certificate that ends within 14 days is mentioned, and valid', async () => {
  const ending = authority.issue([HOST], { from: before(80), until: before(-10) });
  const { errors, is_valid, stops_delivery } = await probe({ certificate: ending });
  assert.match(
    errors.join(),
    /^certificate_ends_soon: the certificate is valid until \d{4}-[^,]*: renew it$/,
  );
  assert.deepEqual([is_valid, stops_delivery], [true, false]);
});

for (const [mode, mx, fits, stops] of [
  ['enforce', ['other.example.com'], 'mismatch', true],
  ['enforce', ['*.mx.example.com', '*.com'], 'mismatch', true],
  ['testing', ['other.example.com'], 'mismatch', false],
  ['enforce', [HOST], 'match', false],
  ['none', ['other.example.com'], '', false],
] as const)
  test(`smtp: a host under a policy of mode ${mode} for ${mx.join(' and ')}`, async () => {
    const transport = transportOf([], mode, true, mx);
    const { mta_sts, stops_delivery, errors } = await probe({ certificate: good }, { transport });
    assert.deepEqual([mta_sts, stops_delivery], [fits, stops]);
    assert.equal(
      errors.join().includes(`${HOST} is not named by the MTA-STS policy`),
      fits === 'mismatch',
      errors.join(),
    );
  });
