/**
 * What a report is made from, in the form in which commands print it: the points of each part, what the check says apart
 * from the score, the SPF tree, the advice with its records, and what two reports are compared by. A server sends it on
 * request, so that a command prints the same from its answer as from a check of its own.
 */
import type { Advice } from '@whence/email/internal/advice/advice';
import { explainAdvice } from '@whence/email/internal/advice/advice-text';
import { zoneFileLine } from '@whence/email/internal/advice/zone-file';
import type { Examination } from '@whence/email/internal/check';
import { limitFindings } from '@whence/email/internal/findings/finding-list';
import { formatFinding } from '@whence/email/internal/findings/finding-text';
import {
  describeReadiness,
  type Evidence,
  evidenceOf,
  type ReadinessReport,
} from '@whence/email/internal/report/evidence';
import { type Part, verdictOf } from '@whence/email/internal/report/part-state';
import { senderRules, senderRulesText } from '@whence/email/internal/report/sender-rules';
import type { SpfNode } from '@whence/email/internal/spf/lookups';
import { excerpt } from '@whence/email/internal/visible-text';

export type CheckDetails = {
  points: Record<Part, number>;
  /** Parts that DNS did not answer for. */
  unverified: Part[];
  /** How others can send mail as the domain, or take over a name that it refers to; `''` if they cannot. */
  risk: string;
  /** Set up to send no mail: there is nothing left to do, whatever the grade. */
  is_finished: boolean;
  /** What to fix, the most points first. `record` is a line of a zone file, or `''`. */
  advice: { code: string; points: number; text: string; record: string }[];
  /** Whether the next stricter steps are safe. */
  readiness: ReadinessReport;
  /** What large mailbox providers ask of bulk senders, in one line. */
  sender_rules: string;
  /** The record of the domain, at depth 0, and below it what its terms lead to. */
  spf_tree: SpfTreeLine[];
  evidence: Evidence;
};
/** `lookups`: those of the subtree, itself included. */
export type SpfTreeLine = { depth: number; term: string; lookups: number; errors: string[] };

/** A tree has up to a hundred nodes. */
const MAX_NODE_ERRORS = 3;
const MAX_TERM_CHARACTERS = 100;

export function detailsOf({ report: { domain }, findings, score, advice }: Examination): CheckDetails {
  const { unverified, risk, isFinished } = verdictOf(findings);
  const { mx, spf, dkim, dmarc } = score;
  return {
    points: { mx, spf, dkim, dmarc },
    unverified: [...unverified],
    risk,
    is_finished: isFinished,
    advice: advice.map(describeAdvice),
    readiness: describeReadiness(domain, findings),
    sender_rules: describeSenderRules(findings),
    spf_tree: treeLines(findings.spf.tree, 0),
    evidence: evidenceOf(domain, findings),
  };
}

export function describeSenderRules(findings: Examination['findings']): string {
  const rules = senderRules(findings);
  return senderRulesText({ ...rules, validation_errors: rules.validation_errors.map(formatFinding) });
}

export function describeAdvice(advice: Advice): CheckDetails['advice'][number] {
  const { code, points, change } = advice;
  return { code, points, text: explainAdvice(advice), record: change === undefined ? '' : zoneFileLine(change.record) };
}

function treeLines({ name, via, lookups, errors, children }: SpfNode, depth: number): SpfTreeLine[] {
  const term = excerpt(via === '' ? name : via, MAX_TERM_CHARACTERS);
  return [
    { depth, term, lookups, errors: limitFindings(errors, MAX_NODE_ERRORS).map(formatFinding) },
    ...children.flatMap((child) => treeLines(child, depth + 1)),
  ];
}
