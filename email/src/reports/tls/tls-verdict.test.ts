/** Verdicts on domains whose TLS is known: what is true of each stands first. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { dayAfter } from '../judge/verdict.ts';
import type { TlsSum } from '../tls-report.ts';
import { judgeTls, type SeenTls, type SeenTlsSum, type TlsZone } from './tls-verdict.ts';
import { explainTlsReason } from './tls-verdict-text.ts';

const TODAY = '2026-11-17';
const TESTING: TlsZone = {
  hosts: ['mx1.example.com', 'mx2.example.com'],
  mode: 'testing',
  unnamedHosts: [],
  hasDane: false,
};
const NO_POLICY: TlsZone = { ...TESTING, mode: '' };
const ENFORCED: TlsZone = { ...TESTING, mode: 'enforce' };
const DANE: TlsZone = { ...NO_POLICY, hasDane: true };

/** Sessions of each day, from and to so many days ago. */
type Stream = Partial<TlsSum> & {
  readonly days?: readonly [first: number, last: number];
  readonly reporter?: string;
};
function seenOf(streams: readonly Stream[], more: Partial<SeenTls> = {}): SeenTls {
  const sums = streams.flatMap(
    ({ days: [first, last] = [30, 1], reporter = 'google.com', ...sum }): SeenTlsSum[] =>
      Array.from({ length: first - last + 1 }, (_, i) => ({
        day: dayAfter(TODAY, i - first),
        reporter,
        policy: 'sts',
        host: '',
        result: 'success',
        sessions: 1_000,
        ...sum,
      })),
  );
  return { reports: sums.length, unusable: 0, unproven: [], sums, ...more };
}

const GOOD: Stream = {};
const failing = (result: TlsSum['result'], more: Stream = {}): Stream => ({
  host: 'mx1.example.com',
  result,
  sessions: 10,
  days: [5, 1],
  ...more,
});
const EXPIRED = failing('certificate-expired');
const STRANGER = { reporter: 'example.net' };

