/**
 * `?include=transport,networks` over HTTP and on the command line, against a scripted DNS server on
 * loopback.
 */
import assert from 'node:assert/strict';
import test, { after, before } from 'node:test';
import { createClient } from '@whence/client';
import type { EmailReport, EmailTrial } from '@whence/client/wire';
import {
  type ScriptedDnsServer,
  startScriptedDnsServer,
} from '@whence/testing/servers/scripted-dns-server';
import { EmailChecks } from '../../email-checks/email-checks.ts';
import { tryForRequest } from '../../email-checks/try-request.ts';
import { runCommand } from '../run-command.ts';
import { startInProcess, TestFolder } from '../test-server.ts';

const folder = new TestFolder();
const empty = new TestFolder();
let dns: ScriptedDnsServer;
let server: Awaited<ReturnType<typeof startInProcess>>;
let secret = '';

before(async () => {
  folder.publish();
  dns = await startScriptedDnsServer({
    'example.com': {
      MX: [
        [10, 'mx.example.com'],
        [20, 'backup.example.com'],
      ],
      TXT: [
        'v=spf1 mx ip4:3.0.0.0/24 ip4:9.0.0.0/16 ip4:192.0.2.0/24 include:spf.example.com exists:%{i}.example.com -all',
      ],
    },
    'mx.example.com': { A: ['8.8.8.8'], AAAA: ['2001:4860::8888'] },
    'backup.example.com': { A: ['192.0.2.25'] },
    'spf.example.com': { TXT: ['v=spf1 ip4:3.0.0.128/25 ip4:8.8.8.9 -all'] },
    '_mta-sts.example.com': { TXT: ['v=STSv1; id=1;'] },
    'mta-sts.example.com': { A: ['127.0.0.1'] },
  });
  server = await startInProcess(folder, undefined, { WHENCE_DNS_SERVERS: dns.address });
  ({ secret } = await folder.createKey());
});
after(async () => {
  await server.close();
  await dns.close();
  folder.remove();
  empty.remove();
});

async function ask(query: string, url = server.url, key = secret) {
  const response = await fetch(`${url}/v1/email/domain/example.com/dns${query}`, {
    headers: { 'X-API-Key': key },
  });
  const { data } = (await response.json()) as {
    data: EmailReport & { code?: string; details?: object };
  };
  return { status: response.status, data };
}

test('email include: networks lists the mail carriers and the number of permitted senders', async () => {
  const { status, data } = await ask('?include=networks');
  assert.equal(status, 200);
  assert.equal(data.transport, undefined);
  assert.ok(data.networks);
  const { carriers, mx, senders, ...rest } = data.networks;
  assert.deepEqual(
    mx.map(({ host, address, asn, prefix }) => [host, address, asn, prefix]),
    [
      ['mx.example.com', '8.8.8.8', 15169, '8.8.8.0/24'],
      ['mx.example.com', '2001:4860::8888', 15169, '2001:4860::/32'],
      ['backup.example.com', '192.0.2.25', 0, ''],
    ],
  );
  assert.deepEqual(senders[0], {
    prefix: '9.0.0.0/16',
    asn: 22394,
    asn_name: 'Verizon Wireless',
    country: senders[0]?.country,
    connection_type: senders[0]?.connection_type,
    threat_level: '',
    range: '9.0.0.0/16',
    record_domain: 'example.com',
    asn_count: 1,
    shares: [{ asn: 22394, asn_name: 'Verizon Wireless', percent: 100 }],
  });
  assert.deepEqual(
    senders.map(({ range, asn, record_domain }) => [range, asn, record_domain]),
    [
      ['9.0.0.0/16', 22394, 'example.com'],
      ['3.0.0.0/24', 16509, 'example.com'],
      ['192.0.2.0/24', 0, 'example.com'],
      ['3.0.0.128/25', 16509, 'spf.example.com'],
      ['8.8.8.8/32', 15169, 'example.com'],
      ['8.8.8.9/32', 15169, 'spf.example.com'],
      ['192.0.2.25/32', 0, 'example.com'],
      ['2001:4860::8888/128', 15169, 'example.com'],
    ],
  );
  assert.deepEqual(carriers, [
    { asn: 15169, asn_name: 'Google LLC', mx_hosts: 1, ipv4_addresses: 2 },
    { asn: 22394, asn_name: 'Verizon Wireless', mx_hosts: 0, ipv4_addresses: 65_536 },
    { asn: 16509, asn_name: 'Amazon.com, Inc.', mx_hosts: 0, ipv4_addresses: 256 },
  ]);
  assert.deepEqual(rest, {
    range_count: 8,
    ipv4_addresses: 65_536 + 256 + 256 + 2,
    ipv6_48s: 0,
    open_to_all: false,
    unlisted_terms: ['exists:%{i}.example.com'],
    errors: [],
  });
});

