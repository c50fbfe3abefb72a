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
import { type Evidence, evidenceOf } from '@whence/email/internal/report/evidence';
import { type Part, verdictOf } from '@whence/email/internal/report/part-state';
import type { SpfNode } from '@whence/email/internal/spf/lookups';
import { excerpt } from '@whence/email/internal/visible-text';

export type CheckDetails = {
  points: Record<Part, number>;
  /** Parts that DNS did not answer for. */
  unverified: Part[];
  /** Why anyone can send mail as the domain; `''` if that is not so. */
  risk: string;
  /** Set up to send no mail: there is nothing left to do, whatever the grade. */
  is_finished: boolean;
  /** What to fix, the most points first. `record` is a line of a zone file, or `''`. */
  advice: { points: number; text: string; record: string }[];
  /** The record of the domain, at depth 0, and below it what its terms lead to. */
  spf_tree: SpfTreeLine[];
  evidence: Evidence;
};
/** `lookups`: those of the subtree, itself included. */
export type SpfTreeLine = { depth: number; term: string; lookups: number; errors: string[] };

/** A tree has up to a hundred nodes. */
const MAX_NODE_ERRORS = 3;
const MAX_TERM_CHARACTERS = 100;

export function detailsOf({ findings, score, advice }: Examination): CheckDetails {
  const { unverified, risk, isFinished } = verdictOf(findings);
  const { mx, spf, dkim, dmarc } = score;
  return {
    points: { mx, spf, dkim, dmarc },
    unverified: [...unverified],
    risk,
    is_finished: isFinished,
    advice: advice.map(describeAdvice),
    spf_tree: treeLines(findings.spf.tree, 0),
    evidence: evidenceOf(findings),
  };
}

export function describeAdvice(advice: Advice): CheckDetails['advice'][number] {
  const { points, change } = advice;
  return { points, text: explainAdvice(advice), record: change === undefined ? '' : zoneFileLine(change.record) };
}

function treeLines({ name, via, lookups, errors, children }: SpfNode, depth: number): SpfTreeLine[] {
  const term = excerpt(via === '' ? name : via, MAX_TERM_CHARACTERS);
  return [
    { depth, term, lookups, errors: limitFindings(errors, MAX_NODE_ERRORS).map(formatFinding) },
    ...children.flatMap((child) => treeLines(child, depth + 1)),
  ];
}