type Case = readonly [
  truth: string,
  zone: TlsZone,
  streams: readonly Stream[],
  answer: string,
  /** Codes of the reasons. */
  reasons: readonly string[],
];
const CASES: readonly Case[] = [
  [
    'the policy leaves out an MX host',
    { ...TESTING, unnamedHosts: ['mx2.example.com'] },
    [GOOD],
    'no',
    ['host_not_named'],
  ],
  ['all hosts are right, in testing', TESTING, [GOOD], 'yes', []],
  ['all hosts are right, in enforce', ENFORCED, [GOOD], 'yes', []],
  ['all hosts are right, with DANE', DANE, [{ policy: 'tlsa' }], 'yes', []],
  ['the certificate of a host has expired', TESTING, [GOOD, EXPIRED], 'no', ['host_fails']],
  [
    'a certificate is for another name',
    TESTING,
    [GOOD, failing('certificate-host-mismatch')],
    'no',
    ['host_fails'],
  ],
  [
    'a certificate is self-signed',
    TESTING,
    [GOOD, failing('certificate-not-trusted')],
    'no',
    ['host_fails'],
  ],
  [
    'a host has no STARTTLS',
    ENFORCED,
    [GOOD, failing('starttls-not-supported')],
    'no',
    ['host_fails'],
  ],
  [
    'TLS of a host fails for another reason',
    TESTING,
    [GOOD, failing('validation-failure')],
    'no',
    ['host_fails'],
  ],
  [
    'TLSA was not changed with the certificate',
    DANE,
    [{ policy: 'tlsa' }, failing('tlsa-invalid', { policy: 'tlsa' })],
    'no',
    ['host_fails'],
  ],
  [
    'the zone of a host is signed wrongly',
    DANE,
    [{ policy: 'tlsa' }, failing('dnssec-invalid', { policy: 'tlsa' })],
    'no',
    ['host_fails'],
  ],
  [
    'both hosts fail, one in two ways',
    TESTING,
    [
      GOOD,
      EXPIRED,
      failing('validation-failure', { sessions: 1 }),
      failing('starttls-not-supported', { host: 'mx2.example.com' }),
    ],
    'no',
    ['host_fails', 'host_fails', 'host_fails'],
  ],
  [
    'a small domain: two of its few sessions fail',
    TESTING,
    [{ sessions: 3 }, failing('certificate-expired', { sessions: 1, days: [2, 1] })],
    'no',
    ['host_fails'],
  ],
  [
    'six sessions of a million fail on two days',
    TESTING,
    [{ sessions: 100_000 }, failing('validation-failure', { sessions: 3, days: [2, 1] })],
    'no',
    ['host_fails'],
  ],
  [
    'five sessions of a million fail on two days',
    TESTING,
    [
      { sessions: 100_000 },
      failing('validation-failure', { sessions: 3, days: [2, 2] }),
      failing('validation-failure', { sessions: 2, days: [1, 1] }),
    ],
    'yes',
    ['few_failures'],
  ],
  [
    'a host failed on one day only',
    TESTING,
    [GOOD, failing('certificate-expired', { days: [3, 3] })],
    'yes',
    ['few_failures'],
  ],
  [
    'a host was repaired three weeks ago',
    TESTING,
    [GOOD, failing('certificate-expired', { days: [30, 20] })],
    'yes',
    [],
  ],
  [
    'a host that failed is no MX host today',
    TESTING,
    [GOOD, failing('certificate-expired', { host: 'old.example.com' })],
    'yes',
    ['former_host'],
  ],
  [
    'it fails, and it is not known yet for how long',
    TESTING,
    [{ days: [4, 1] }, EXPIRED],
    'no',
    ['host_fails', 'too_few_days'],
  ],
  ['the policy is new', TESTING, [{ days: [9, 1] }], 'not_enough', ['too_few_days']],
  [
    'the policy is two weeks old',
    TESTING,
    [{ policy: 'no-policy-found', days: [30, 15] }, { days: [14, 1] }],
    'yes',
    [],
  ],
  [
    'only a small receiver reports',
    TESTING,
    [{ ...GOOD, ...STRANGER }],
    'not_enough',
    ['no_large_receiver'],
  ],
  [
    'large receivers have fallen silent',
    TESTING,
    [{ days: [34, 16] }, { ...GOOD, ...STRANGER }],
    'not_enough',
    ['no_recent_reports'],
  ],
  [
    'a stranger invents failures',
    TESTING,
    [GOOD, { ...EXPIRED, ...STRANGER }],
    'not_enough',
    ['other_reporters_only'],
  ],
  [
    'a stranger invents successes',
    TESTING,
    [
      GOOD,
      failing('certificate-expired', { sessions: 2, days: [3, 1] }),
      { ...STRANGER, sessions: 1_000_000 },
    ],
    'no',
    ['host_fails'],
  ],
  [
    'the web server of the policy is down',
    TESTING,
    [GOOD, failing('sts-policy-fetch-error', { host: '' })],
    'not_enough',
    ['policy_error'],
  ],
  [
    'the policy cannot be read',
    TESTING,
    [GOOD, failing('sts-policy-invalid', { host: '' })],
    'not_enough',
    ['policy_error'],
  ],
  [
    'the web server of the policy has an expired certificate',
    TESTING,
    [GOOD, failing('sts-webpki-invalid', { host: '' })],
    'not_enough',
    ['policy_error'],
  ],
  [
    'a stranger hides that the policy cannot be fetched',
    TESTING,
    [
      GOOD,
      failing('sts-policy-fetch-error', { host: '', sessions: 2, days: [3, 1] }),
      { ...STRANGER, sessions: 1_000_000 },
    ],
    'not_enough',
    ['policy_error'],
  ],
  [
    'the policy could not be fetched once',
    TESTING,
    [GOOD, failing('sts-policy-fetch-error', { host: '', days: [3, 3] })],
    'yes',
    [],
  ],
  [
    'it fails at a host that the reports do not name',
    TESTING,
    [GOOD, failing('certificate-expired', { host: '' })],
    'not_enough',
    ['unexplained'],
  ],
  [
    'it fails for a reason that the reports do not say',
    TESTING,
    [GOOD, failing('other')],
    'not_enough',
    ['unexplained'],
  ],
  [
    'a sender insists on DANE, which there is not',
    TESTING,
    [GOOD, failing('dane-required')],
    'yes',
    [],
  ],
  ['there is no policy', NO_POLICY, [{ policy: 'no-policy-found' }], 'not_enough', ['no_policy']],
  ['the policy is gone', NO_POLICY, [GOOD], 'not_enough', ['no_policy']],
  [
    'the policy was published yesterday',
    TESTING,
    [{ policy: 'no-policy-found' }],
    'not_enough',
    ['policy_not_seen'],
  ],
  [
    'there is no policy, and a host without STARTTLS',
    NO_POLICY,
    [
      { policy: 'no-policy-found' },
      failing('starttls-not-supported', { policy: 'no-policy-found' }),
    ],
    'no',
    ['host_fails', 'no_policy'],
  ],
  [
    'DANE alone says nothing about a policy in testing',
    { ...TESTING, hasDane: true },
    [{ policy: 'tlsa' }],
    'not_enough',
    ['policy_not_seen'],
  ],
  ['no report has arrived', TESTING, [], 'not_enough', ['no_reports']],
  [
    'DNS does not answer',
    { ...TESTING, hosts: undefined },
    [GOOD],
    'not_enough',
    ['mx_unverified'],
  ],
  [
    'two receivers each see one day of failures, three sessions each',
    TESTING,
    [
      { sessions: 100_000 },
      failing('validation-failure', { sessions: 3, days: [6, 6] }),
      failing('validation-failure', { sessions: 3, days: [3, 3], reporter: 'microsoft.com' }),
    ],
    'no',
    ['host_fails'],
  ],
  [
    'both hosts fail a little, and neither enough',
    TESTING,
    [
      failing('validation-failure', { sessions: 1, days: [3, 1] }),
      failing('validation-failure', { sessions: 1, days: [3, 1], host: 'mx2.example.com' }),
      GOOD,
    ],
    'yes',
    ['few_failures', 'few_failures'],
  ],
  [
    'the last failure but one was 14 days ago',
    TESTING,
    [
      GOOD,
      failing('certificate-expired', { days: [14, 14] }),
      failing('certificate-expired', { days: [1, 1] }),
    ],
    'yes',
    ['few_failures'],
  ],
  [
    'the last failure but one was 13 days ago',
    TESTING,
    [
      GOOD,
      failing('certificate-expired', { days: [13, 13] }),
      failing('certificate-expired', { days: [1, 1] }),
    ],
    'no',
    ['host_fails'],
  ],
  [
    'DNS does not answer, and a host fails',
    { ...TESTING, hosts: undefined },
    [GOOD, EXPIRED],
    'no',
    ['host_fails', 'mx_unverified'],
  ],
  [
    'an enforced policy leaves out an MX host',
    { ...ENFORCED, unnamedHosts: ['mx2.example.com'] },
    [GOOD],
    'no',
    ['host_not_named'],
  ],
  [
    'DANE, and no receiver that uses it reports',
    DANE,
    [{ policy: 'no-policy-found' }],
    'not_enough',
    ['policy_not_seen'],
  ],
  ['DANE is a week old', DANE, [{ policy: 'tlsa', days: [7, 1] }], 'not_enough', ['too_few_days']],
  ['DANE beside a policy of mode none', { ...DANE, mode: 'none' }, [{ policy: 'tlsa' }], 'yes', []],
  ['a policy of mode none', { ...NO_POLICY, mode: 'none' }, [GOOD], 'not_enough', ['no_policy']],
  [
    'a stranger invents that the policy cannot be fetched',
    TESTING,
    [GOOD, failing('sts-policy-fetch-error', { host: '', ...STRANGER })],
    'not_enough',
    ['policy_error'],
  ],
  [
    'a stranger reports backwards, the first large receiver three days',
    TESTING,
    [{ days: [3, 1] }, { ...GOOD, ...STRANGER }],
    'not_enough',
    ['too_few_days'],
  ],
  [
    'a stranger and a large receiver see the same host fail',
    TESTING,
    [GOOD, EXPIRED, { ...EXPIRED, ...STRANGER }],
    'no',
    ['host_fails'],
  ],
  [
    'a stranger sees one host fail, a large receiver the other',
    TESTING,
    [GOOD, EXPIRED, { ...EXPIRED, ...STRANGER, host: 'mx2.example.com' }],
    'no',
    ['host_fails', 'other_reporters_only'],
  ],
  [
    'a host that was repaired yesterday still counts',
    TESTING,
    [GOOD, failing('starttls-not-supported', { days: [9, 2] })],
    'no',
    ['host_fails'],
  ],
  [
    'the domain has moved, and only its former hosts fail',
    { ...TESTING, hosts: ['in.example.org'] },
    [GOOD, EXPIRED, failing('starttls-not-supported', { host: 'mx2.example.com' })],
    'yes',
    ['former_host', 'former_host'],
  ],
  ['the domain takes no mail', { ...TESTING, hosts: [] }, [GOOD], 'not_enough', ['no_mail']],
  [
    'DANE is right, and senders that kept a former policy distrust the certificate',
    DANE,
    [{ policy: 'tlsa' }, failing('certificate-not-trusted')],
    'yes',
    [],
  ],
  [
    'DANE is right, and a former policy cannot be fetched',
    DANE,
    [{ policy: 'tlsa' }, failing('sts-policy-fetch-error', { host: '' })],
    'yes',
    [],
  ],
  [
    'a host with DANE has no STARTTLS',
    DANE,
    [{ policy: 'tlsa' }, failing('starttls-not-supported', { policy: 'no-policy-found' })],
    'no',
    ['host_fails'],
  ],
  [
    'TLSA does not match, beside a policy in testing',
    { ...TESTING, hasDane: true },
    [GOOD, failing('tlsa-invalid', { policy: 'tlsa' })],
    'no',
    ['host_fails'],
  ],
  [
    'the backup host alone has a wrong name',
    TESTING,
    [GOOD, failing('certificate-host-mismatch', { host: 'mx2.example.com' })],
    'no',
    ['host_fails'],
  ],
  [
    'more than a thousandth fails',
    TESTING,
    [{ sessions: 140 }, failing('certificate-expired', { sessions: 1, days: [3, 2] })],
    'no',
    ['host_fails'],
  ],
  [
    'less than a thousandth fails',
    TESTING,
    [{ sessions: 200 }, failing('certificate-expired', { sessions: 1, days: [3, 2] })],
    'yes',
    ['few_failures'],
  ],
  ['only Microsoft reports', TESTING, [{ reporter: 'microsoft.com' }], 'yes', []],
  [
    'a large receiver and a stranger each see one day of failures',
    TESTING,
    [
      GOOD,
      failing('certificate-expired', { days: [3, 3] }),
      failing('certificate-expired', { days: [5, 5], ...STRANGER }),
    ],
    'not_enough',
    ['other_reporters_only'],
  ],
  [
    'the policy went and came back',
    TESTING,
    [{ days: [30, 20] }, { policy: 'no-policy-found', days: [19, 8] }, { days: [7, 1] }],
    'yes',
    [],
  ],
  [
    'the policy cannot be read, and a host fails',
    TESTING,
    [GOOD, failing('sts-policy-invalid', { host: '' }), EXPIRED],
    'no',
    ['host_fails', 'policy_error'],
  ],
];

