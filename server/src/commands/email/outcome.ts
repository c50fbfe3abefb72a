/** What became of the check of one domain, and what that means for the exit code. */
import type { DnsOutage } from '@whence/email/internal/dns/fault';
import type { Evidence } from '@whence/email/internal/report/evidence';
import { type PartViews, partViews, type Verdict } from '@whence/email/internal/report/part-state';
import type { CheckDetails } from '../../email-checks/check-details.ts';
import type { EmailAnswer } from '../../email-checks/fit-answer.ts';
import type { TrialReport } from '../../email-checks/trial-report.ts';
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
  /** `zone`: lines of a zone file. */
  tryRecords(domain: string, zone: string): Promise<Tried | Failed>;
  close(): void | Promise<void>;
};

export type Asked = {
  readonly selectors: readonly string[] | undefined;
  /** To try beside the common ones. */
  readonly moreSelectors: readonly string[] | undefined;
  readonly include: ReadonlySet<IncludableSection>;
};

export function checked({ details, ...report }: EmailAnswer): Checked {
  // Both sources ask for them.
  return { kind: 'checked', domain: report.domain, report, details: details as CheckDetails };
}

/** What is wrong with a zone file that was to be tried. */
export function unreadable(message: string, details: Readonly<Record<string, unknown>> | undefined): string {
  const { line, expected } = details ?? {};
  if (expected === undefined) return message;
  return `--try: ${line === undefined ? '' : `line ${line}: `}expected ${expected}`;
}

export function invalidDomain(text: string): Failed {
  return { kind: 'failed', domain: text, code: 'INVALID_DOMAIN', reason: 'invalid domain' };
}

export const DNS_UNAVAILABLE = 'DNS_UNAVAILABLE';

/** `asked` are the DNS servers, or the server that asked them. */
export function dnsUnavailable(domain: string, asked: readonly string[], fault: unknown): Failed {
  const where = asked.length === 0 ? 'no DNS server is configured' : `asked ${asked.join(', ')}`;
  const why = FAULTS[fault as DnsOutage] ?? 'no server answered for this domain';
  return { kind: 'failed', domain, code: DNS_UNAVAILABLE, reason: `DNS unavailable: ${why} (${where})` };
}

const FAULTS: Readonly<Record<DnsOutage, string>> = {
  signatures: 'the DNSSEC signatures of the domain do not validate; without validation the resolver answers',
  servers: 'the name servers of the domain fail (SERVFAIL, often DNSSEC); other names are answered',
  resolver: 'the resolver fails for other names too (SERVFAIL)',
  refused: 'the resolver refuses to answer this machine (REFUSED)',
};

export function judge({ report, details }: Checked): { readonly verdict: Verdict; readonly views: PartViews } {
  const { unverified, risk, is_finished: isFinished } = details;
  const verdict = { unverified, risk, isFinished };
  return { verdict, views: partViews(report, verdict) };
}

/** Exit code 1: a risk, an unverified part, an undeliverable MX host or a grade below B, unless no mail is sent. */
export function isAlarming(outcome: Outcome): boolean {
  if (outcome.kind === 'failed') return true;
  const { risk, unverified, is_finished } = outcome.details;
  const isGood = outcome.report.grade === 'A' || outcome.report.grade === 'B' || is_finished;
  const isStopped = outcome.report.smtp?.servers.some(({ stops_delivery }) => stops_delivery) === true;
  return !isGood || isStopped || unverified.length > 0 || risk !== '';
}

/** The report without the evidence, or an error as the API writes it. */
export function outcomeLine(outcome: Outcome): string {
  if (outcome.kind === 'checked') return jsonLine(outcome.report);
  const { domain, reason, code } = outcome;
  return jsonLine({ domain, error: reason, code });
}

/** What `--save` writes and `--diff` reads. Answers of the API, and what `--json` prints, have no evidence. */
export type SavedReport = EmailAnswer & { readonly evidence?: Evidence };

export function savedReport({ report, details }: Checked): SavedReport {
  return { ...report, evidence: details.evidence };
}