test('email include: transport has its parts, and does not connect to a private address', async () => {
  const { data } = await ask('?include=transport');
  assert.deepEqual(Object.keys(data.transport ?? {}), [
    'mta_sts',
    'tls_rpt',
    'dane',
    'bimi',
    'dnssec',
    'sender_rules',
  ]);
  assert.match(data.transport?.mta_sts.validation_errors[0] ?? '', /^policy_host_private: /);
  assert.equal(data.networks, undefined);
});

test('email include: both, through the client library; the score is the same', async () => {
  const client = createClient({ baseUrl: server.url, apiKey: secret });
  const { data } = await client.emailDomain('example.com', { include: ['transport', 'networks'] });
  const { transport, networks, recommendation_codes, ...rest } = data;
  assert.ok(transport && networks && recommendation_codes);
  assert.deepEqual((await client.emailDomain('example.com')).data, rest);
});

for (const [behaviour, query, status] of [
  [
    'blanks, an empty item and repetitions are passed over',
    '?include=%20transport,,transport',
    200,
  ],
  ['an empty value includes nothing', '?include=', 200],
  ['an unknown name is refused', '?include=transport,everything', 400],
] as const)
  test(`email include: ${behaviour}`, async () => {
    const { status: got, data } = await ask(query);
    assert.equal(got, status);
    if (status === 400)
      assert.deepEqual(
        [data.code, data.details],
        ['INVALID_INCLUDE', { allowed: ['transport', 'networks', 'details'] }],
      );
  });

test('email include: networks without a dataset is 503, transport works', async () => {
  const bare = await startInProcess(empty, undefined, { WHENCE_DNS_SERVERS: dns.address });
  const { secret: key } = await empty.createKey();
  try {
    const refused = await ask('?include=networks', bare.url, key);
    assert.deepEqual([refused.status, refused.data.code], [503, 'DATASET_UNAVAILABLE']);
    assert.equal((await ask('?include=transport', bare.url, key)).status, 200);
  } finally {
    await bare.close();
  }
});

const whence = (...argv: string[]) =>
  runCommand(argv, { WHENCE_DATA_DIR: folder.dataDir, WHENCE_DNS_SERVERS: dns.address });

test('email include: the command line shows transport and networks in 80 columns', async () => {
  const { stdout } = await whence('email', 'example.com', '--include', 'transport,networks');
  assert.match(
    stdout,
    /\nTransport \(not part of the score\)\nMTA-STS {2}v=STSv1; id=1;\n {9}! policy_host_private: /,
  );
  assert.match(stdout, /\nDANE {5}0 of 2 MX hosts with authenticated TLSA records\n/);
  assert.match(stdout, /\nNetworks: 66,050 IPv4 addresses may send as this domain\n/);
  assert.match(stdout, /\n {2}AS15169 Google LLC: 1 MX host, 2 IPv4 addresses may send\n/);
  assert.match(stdout, /\n {2}9\.0\.0\.0\/16 {11}AS22394 Verizon Wireless, /);
  assert.match(stdout, /\n {2}192\.0\.2\.0\/24 {9}not announced\n/);
  const long = stdout
    .split('\n')
    .filter((line) => line.length > 80 && !/ IN (?:TXT|MX) /.test(line));
  assert.deepEqual(long, []);
});

