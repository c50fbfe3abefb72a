/**
 * Transport as part of the check, over zones written as literals. The policy is fetched for real in
 * the server's tests.
 */
import assert from 'node:assert/strict';
import test from 'node:test';
import type { ZoneRecords } from '@whence/testing/servers/zone-literal';
import fc from 'fast-check';
import { examineDomain } from '../check.ts';
import type { TransportReport } from '../report.ts';
import { KEYS } from '../test/dkim-keys.ts';
import { zone } from '../test/zone.ts';
import type { FetchedPolicy, PolicyRequest } from './mta-sts.ts';
import { parseMtaStsPolicy } from './mta-sts-policy.ts';

const SHA256 = 'ab'.repeat(32);
const POLICY =
  'version: STSv1\nmode: enforce\nmx: mx1.example.com\nmx: *.backup.example.net\nmax_age: 604800\n';
const FULL: ZoneRecords = {
  'example.com': {
    MX: [
      [10, 'mx1.example.com'],
      [20, 'mx2.backup.example.net'],
    ],
    TXT: ['v=spf1 mx -all'],
    isSigned: true,
  },
  'mx1.example.com': { A: ['9.9.9.9'] },
  'mx2.backup.example.net': { A: ['9.9.9.10'] },
  '_25._tcp.mx1.example.com': { TLSA: [`3 1 1 ${SHA256}`], isSigned: true },
  '_25._tcp.mx2.backup.example.net': { TLSA: [`2 0 2 ${SHA256}${SHA256}`], isSigned: true },
  '_mta-sts.example.com': { TXT: ['other', 'v=STSv1; id=20260101T000000;'] },
  'mta-sts.example.com': { A: ['9.9.9.11', '10.0.0.1'] },
  '_smtp._tls.example.com': {
    TXT: ['v=TLSRPTv1; rua=mailto:tls@example.com,https://reports.example.net/tls'],
  },
  'default._bimi.example.com': {
    TXT: ['v=BIMI1; l=https://example.com/mark.svg; a=https://example.com/mark.pem'],
  },
  '_dmarc.example.com': { TXT: ['v=DMARC1; p=reject; rua=mailto:d@example.com'] },
  's1._domainkey.example.com': { TXT: [KEYS.strong] },
};

async function transportOf(
  records: ZoneRecords,
  fetched: FetchedPolicy = {
    kind: 'fetched',
    text: POLICY,
    contentType: 'text/plain; charset=utf-8',
  },
  domain = 'example.com',
) {
  const requests: PolicyRequest[] = [];
  const resolver = zone(records);
  const fetchPolicy = async (request: PolicyRequest) => {
    requests.push(request);
    return fetched;
  };
  const { report } = await examineDomain(domain, { resolver, transport: { fetchPolicy } });
  assert.ok(report.transport);
  return { transport: report.transport, report, requests, resolver };
}

test('transport: a domain that has everything has no findings', async () => {
  const { transport, requests, resolver } = await transportOf(FULL);
  const want: TransportReport = {
    mta_sts: {
      found: true,
      raw: 'v=STSv1; id=20260101T000000;',
      id: '20260101T000000',
      policy_found: true,
      mode: 'enforce',
      max_age: 604_800,
      mx: ['mx1.example.com', '*.backup.example.net'],
      is_valid: true,
      validation_errors: [],
      recommendations: [],
    },
    tls_rpt: {
      found: true,
      raw: 'v=TLSRPTv1; rua=mailto:tls@example.com,https://reports.example.net/tls',
      report_uris: ['mailto:tls@example.com', 'https://reports.example.net/tls'],
      is_valid: true,
      validation_errors: [],
      recommendations: [],
    },
    dane: {
      is_authenticated: true,
      hosts: [
        { host: 'mx1.example.com', records: [`3 1 1 ${SHA256}`], is_authenticated: true },
        {
          host: 'mx2.backup.example.net',
          records: [`2 0 2 ${SHA256}${SHA256}`],
          is_authenticated: true,
        },
      ],
      is_valid: true,
      validation_errors: [],
    },
    bimi: {
      found: true,
      raw: 'v=BIMI1; l=https://example.com/mark.svg; a=https://example.com/mark.pem',
      record_domain: 'example.com',
      location: 'https://example.com/mark.svg',
      certificate: 'https://example.com/mark.pem',
      is_valid: true,
      validation_errors: [],
    },
    dnssec: { is_authenticated: true, is_valid: true, validation_errors: [] },
    sender_rules: {
      google: 'met',
      yahoo: 'met',
      microsoft: 'met',
      is_valid: true,
      validation_errors: [],
    },
  };
  assert.deepEqual(transport, want);
  assert.deepEqual(
    requests.map(({ url, addresses }) => [url.href, addresses]),
    [['https://mta-sts.example.com/.well-known/mta-sts.txt', ['9.9.9.11']]],
    'only the public address',
  );
  assert.ok(resolver.queries <= 80, `${resolver.queries} queries`);
});

