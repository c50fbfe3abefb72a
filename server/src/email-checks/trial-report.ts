/**
 * What changed records would do, for API, command and page: both checks, what would break, and what
 * differs.
 */
import type { Dataset } from '@whence/dataset/dataset';
import { judgeChange } from '@whence/email/judge-change';
import { MAX_LOOKUPS, type ReportedVerdict } from '@whence/email/report';
import { type Part, verdictOf } from '@whence/email/report-parts';
import type { SendersReport } from '@whence/email/reports/judge';
import type { ValueOf } from '../http/json-schema.ts';
import { describeAdvice } from './check-details.ts';
import type { Trial } from './email-checks.ts';
import type { Checked } from './examine-mail.ts';
import type { trial } from './report-schema.ts';
import { senderChanges } from './sender-changes.ts';

/** `history`: the mail of the last weeks under these records, on request. */
export type TrialReport = { [Field in keyof typeof trial]: ValueOf<(typeof trial)[Field]> } & {
  history?: SendersReport;
};
export type TrialState = TrialReport['before'];
type TrialFinding = TrialReport['appeared'][number];
type TrialAdvice = TrialReport['advice']['appeared'][number];

type DescribedTrial = Trial & {
  readonly notes: readonly string[];
  /** What reports show about the policy of names below the domain, where only that is in force. */
  readonly below: ReportedVerdict | undefined;
};

export async function describeTrial(
  domain: string,
  { before, after, below, unjudged, notes }: DescribedTrial,
  dataset: Dataset | undefined,
): Promise<TrialReport> {
  const senders =
    before.senders && after.senders
      ? await senderChanges(before.senders, after.senders, dataset)
      : { gained: [], lost: [] };
  const lost = {
    ipv4Addresses: senders.lost.reduce((sum, { ipv4_addresses }) => sum + ipv4_addresses, 0),
    ipv6Slash48s: senders.lost.reduce((sum, { ipv6_48s }) => sum + ipv6_48s, 0),
  };
  const [appeared, vanished] = difference(findingsOf(before), findingsOf(after));
  const [newAdvice, oldAdvice] = difference(adviceOf(before), adviceOf(after));
  return {
    domain,
    before: describeState(before),
    after: describeState(after),
    risks: [...judgeChange(domain, before, after, lost), ...risksBelow(below)],
    appeared,
    vanished,
    advice: { appeared: newAdvice, vanished: oldAdvice },
    lookups: { before: lookupsOf(before), after: lookupsOf(after), limit: MAX_LOOKUPS },
    senders,
    notes: [...notes, ...notJudged(domain, unjudged)],
  };
}

function risksBelow(verdict: ReportedVerdict | undefined): TrialReport['risks'] {
  if (verdict === undefined || verdict.answer === 'yes') return [];
  const code = verdict.answer === 'no' ? 'mail_refused_now' : 'step_skipped';
  return [{ code, text: `${verdict.text}.` }];
}

const MAX_UNJUDGED = 5;

function notJudged(domain: string, records: readonly string[]): string[] {
  if (records.length === 0) return [];
  const more = records.length > MAX_UNJUDGED ? ` and ${records.length - MAX_UNJUDGED} more` : '';
  const named = `${records.slice(0, MAX_UNJUDGED).join(', ')}${more}`;
  return [
    `not judged: ${named}. The check of ${domain} does not depend on it; try a name with mail of its own by itself`,
  ];
}

const lookupsOf = ({ findings }: Checked) => findings.spf.tree.lookups;

function describeState({ answer, score, findings, senders }: Checked): TrialState {
  const { mx, spf, dkim, dmarc } = score;
  const { risk, unverified } = verdictOf(findings);
  return {
    score: answer.domain_auth_score,
    grade: answer.grade,
    unverified: [...unverified],
    points: { mx, spf, dkim, dmarc },
    risk,
    mx: answer.mx.records,
    spf: answer.spf.raw,
    dmarc: answer.dmarc.raw,
    spf_errors: answer.spf.validation_errors,
    dmarc_errors: answer.dmarc.validation_errors,
    ipv4_addresses: senders?.ipv4Addresses ?? 0,
    ipv6_48s: senders?.ipv6Slash48s ?? 0,
    open_to_all: senders?.isOpenToAll ?? false,
  };
}

const adviceOf = ({ advice }: Checked): TrialAdvice[] =>
  advice.map(describeAdvice).map(({ code, text, record }) => ({ code, text, record }));

/** What only the second list has, and what only the first has. */
function difference<Entry extends { readonly text: string }>(
  then: Entry[],
  now: Entry[],
): [Entry[], Entry[]] {
  const key = (entry: Entry) => JSON.stringify(entry);
  const earlier = new Set(then.map(key));
  const current = new Set(now.map(key));
  return [
    now.filter((entry) => !earlier.has(key(entry))),
    then.filter((entry) => !current.has(key(entry))),
  ];
}

function findingsOf({ answer: { mx, spf, dkim, dmarc } }: Checked): TrialFinding[] {
  const findings = (part: Part, errors: readonly string[]) =>
    errors.map((text): TrialFinding => ({ part, text }));
  return [
    ...findings('mx', mx.errors),
    ...findings('spf', spf.validation_errors),
    ...dkim.flatMap(({ selector, validation_errors }) =>
      findings(
        'dkim',
        validation_errors.map((error) => withSelector(error, selector)),
      ),
    ),
    ...findings('dmarc', dmarc.validation_errors),
  ];
}

/** The code stays in front. */
function withSelector(error: string, selector: string): string {
  const colon = error.indexOf(': ');
  return colon < 0
    ? `${error}: ${selector}`
    : `${error.slice(0, colon)}: ${selector}: ${error.slice(colon + 2)}`;
}