test('email include: the command line prints both as JSON, as the API does', async () => {
  const { stdout } = await whence(
    'email',
    'example.com',
    '--include',
    'transport,networks',
    '--json',
  );
  assert.deepEqual(JSON.parse(stdout), (await ask('?include=transport,networks')).data);
});

async function tryRecords(body: object) {
  const response = await fetch(`${server.url}/v1/email/domain/example.com/try`, {
    method: 'POST',
    headers: { 'X-API-Key': secret, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  const { data } = (await response.json()) as {
    data: EmailTrial & { code?: string; details?: object };
  };
  return { status: response.status, data };
}

test('email try: senders that are gained and lost are counted by network, and risks come before the score', async () => {
  const { status, data } = await tryRecords({
    zone: '@ TXT "v=spf1 mx ip4:3.0.0.0/25 ip4:8.8.8.0/24 -all"',
  });
  assert.equal(status, 200);
  assert.deepEqual(data.senders, {
    gained: [{ asn: 15169, asn_name: 'Google LLC', ipv4_addresses: 254, ipv6_48s: 0 }],
    lost: [
      { asn: 22394, asn_name: 'Verizon Wireless', ipv4_addresses: 65_536, ipv6_48s: 0 },
      { asn: 0, asn_name: '', ipv4_addresses: 255, ipv6_48s: 0 },
      { asn: 16509, asn_name: 'Amazon.com, Inc.', ipv4_addresses: 128, ipv6_48s: 0 },
    ],
  });
  assert.deepEqual(
    data.risks.map(({ code, text }) => [code, text]),
    [['senders_lost', '65,919 IPv4 addresses that may send as example.com now no longer could.']],
  );
  assert.deepEqual(data.lookups, { before: 3, after: 1, limit: 10 });
});

test('email try: a change that scores more and authorises no server is named for it', async () => {
  const { data } = await tryRecords({
    spf: 'v=spf1 ~all',
    dmarc: '_dmarc.example.com. IN TXT "v=DMARC1; p=reject"',
  });
  assert.ok(data.after.score > data.before.score);
  assert.deepEqual(
    [...new Set(data.risks.map(({ code }) => code))],
    ['step_skipped', 'senders_lost', 'policy_weaker'],
  );
});

for (const [behaviour, body, details] of [
  [
    'a line that is none',
    { zone: '\n@ TXT "x' },
    {
      path: '/zone',
      line: 2,
      expected: 'a text in quotation marks after TXT, such as "v=spf1 -all"',
    },
  ],
  ['nothing to try', {}, { path: '/zone', expected: 'a TXT, MX, CNAME, A or AAAA record to try' }],
  ['a host that is none', { mx: '10 20 30' }, { path: '/mx', expected: '10 mx.example.com' }],
] as const)
  test(`email try: refused: ${behaviour}`, async () => {
    const { status, data } = await tryRecords(body);
    assert.deepEqual([status, data.code, data.details], [400, 'INVALID_REQUEST', details]);
  });

test('email try: a change is judged against the zone of now, as the check sees it', async () => {
  const policy = ['v=DMARC1; p=none'];
  const zone = { 'example.net': { TXT: ['v=spf1 -all'] }, '_dmarc.example.net': { TXT: policy } };
  const edited = await startScriptedDnsServer(zone, { ttl: 0 });
  const emailChecks = new EmailChecks([edited.address]);
  const tryNone = () =>
    tryForRequest(
      { emailChecks, dataset: undefined },
      'example.net',
      { dmarc: 'v=DMARC1; p=none' },
      requester,
    );
  const requester = { fairnessKey: 'a person', signal: new AbortController().signal };
  try {
    assert.deepEqual((await tryNone()).risks, []);
    policy[0] = 'v=DMARC1; p=reject';
    const { before, risks } = await tryNone();
    assert.equal(before.dmarc, 'v=DMARC1; p=reject');
    assert.deepEqual(
      risks.map(({ code }) => code),
      ['policy_weaker'],
    );
  } finally {
    emailChecks.close();
    await edited.close();
  }
});
