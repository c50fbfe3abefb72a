/** What became of the check of one domain, and what that means for the exit code. */
import type { DnsOutage } from '@whence/email';
import { MAX_POINTS } from '@whence/email/report';
import { type PartViews, partViews, type Verdict } from '@whence/email/report-parts';
import type { CheckDetails } from '../../email-checks/check-details.ts';
import type { EmailAnswer } from '../../email-checks/fit-answer.ts';
import type { TrialReport } from '../../email-checks/trial-report.ts';
import type { ExitCode } from '../../terminal/exit.ts';
import { jsonLine } from '../../terminal/printable.ts';
import type { IncludableSection } from '../../vocabulary.ts';

export type Checked = {
  readonly kind: 'checked';
  readonly domain: string;
  readonly report: EmailAnswer;
  readonly details: CheckDetails;
};

/** `domain` is the text as written if it is not a domain. */
export type Failed = {
  readonly kind: 'failed';
  readonly domain: string;
  readonly code: string;
  readonly reason: string;
};

export type Outcome = Checked | Failed;

export type Tried = { readonly kind: 'tried'; readonly trial: TrialReport };

export type EmailSource = {
  readonly parallel: number;
  check(domain: string): Promise<Outcome>;
  /** `zone`: one record per line. */
  tryRecords(domain: string, zone: string): Promise<Tried | Failed>;
  close(): void | Promise<void>;
};

export type CheckRequest = {
  readonly selectors: readonly string[] | undefined;
  /** To try beside the common ones. */
  readonly moreSelectors: readonly string[] | undefined;
  readonly include: ReadonlySet<IncludableSection>;
};

export function checked({ details, ...report }: EmailAnswer): Checked {
  // Both sources ask for them.
  return { kind: 'checked', domain: report.domain, report, details: details as CheckDetails };
}

/** What is wrong with the records that were to be tried. */
export function unreadable(
  message: string,
  details: Readonly<Record<string, unknown>> | undefined,
): string {
  const { line, expected } = details ?? {};
  if (expected === undefined) return message;
  return `--try: ${line === undefined ? '' : `line ${line}: `}expected ${expected}`;
}

export function invalidDomain(text: string): Failed {
  return { kind: 'failed', domain: text, code: 'INVALID_DOMAIN', reason: 'invalid domain' };
}

export const DNS_UNAVAILABLE = 'DNS_UNAVAILABLE';

/** `servers` are the DNS servers, or the server that asked them. */
export function dnsUnavailable(domain: string, servers: readonly string[], fault: unknown): Failed {
  const where =
    servers.length === 0 ? 'no DNS server is configured' : `asked ${servers.join(', ')}`;
  const why = FAULTS[fault as DnsOutage] ?? 'no server answered for this domain';
  return {
    kind: 'failed',
    domain,
    code: DNS_UNAVAILABLE,
    reason: `DNS unavailable: ${why} (${where})`,
  };
}

const FAULTS: Readonly<Record<DnsOutage, string>> = {
  signatures:
    'the DNSSEC signatures of the domain do not validate; without validation the resolver answers',
  servers: 'the name servers of the domain fail (SERVFAIL, often DNSSEC); other names are answered',
  resolver: 'the resolver fails for other names too (SERVFAIL)',
  refused: 'the resolver refuses to answer this machine (REFUSED)',
};

export function judge({ report, details }: Checked): {
  readonly verdict: Verdict;
  readonly views: PartViews;
} {
  const { unverified, risk, is_finished: isFinished } = details;
  const verdict = { unverified, risk, isFinished };
  return { verdict, views: partViews(report, verdict) };
}

/** The lowest score of grade B. */
const GRADE_B = 75;

/**
 * 1: a risk, an undeliverable MX host or a grade below B, unless no mail is sent, or a line of a
 * list that is no domain. 3: DNS did not answer. 4: it did not answer for a part of a domain that
 * is good otherwise.
 */
export function exitCodeOf(outcome: Outcome): ExitCode {
  if (outcome.kind === 'failed') return outcome.code === 'INVALID_DOMAIN' ? 1 : 3;
  const { risk, unverified, is_finished } = outcome.details;
  const isGood = outcome.report.grade === 'A' || outcome.report.grade === 'B' || is_finished;
  const isStopped =
    outcome.report.smtp?.servers.some(({ stops_delivery }) => stops_delivery) === true;
  if (isStopped || risk !== '') return 1;
  if (unverified.length === 0) return isGood ? 0 : 1;
  // A part that is not known gives no points, and all of them would not always be enough.
  const most = unverified.reduce(
    (sum, part) => sum + MAX_POINTS[part],
    outcome.report.domain_auth_score,
  );
  return most < GRADE_B ? 1 : 4;
}

/** The report, or an error as the API writes it. */
export function outcomeLine(outcome: Outcome): string {
  if (outcome.kind === 'checked') return jsonLine(outcome.report);
  const { domain, reason, code } = outcome;
  return jsonLine({ domain, error: reason, code });
}
