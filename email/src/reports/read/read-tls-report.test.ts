/** What is read as a TLS report (RFC 8460), in any packing, and what is refused. */
import assert from 'node:assert/strict';

import test from 'node:test';
import { gzipSync } from 'node:zlib';
import { type FoundReport, readReports } from './read-reports.ts';

const DETAIL = {
  'result-type': 'certificate-expired',
  'sending-mta-ip': '192.0.2.1',
  'receiving-mx-hostname': 'MX1.Example.com.',
  'failed-session-count': 3,
};
const STS = {
  policy: {
    'policy-type': 'sts',
    'policy-string': ['version: STSv1', 'mode: testing'],
    'policy-domain': 'Example.com',
    'mx-host': ['*.example.com'],
  },
  summary: { 'total-successful-session-count': 40, 'total-failure-session-count': 3 },
  'failure-details': [DETAIL],
};
const REPORT = {
  'organization-name': 'Example Inc.',
  'date-range': {
    'start-datetime': '2026-11-10T00:00:00Z',
    'end-datetime': '2026-11-10T23:59:59Z',
  },
  'contact-info': 'mailto:tls@Example.net',
  'report-id': '1',
  policies: [STS],
};
const tlsa = (domain: string, detail: object = {}) => ({
  policy: { 'policy-type': 'tlsa', 'policy-domain': domain },
  summary: { 'total-successful-session-count': 1 },
  'failure-details': [{ ...DETAIL, ...detail }],
});
const withPolicies = (...policies: readonly unknown[]) => ({ ...REPORT, policies });
const withDetail = (detail: object) =>
  withPolicies({ ...STS, 'failure-details': [{ ...DETAIL, ...detail }] });
const withSummary = (summary: object) => withPolicies({ ...STS, summary });
const withDates = (start: unknown, end: unknown) => ({
  ...REPORT,
  'date-range': { 'start-datetime': start, 'end-datetime': end },
});

async function read(content: string | Buffer, name = 'input'): Promise<FoundReport[]> {
  const found: FoundReport[] = [];
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  for await (const one of readReports(name, bytes)) found.push(one);
  return found;
}

/** The domain and its sums, or why it is not read. */
function outcome([found, ...others]: readonly FoundReport[]): string {
  assert.deepEqual(others, []);
  if (found?.kind === 'not_read') return found.code;
  assert.equal(found?.kind, 'tls_report');
  const { domain, sums } = found.report;
  const texts = sums.map(({ policy, host, result, sessions }) =>
    [policy, host, result, sessions].filter((one) => one !== '').join(' '),
  );
  return `${domain}: ${texts.join(', ')}`;
}

test('TLS reports: everything that a report says is read', async () => {
  const [found] = await read(JSON.stringify(REPORT));
  assert.equal(found?.kind, 'tls_report');
  assert.deepEqual(found.report, {
    reporter: 'Example Inc.',
    reporterEmail: 'tls@example.net',
    reportId: '1',
    domain: 'example.com',
    begin: 1_794_268_800,
    end: 1_794_355_199,
    sums: [
      { policy: 'sts', host: 'mx1.example.com', result: 'certificate-expired', sessions: 3 },
      { policy: 'sts', host: '', result: 'success', sessions: 40 },
    ],
  });
});

const PLAIN = 'example.com: sts mx1.example.com certificate-expired 3, sts success 40';
const many = (length: number, one: object) => Array.from({ length }, () => one);
const mail = (content: Buffer, type: string) =>
  `From: tls@example.net\r\nMIME-Version: 1.0\r\nContent-Type: ${type}\r\nContent-Disposition: attachment; filename="a!example.com!1!2.json.gz"\r\nContent-Transfer-Encoding: base64\r\n\r\n${content.toString('base64')}\r\n`;
const text = JSON.stringify(REPORT);