test('transport: it changes nothing else of the report', async () => {
  const { transport: _, ...rest } = (await transportOf(FULL)).report;
  assert.deepEqual((await examineDomain('example.com', { resolver: zone(FULL) })).report, rest);
});

test('transport: a domain without records is reported as such, and nothing is fetched', async () => {
  const { transport, requests } = await transportOf({
    'example.com': { MX: [[10, 'mx1.example.com']] },
    'mx1.example.com': { A: ['9.9.9.9'] },
  });
  assert.deepEqual(codesOf(transport), {
    mta_sts: ['no_mta_sts_record'],
    tls_rpt: ['no_tls_rpt_record'],
    dane: ['no_tlsa_record'],
    bimi: ['no_bimi_record'],
    dnssec: ['not_authenticated'],
    sender_rules: ['sender_needs_spf', 'sender_needs_dkim', 'sender_needs_dmarc'],
  });
  assert.deepEqual(requests, []);
});

for (const [behaviour, more, state, missing] of [
  ['p=none is enough', { '_dmarc.example.com': { TXT: ['v=DMARC1; p=none'] } }, 'met', []],
  ['a short key is enough', { 's1._domainkey.example.com': { TXT: [KEYS.weak] } }, 'met', []],
  ['no key', { 's1._domainkey.example.com': {} }, 'not_met', ['sender_needs_dkim']],
  ['no policy', { '_dmarc.example.com': {} }, 'not_met', ['sender_needs_dmarc']],
  [
    'a policy that is not in force',
    { '_dmarc.example.com': { TXT: ['v=DMARC1; p=x'] } },
    'not_met',
    ['sender_needs_dmarc'],
  ],
  [
    'an answer that failed',
    { '_dmarc.example.com': { fail: 'timeout' } },
    'unverified',
    ['dns_temporary_failure'],
  ],
  [
    'a failure beside what is missing',
    { '_dmarc.example.com': { fail: 'timeout' }, 's1._domainkey.example.com': {} },
    'not_met',
    ['sender_needs_dkim', 'dns_temporary_failure'],
  ],
  [
    'no mail',
    { 'example.com': { MX: [[0, '.']], TXT: ['v=spf1 -all'] }, 's1._domainkey.example.com': {} },
    'not_applicable',
    [],
  ],
] as const satisfies readonly (readonly [string, ZoneRecords, string, readonly string[]])[])
  test(`transport: rules for bulk senders: ${behaviour}`, async () => {
    const { transport } = await transportOf({ ...FULL, ...more });
    const { google, yahoo, microsoft } = transport.sender_rules;
    assert.deepEqual([google, yahoo, microsoft], [state, state, state]);
    assert.deepEqual(codesOf(transport).sender_rules, missing);
  });

