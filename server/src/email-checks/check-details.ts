// What a report is made from: `detailsOf` for commands, also sent by a server on request so that
// `--url` prints the same, and `describeCheck` for pages.

import type { Examination, MailHost, SpfNode } from '@whence/email';
import { type Advice, explainAdvice, recordLine } from '@whence/email/advice';
import { formatFinding, limitFindings } from '@whence/email/findings';
import { providerOf } from '@whence/email/providers';
import { describeReadiness } from '@whence/email/readiness';
import { MAX_POINTS, type ReportedVerdict } from '@whence/email/report';
import { gradeText, type Part, partViews, verdictOf } from '@whence/email/report-parts';
import type { SeenWindow } from '@whence/email/reports';
import type { SendersReport } from '@whence/email/reports/judge';
import { senderRules, senderRulesText } from '@whence/email/sender-rules';
import { excerpt } from '@whence/email/visible-text';
import type { ValueOf } from '../http/json-schema.ts';
import type { details } from './report-schema.ts';

export type CheckDetails = ValueOf<typeof details>;
/** What pages show too. */
type Judgement = Pick<
  CheckDetails,
  'risk' | 'is_finished' | 'advice' | 'readiness' | 'sender_rules' | 'senders'
>;
export type SpfTreeLine = CheckDetails['spf_tree'][number];
/**
 * What reports say about a stricter policy: for the report, and for the judgement of the next
 * steps.
 */
export type Measured = {
  readonly line: NonNullable<CheckDetails['senders']>;
  readonly verdict: ReportedVerdict;
};

export function measuredBy({ verdict, messages, days }: SendersReport): Measured {
  const { policy, answer, text, reasons, record } = verdict;
  const passed = days.reduce((sum, { passes }) => sum + passes, 0);
  return {
    line: { policy, answer, text, messages, passed, record },
    verdict: {
      policy: policy.endsWith('quarantine') ? 'quarantine' : 'reject',
      answer,
      text,
      reasons: reasons.filter(({ weight }) => weight === answer).map((reason) => reason.text),
    },
  };
}

/** There are reports, and they could not be judged in time: no stricter policy until they are. */
export const NOT_JUDGED: ReportedVerdict = {
  policy: 'reject',
  answer: 'not_enough',
  text: 'The reports could not be judged in time: ask again in a minute',
  reasons: ['they could not be judged in time, ask again in a minute'],
};

export function notJudged({ days }: Pick<SeenWindow, 'days'>): Measured {
  const { policy, answer, text } = NOT_JUDGED;
  const messages = days.reduce((sum, day) => sum + day.messages, 0);
  const passed = days.reduce((sum, day) => sum + day.passed, 0);
  return { line: { policy, answer, text, messages, passed, record: '' }, verdict: NOT_JUDGED };
}

/** Shown addresses of one host, which may have any number. */
const MAX_ADDRESSES = 8;
/** A tree has up to a hundred nodes. */
const MAX_NODE_ERRORS = 3;
const MAX_TERM_CHARACTERS = 100;

/** `reported` is what aggregate reports show, for those who may read them. */
export function detailsOf(examination: Examination, reported?: Measured): CheckDetails {
  const { findings, score } = examination;
  const { mx, spf, dkim, dmarc } = score;
  return {
    points: { mx, spf, dkim, dmarc },
    unverified: [...verdictOf(findings).unverified],
    ...judgementOf(examination, reported),
    open_to_all: findings.spf.openToAll !== undefined,
    spf_tree: treeLines(findings.spf.tree, 0),
  };
}

function judgementOf(
  { report: { domain }, findings, advice }: Examination,
  reported: Measured | undefined,
): Judgement {
  const { risk, isFinished } = verdictOf(findings);
  const rules = senderRules(findings);
  return {
    risk,
    is_finished: isFinished,
    advice: advice.map(describeAdvice),
    readiness: describeReadiness(domain, findings),
    sender_rules: senderRulesText({
      ...rules,
      validation_errors: rules.validation_errors.map(formatFinding),
    }),
    ...(reported && { senders: reported.line }),
  };
}

export function describeCheck(examination: Examination, reported?: Measured) {
  const { report, score, findings } = examination;
  const { mx, spf, dkim, dmarc } = findings;
  const points = (part: Part) => ({ points: score[part], max: MAX_POINTS[part] });
  const verdict = verdictOf(findings);
  const views = partViews(report, verdict);
  /** `words`: the record, or why there is none. */
  const view = (part: Part) => ({
    state: views[part].state,
    is_valid: views[part].isValid,
    words: views[part].words,
  });
  return {
    ...judgementOf(examination, reported),
    points: { mx: points('mx'), spf: points('spf'), dkim: points('dkim'), dmarc: points('dmarc') },
    parts: { mx: view('mx'), spf: view('spf'), dkim: view('dkim'), dmarc: view('dmarc') },
    /** The grade, with a question mark if a part could not be verified. */
    grade_text: gradeText(report, verdict),
    /** False if DNS says that the domain does not exist: it has no grade then. */
    does_exist: !mx.report.errors.some(({ code }) => code === 'domain_not_found'),
    /** All SPF records of the domain: one, unless it has none or too many. */
    spf_records: [...spf.records],
    spf_tree: describeSpfNode(spf.tree),
    spf_void_lookups: spf.voidLookups,
    mx_state: mx.state,
    mx_hosts: mx.hosts.map(describeMailHost),
    /** Found with a wildcard record: every selector would be. */
    is_dkim_wildcard: dkim.isWildcard,
    is_dmarc_test_mode: dmarc.isTestMode,
  };
}

function describeMailHost({ host, preference, addresses }: MailHost) {
  const provider = providerOf(host)?.name;
  return {
    host,
    preference,
    addresses: addresses.slice(0, MAX_ADDRESSES),
    ...(provider && { provider }),
  };
}

export type SpfTreeNode = Pick<SpfNode, 'name' | 'via' | 'raw' | 'lookups'> & {
  errors: string[];
  children: SpfTreeNode[];
};
function describeSpfNode({ name, via, raw, lookups, errors, children }: SpfNode): SpfTreeNode {
  return {
    name,
    via,
    raw,
    lookups,
    errors: errors.map(formatFinding),
    children: children.map(describeSpfNode),
  };
}

export function describeAdvice(advice: Advice): CheckDetails['advice'][number] {
  const { code, points } = advice;
  return { code, points, text: explainAdvice(advice), record: recordLine(advice) };
}

function treeLines(
  { name, via, lookups, errors, children }: SpfNode,
  depth: number,
): SpfTreeLine[] {
  const term = excerpt(via === '' ? name : via, MAX_TERM_CHARACTERS);
  return [
    { depth, term, lookups, errors: limitFindings(errors, MAX_NODE_ERRORS).map(formatFinding) },
    ...children.flatMap((child) => treeLines(child, depth + 1)),
  ];
}