for (const [truth, zone, streams, answer, reasons] of CASES)
  test(`TLS verdict: ${truth}: ${answer}`, () => {
    const verdict = judgeTls(zone, seenOf(streams), TODAY);
    assert.deepEqual(
      [verdict.answer, verdict.reasons.map(({ code }) => code)],
      [answer, reasons],
      JSON.stringify(verdict, null, 1),
    );
    for (const reason of verdict.reasons)
      assert.doesNotMatch(explainTlsReason(reason), /undefined/);
  });

test('TLS verdict: it names host, last failure, what to do, and when a failure ends to count', () => {
  const verdict = judgeTls(TESTING, seenOf([GOOD, EXPIRED]), TODAY);
  assert.equal(
    verdict.text,
    'MTA-STS must not be set to enforce: mx1.example.com failed in 50 sessions on 5 days, last on 2026-11-16: its certificate had expired; renew the certificate of mx1.example.com; without more failures this ends on 2026-11-29',
  );
  assert.equal(
    judgeTls(TESTING, seenOf([GOOD]), TODAY).text,
    'MTA-STS may be set to enforce: reports of 30 days show 30,000 sessions without a failure',
  );
  const failing50 = seenOf([GOOD, EXPIRED]);
  const on = (day: string) => judgeTls(TESTING, failing50, day).answer;
  assert.deepEqual([on('2026-11-28'), on('2026-11-29')], ['no', 'yes']);
});

test('TLS verdict: what is not used is mentioned', () => {
  const seen = seenOf([GOOD], { unusable: 2, unproven: [{ reason: 'not_signed', reports: 3 }] });
  const { answer, reasons } = judgeTls(TESTING, seen, TODAY);
  assert.deepEqual(
    [answer, reasons.map(({ code }) => code)],
    ['yes', ['unproven_reports', 'unusable_reports']],
  );
});