type Part = keyof TransportReport;
const sts = '_mta-sts.example.com';
for (const [behaviour, change, part, want] of [
  [
    'two MTA-STS records',
    { [sts]: { TXT: ['v=STSv1; id=1', 'v=STSv1; id=2'] } },
    'mta_sts',
    'multiple_records',
  ],
  [
    'a version in lower case',
    { [sts]: { TXT: ['v=stsv1; id=1'] } },
    'mta_sts',
    'no_mta_sts_record',
  ],
  ['no id', { [sts]: { TXT: ['v=STSv1;'] } }, 'mta_sts', 'bad_mta_sts_id'],
  [
    'an id with a hyphen',
    { [sts]: { TXT: ['v=STSv1; id=2026-01-01'] } },
    'mta_sts',
    'bad_mta_sts_id',
  ],
  [
    'a record of 17 kB',
    { [sts]: { TXT: [`v=STSv1; id=1; ${'x'.repeat(17_000)}`] } },
    'mta_sts',
    'record_too_long',
  ],
  ['DNS that fails', { [sts]: { fail: 'SERVFAIL' } }, 'mta_sts', 'dns_temporary_failure'],
  [
    'a policy host that is missing',
    { 'mta-sts.example.com': {} },
    'mta_sts',
    'policy_host_missing',
  ],
  [
    'a policy host that is private',
    { 'mta-sts.example.com': { A: ['127.0.0.1'], AAAA: ['fe80::1', '::ffff:10.0.0.1'] } },
    'mta_sts',
    'policy_host_private',
  ],
  [
    'TLS-RPT without rua',
    { '_smtp._tls.example.com': { TXT: ['v=TLSRPTv1;'] } },
    'tls_rpt',
    'no_tls_rpt_uri',
  ],
  [
    'TLS-RPT with http',
    { '_smtp._tls.example.com': { TXT: ['v=TLSRPTv1;rua=http://x.example/'] } },
    'tls_rpt',
    'bad_report_uri',
  ],
  [
    'TLS-RPT that fails',
    { '_smtp._tls.example.com': { fail: 'timeout' } },
    'tls_rpt',
    'dns_temporary_failure',
  ],
  [
    'BIMI that declines',
    { 'default._bimi.example.com': { TXT: ['v=BIMI1; l=; a=;'] } },
    'bimi',
    'bimi_declined',
  ],
  [
    'BIMI over http',
    { 'default._bimi.example.com': { TXT: ['v=BIMI1; l=http://x.example/m.svg'] } },
    'bimi',
    'bad_bimi_uri',
  ],
  [
    'BIMI without enforcement',
    { '_dmarc.example.com': { TXT: ['v=DMARC1; p=none'] } },
    'bimi',
    'bimi_policy_too_weak',
  ],
  [
    'MX that is not authenticated',
    { 'example.com': { MX: [[10, 'mx1.example.com']] } },
    'dane',
    'mx_not_authenticated',
  ],
  [
    'TLSA that is not authenticated',
    { '_25._tcp.mx1.example.com': { TLSA: [`3 1 1 ${SHA256}`] } },
    'dane',
    'tlsa_not_authenticated',
  ],
  [
    'TLSA of the web',
    { '_25._tcp.mx1.example.com': { TLSA: [`1 1 1 ${SHA256}`], isSigned: true } },
    'dane',
    'tlsa_unusable',
  ],
  [
    'TLSA of another length',
    { '_25._tcp.mx1.example.com': { TLSA: [`3 1 2 ${SHA256}`], isSigned: true } },
    'dane',
    'tlsa_unusable',
  ],
  ['a null MX', { 'example.com': { MX: [[0, '.']], isSigned: true } }, 'dane', 'no_mail_host'],
  ['MX that fails', { 'example.com': { fail: 'SERVFAIL' } }, 'dnssec', 'dns_temporary_failure'],
] as const satisfies readonly (readonly [string, ZoneRecords, Part, string])[])
  test(`transport: ${behaviour}`, async () => {
    const { transport } = await transportOf({ ...FULL, ...change });
    assert.deepEqual([codesOf(transport)[part], transport[part].is_valid], [[want], false]);
  });

for (const [behaviour, fetched, want] of [
  [
    'cannot be fetched',
    { kind: 'failed', reason: 'the certificate has expired' },
    ['policy_not_fetched'],
  ],
  ['is HTML', { kind: 'fetched', text: POLICY, contentType: 'text/html' }, ['policy_not_text']],
  [
    'lacks an MX host',
    { kind: 'fetched', text: POLICY.replace('*.', ''), contentType: 'text/plain' },
    ['policy_without_host'],
  ],
  [
    'is for no host',
    { kind: 'fetched', text: POLICY.replaceAll('mx:', 'my:'), contentType: 'text/plain' },
    ['bad_mta_sts_policy'],
  ],
] as const)
  test(`transport: a policy that ${behaviour}`, async () => {
    const { transport } = await transportOf(FULL, fetched);
    assert.deepEqual(codesOf(transport).mta_sts, want);
  });

