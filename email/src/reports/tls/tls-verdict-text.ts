/**
 * Whether receivers may insist on TLS, as sentences. Hosts come from reports: callers make them
 * visible.
 */
import type { Fact } from '../../findings/sentences.ts';
import type { VerdictAnswer } from '../judge/asked-policy.ts';
import { countOf, groupDigits, REASONS } from '../judge/verdict-text.ts';
import type { HostFailure, PolicyFailure, TlsFailure } from '../tls-report.ts';

/**
 * `enforce`: MTA-STS may be set to it; `keep_enforce` and `keep_dane`: what is published may stay.
 */
export const TLS_QUESTIONS = ['enforce', 'keep_enforce', 'keep_dane'] as const;
export type TlsQuestion = (typeof TLS_QUESTIONS)[number];

export const sessionCount = (sessions: number) => countOf(sessions, 'session');

/** What failed, and what to do about it. */
const FAILURES: Readonly<
  Record<HostFailure, { readonly what: string; readonly act: (host: string) => string }>
> = {
  'starttls-not-supported': {
    what: 'it did not offer STARTTLS',
    act: (host) => `switch STARTTLS on at ${host}, and look for a firewall that removes it`,
  },
  'certificate-expired': {
    what: 'its certificate had expired',
    act: (host) => `renew the certificate of ${host}`,
  },
  'certificate-host-mismatch': {
    what: 'its certificate was for other names',
    act: (host) => `give ${host} a certificate for its own name`,
  },
  'certificate-not-trusted': {
    what: 'its certificate was not trusted',
    act: (host) => `give ${host} a certificate of a public authority, with all intermediate ones`,
  },
  'validation-failure': {
    what: 'TLS failed',
    act: (host) => `look at what ${host} presents on port 25`,
  },
  'tlsa-invalid': {
    what: 'its TLSA record did not match its certificate',
    act: (host) => `publish the TLSA record of its present certificate at _25._tcp.${host}`,
  },
  'dnssec-invalid': {
    what: 'DNSSEC did not validate',
    act: (host) => `repair the signatures of the zone of ${host}`,
  },
};

const POLICY_ACTS: Readonly<Record<PolicyFailure, string>> = {
  'sts-policy-fetch-error': 'could not fetch the policy: let the web server of mta-sts. answer',
  'sts-policy-invalid': 'could not read the policy: repair its text',
  'sts-webpki-invalid':
    'did not trust the web server of the policy: give mta-sts. a valid certificate',
};

/** Sessions of the last 14 days, and when they were seen. */
type FailureFact = { sessions: number; days: number; last_failed: string };
type HostFact = FailureFact & { host: string; result: HostFailure };

const at = (host: string) => (host === '' ? 'a host that is not named' : host);
const seenText = ({ sessions, days, last_failed }: FailureFact) =>
  `${sessionCount(sessions)} on ${days === 1 ? '1 day' : `${days} days`}, last on ${last_failed}`;

/** By code: the sentence, and with it what the reason has. */
export const TLS_REASONS = {
  host_fails: (fact: HostFact & { clear_on: string }) =>
    `${at(fact.host)} failed in ${seenText(fact)}: ${FAILURES[fact.result].what}; ${FAILURES[fact.result].act(fact.host)}; without more failures this ends on ${fact.clear_on}`,
  host_not_named: ({ host }: { host: string }) =>
    `the policy does not name ${host}, which is an MX host: publish it with all of them first`,
  other_reporters_only: (fact: HostFact & { reporters: string }) =>
    `${at(fact.host)} failed in ${seenText(fact)} by what only ${fact.reporters} reports, and no large receiver (${FAILURES[fact.result].what}): ${FAILURES[fact.result].act(fact.host)}, or wait`,
  unexplained: (fact: FailureFact & { result: TlsFailure }) =>
    `${seenText(fact)} failed, and the reports do not say at which host or why (${fact.result})`,
  policy_error: (fact: FailureFact & { result: PolicyFailure }) =>
    `in ${seenText(fact)}, senders ${POLICY_ACTS[fact.result]}; the hosts were not judged then`,
  no_reports: () => 'no proven TLS report has arrived for this time',
  no_mail: () => 'the domain takes no mail',
  mx_unverified: () => 'DNS did not answer for the MX records, so that hosts cannot be compared',
  no_policy: () =>
    'no MTA-STS policy can be read today: publish it in testing first, and wait for reports about it',
  policy_not_seen: () => 'no report is about the policy that is published yet',
  too_few_days: ({ days, needed, known_on }: { days: number; needed: number; known_on: string }) =>
    `reports about the policy cover ${days} of ${needed} days; if they go on, the answer is known on ${known_on}`,
  no_large_receiver: () =>
    'none of the large receivers (Google, Microsoft and others) has reported about the policy',
  no_recent_reports: ({ day }: { day: string }) =>
    `no large receiver has reported about the policy since ${day}`,
  few_failures: (fact: HostFact) =>
    `too few to count: ${at(fact.host)} failed in ${seenText(fact)} (${FAILURES[fact.result].what})`,
  former_host: (fact: HostFact) =>
    `not counted: ${fact.host}, which is no MX host today, failed in ${seenText(fact)}`,
  unproven_reports: REASONS.unproven_reports,
  unusable_reports: REASONS.unusable_reports,
};

export type TlsFact = Fact<typeof TLS_REASONS>;
/** `no` and `not_enough` decide the answer; a `note` does not. */
export type TlsReason = { readonly weight: 'no' | 'not_enough' | 'note' } & TlsFact;
export const TLS_REASON_CODES = Object.keys(TLS_REASONS) as (keyof typeof TLS_REASONS)[];

export function explainTlsReason(reason: TlsFact): string {
  // The entry of a code takes reasons of that code.
  return (TLS_REASONS[reason.code] as (reason: TlsFact) => string)(reason);
}

const WORDS: Readonly<Record<TlsQuestion, Readonly<Record<VerdictAnswer, string>>>> = {
  enforce: {
    yes: 'MTA-STS may be set to enforce',
    no: 'MTA-STS must not be set to enforce',
    not_enough: 'Not enough is known to set MTA-STS to enforce',
  },
  keep_enforce: {
    yes: 'MTA-STS may stay in enforce',
    no: 'MTA-STS in enforce keeps mail away',
    not_enough: 'Not enough is known to say whether MTA-STS in enforce keeps mail away',
  },
  keep_dane: {
    yes: 'DANE may be kept',
    no: 'DANE keeps mail away',
    not_enough: 'Not enough is known to say whether DANE keeps mail away',
  },
};

/** "MTA-STS may be set to enforce: 12,034 sessions in 30 days, and no failure that counts". */
export function tlsVerdictText(
  question: TlsQuestion,
  answer: VerdictAnswer,
  reasons: readonly TlsReason[],
  { sessions, failed, days }: { sessions: number; failed: number; days: number },
): string {
  const words = WORDS[question][answer];
  const first = reasons.find(({ weight }) => weight === answer);
  if (first !== undefined) return `${words}: ${explainTlsReason(first)}`;
  const failures =
    failed === 0 ? 'without a failure' : `of which ${groupDigits(failed)} failed, too few to count`;
  return `${words}: reports of ${days} days show ${sessionCount(sessions)} ${failures}`;
}