for (const [behaviour, content, want, name] of [
  ['JSON', text, PLAIN],
  ['a byte order mark', `\ufeff${text}`, PLAIN],
  ['NUL bytes after it', `${text}\0\0`, PLAIN],
  ['gzip', gzipSync(text), PLAIN],
  ['a message', mail(Buffer.from(text), 'application/tlsrpt+json'), PLAIN],
  ['a message with gzip', mail(gzipSync(text), 'application/tlsrpt+gzip'), PLAIN],
  [
    'the same twice is added up',
    withPolicies(STS, STS),
    'example.com: sts mx1.example.com certificate-expired 6, sts success 80',
  ],
  [
    'failures without details',
    withPolicies({ ...STS, 'failure-details': [] }),
    'example.com: sts success 40, sts other 3',
  ],
  ['no summary', withPolicies({ policy: STS.policy }), 'example.com: '],
  [
    'a failure of an unknown kind',
    withDetail({ 'result-type': 'x'.repeat(2_000) }),
    'example.com: sts mx1.example.com other 3, sts success 40',
  ],
  [
    'a host that is none',
    withDetail({ 'receiving-mx-hostname': '<script>' }),
    'example.com: sts certificate-expired 3, sts success 40',
  ],
  [
    'a host that is a number',
    withDetail({ 'receiving-mx-hostname': 7 }),
    'example.com: sts certificate-expired 3, sts success 40',
  ],
  [
    'DANE, named after its host, in a file that names the domain',
    withPolicies(tlsa('mx1.example.net')),
    'example.com: tlsa mx1.example.com certificate-expired 3, tlsa success 1',
    'reports/google.com!example.com!1794268800!1794355199!1.json',
  ],
  [
    'DANE in a file without a name',
    withPolicies(tlsa('example.com')),
    'example.com: tlsa mx1.example.com certificate-expired 3, tlsa success 1',
  ],
  ['the policy, whatever the file is called', REPORT, PLAIN, 'google.com!example.org!1!2.json'],
  [
    'policies of two domains',
    withPolicies(STS, { ...STS, policy: { ...STS.policy, 'policy-domain': 'example.org' } }),
    'several_domains',
  ],
  [
    'a domain that is none',
    withPolicies({ ...STS, policy: { ...STS.policy, 'policy-domain': 'a b' } }),
    'bad_domain',
  ],
  ['no domain', withPolicies({ policy: { 'policy-type': 'sts' } }), 'bad_domain'],
  ['another type of policy', withPolicies({ policy: { 'policy-type': 'x' } }), 'bad_policy_type'],
  ['policies that are none', { ...REPORT, policies: {} }, 'no_policies'],
  ['no policy', withPolicies(), 'no_policies'],
  ['policies that are numbers', withPolicies(1, null), 'bad_policy_type'],
  ['1,001 policies', withPolicies(...many(1_001, { policy: STS.policy })), 'too_many_policies'],
  [
    '10,001 failures',
    withPolicies({ ...STS, 'failure-details': many(10_001, DETAIL) }),
    'too_many_policies',
  ],
  ['a negative number', withDetail({ 'failed-session-count': -1 }), 'bad_sessions'],
  ['1e308', withSummary({ 'total-successful-session-count': 1e308 }), 'bad_sessions'],
  ['half a session', withSummary({ 'total-failure-session-count': 0.5 }), 'bad_sessions'],
  ['a number as text', withDetail({ 'failed-session-count': '3' }), 'bad_sessions'],
  ['no dates', { ...REPORT, 'date-range': [] }, 'bad_period'],
  ['dates that are numbers', withDates(1, 2), 'bad_period'],
  [
    'an end before the beginning',
    withDates('2026-11-10T00:00:00Z', '2026-11-09T00:00:00Z'),
    'bad_period',
  ],
  ['JSON that is cut', text.slice(0, -9), 'broken_json'],
  ['lists in lists', `{"policies":${'['.repeat(1_000_000)}`, 'nested_json'],
  ['brackets in a text', { ...REPORT, 'report-id': '[{'.repeat(100) }, PLAIN],
  ['5 MiB', `${text}${' '.repeat(5 << 20)}`, 'large_tls_report'],
  ['a bomb', gzipSync(`{"policies":[${' '.repeat(100 << 20)}`), 'large_tls_report'],
] as readonly [string, string | Buffer | object, string, string?][])
  test(`TLS reports: ${behaviour}: ${want.slice(0, 60)}`, async () => {
    const bytes =
      typeof content === 'string' || Buffer.isBuffer(content) ? content : JSON.stringify(content);
    assert.equal(outcome(await read(bytes, name)), want);
  });

test('TLS reports: hosts beyond 200 count as not named', async () => {
  const details = Array.from({ length: 300 }, (_, i) => ({
    ...DETAIL,
    'receiving-mx-hostname': `mx${i}.example.com`,
  }));
  const [found] = await read(JSON.stringify(withPolicies({ ...STS, 'failure-details': details })));
  assert.equal(found?.kind, 'tls_report');
  const failed = found.report.sums.filter(({ result }) => result === 'certificate-expired');
  assert.deepEqual([failed.length, failed.find(({ host }) => host === '')?.sessions], [201, 300]);
});