test('transport: a subdomain has the BIMI record of the registrable domain', async () => {
  const { transport } = await transportOf(FULL, undefined, 'news.example.com');
  assert.deepEqual([transport.bimi.record_domain, transport.bimi.is_valid], ['example.com', true]);
});

test('transport: without MX the domain itself is asked for TLSA', async () => {
  const { transport } = await transportOf({
    'example.com': { A: ['9.9.9.9'], isSigned: true },
    '_25._tcp.example.com': { TLSA: [`3 1 1 ${SHA256}`], isSigned: true },
  });
  assert.deepEqual([transport.dane.hosts[0]?.host, transport.dane.is_valid], ['example.com', true]);
});

test('transport: whatever the zone contains, the part is small', async () => {
  const junk = '\x01'.repeat(16_000);
  const hosts = Array.from({ length: 3_000 }, (_, i) => [10, `mx${i}.example.com`] as const);
  const { transport } = await transportOf(
    {
      'example.com': { MX: hosts },
      '*.example.com': {
        A: ['9.9.9.9'],
        TLSA: Array.from({ length: 50 }, () => `9 9 9 ${'ff'.repeat(2_000)}`),
      },
      [sts]: { TXT: ['v=STSv1; id=1'] },
      'mta-sts.example.com': { A: ['9.9.9.9'] },
      '_smtp._tls.example.com': { TXT: [`v=TLSRPTv1; rua=${junk}`] },
      'default._bimi.example.com': { TXT: [`v=BIMI1; l=${junk}`] },
    },
    {
      kind: 'fetched',
      text: 'mx: \x01\n'.repeat(10_000) + 'mx: a.example\n'.repeat(5_000),
      contentType: junk,
    },
  );
  const bytes = Buffer.byteLength(JSON.stringify(transport));
  assert.ok(bytes < 64 * 1024, `${bytes} bytes`);
});

test('transport: whatever is published and fetched, valid means without errors', async () => {
  const junk = fc.string({ unit: 'binary-ascii', maxLength: 80 });
  const after = (head: string) =>
    fc.oneof(
      junk,
      junk.map((text) => head + text),
    );
  const published = fc.record({
    sts: after('v=STSv1; '),
    rpt: after('v=TLSRPTv1; rua='),
    bimi: after('v=BIMI1; l='),
    tlsa: after('3 1 1 '),
    policy: after('version: STSv1\n'),
    type: junk,
  });
  await fc.assert(
    fc.asyncProperty(published, async ({ sts: record, rpt, bimi, tlsa, policy, type }) => {
      const { transport } = await transportOf(
        {
          ...FULL,
          [sts]: { TXT: [record] },
          '_smtp._tls.example.com': { TXT: [rpt] },
          'default._bimi.example.com': { TXT: [bimi] },
          '_25._tcp.mx1.example.com': { TLSA: [tlsa], isSigned: true },
        },
        { kind: 'fetched', text: policy, contentType: type },
      );
      for (const { is_valid, validation_errors } of Object.values(transport)) {
        assert.equal(is_valid, validation_errors.length === 0);
        for (const error of validation_errors) assert.match(error, /^[a-z_]+: [\P{C}]+$/u);
      }
    }),
    { numRuns: 200 },
  );
});

function codesOf(transport: TransportReport): Record<Part, string[]> {
  const codes = Object.entries(transport).map(([part, { validation_errors }]) => [
    part,
    validation_errors.map((error) => error.slice(0, error.indexOf(':'))),
  ]);
  return Object.fromEntries(codes);
}

const BARE: ZoneRecords = {
  'example.com': {
    MX: [
      [10, 'mx1.example.com'],
      [20, 'mx2.backup.example.net'],
    ],
  },
  'mx1.example.com': { A: ['9.9.9.9'] },
  'mx2.backup.example.net': { A: ['9.9.9.10'] },
};

test('transport: what is missing comes with records and a policy to paste', async () => {
  const { transport } = await transportOf(BARE);
  const [report] = transport.tls_rpt.recommendations;
  assert.equal(
    report?.record,
    '_smtp._tls.example.com. IN TXT "v=TLSRPTv1; rua=mailto:tls-reports@example.com"',
  );
  const [policy] = transport.mta_sts.recommendations;
  assert.match(
    policy?.record ?? '',
    /^_mta-sts\.example\.com\. IN TXT "v=STSv1; id=[0-9a-f]{16}"$/,
  );
  assert.equal(policy?.file_url, 'https://mta-sts.example.com/.well-known/mta-sts.txt');
  const { mode, mx, errors } = parseMtaStsPolicy(policy?.file ?? '');
  assert.deepEqual(
    [mode, mx, errors],
    ['testing', ['mx1.example.com', 'mx2.backup.example.net'], []],
  );
});

for (const [behaviour, records, said] of [
  [
    'neither MTA-STS nor DANE',
    BARE,
    /^Senders deliver to example\.com without checking certificates/,
  ],
  [
    'DANE',
    { ...FULL, '_mta-sts.example.com': {} },
    /^Senders that do not use DANE deliver to example\.com without/,
  ],
  [
    'DANE for one host of two',
    { ...FULL, '_mta-sts.example.com': {}, '_25._tcp.mx1.example.com': {} },
    /^Senders deliver to example\.com without/,
  ],
] as const)
  test(`transport: certificates with ${behaviour}`, async () => {
    const { transport } = await transportOf(records);
    assert.match(transport.mta_sts.recommendations[0]?.text ?? '', said);
  });

for (const [behaviour, policy, text, mode] of [
  ['testing', POLICY.replace('enforce', 'testing'), /testing mode/, 'enforce'],
  ['none', POLICY.replace('enforce', 'none'), /switched off/, 'testing'],
  ['a short max_age', POLICY.replace('604800', '3600'), /after 3600 s/, 'enforce'],
  [
    'a host that is not named',
    POLICY.replace('mx: mx1.example.com', 'mx: mx9.example.com'),
    /every MX host/,
    'enforce',
  ],
] as const)
  test(`transport: advice on a policy with ${behaviour}`, async () => {
    const fetched = { kind: 'fetched', text: policy, contentType: 'text/plain' } as const;
    const { transport } = await transportOf(FULL, fetched);
    const [first, ...others] = transport.mta_sts.recommendations;
    assert.deepEqual(others, []);
    assert.match(first?.text ?? '', text);
    assert.equal(parseMtaStsPolicy(first?.file ?? '').mode, mode);
    assert.notEqual(first?.record.includes('20260101T000000'), true);
  });

for (const [behaviour, records] of [
  ['a domain that takes no mail', { 'example.com': { MX: [[0, '.']], TXT: ['v=spf1 -all'] } }],
  ['a name for the web only', { 'example.com': { A: ['9.9.9.9'] } }],
] as const satisfies readonly (readonly [string, ZoneRecords])[])
  test(`transport: no advice for ${behaviour}`, async () => {
    const { transport } = await transportOf(records);
    assert.deepEqual(
      [transport.mta_sts.recommendations, transport.tls_rpt.recommendations],
      [[], []],
    );
  });

test('transport: no record where a wildcard answers for the domain, or at an alias', async () => {
  const wildcard = {
    ...BARE,
    '*.example.com': { MX: [[10, 'mx1.example.com']] },
  } as const satisfies ZoneRecords;
  const shop = (await transportOf(wildcard, undefined, 'shop.example.com')).transport;
  assert.equal(shop.tls_rpt.recommendations[0]?.record, '');
  const aliased = { ...BARE, '_smtp._tls.example.com': { CNAME: 'gone.example.net' } };
  assert.equal((await transportOf(aliased)).transport.tls_rpt.recommendations[0]?.record, '');
});

test('transport: a domain that takes no mail lacks neither MTA-STS nor TLS-RPT', async () => {
  const { transport } = await transportOf({
    'example.com': { MX: [[0, '.']], TXT: ['v=spf1 -all'] },
  });
  const { mta_sts, tls_rpt, dane } = codesOf(transport);
  assert.deepEqual(
    [mta_sts, tls_rpt, dane],
    [['no_mail_host'], ['no_mail_host'], ['no_mail_host']],
  );
});
