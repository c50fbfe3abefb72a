/**
 * The report of one domain for a terminal: the grade, a line for each part with its errors below, the SPF tree, and what
 * to fix first.
 */
import type { Advice } from '@whence/email/internal/advice/advice';
import { explainAdvice } from '@whence/email/internal/advice/advice-text';
import { zoneFileLine } from '@whence/email/internal/advice/zone-file';
import {
  gradeText,
  PARTS,
  type Part,
  type PartView,
  partViews,
  type Verdict,
  verdictOf,
} from '@whence/email/internal/report/part-state';
import { MAX_POINTS } from '@whence/email/internal/report/score';
import { visible } from '@whence/email/internal/visible-text';
import type { EmailReport } from '@whence/email/report';
import type { Checked } from '../../email-checks/examine-mail.ts';
import { cutToWidth, hanging, type Style } from '../../terminal/style.ts';
import { formatNetworks } from './networks-text.ts';
import { formatErrors, gradePaint } from './report-marks.ts';
import { formatSpfTree } from './spf-tree.ts';
import { formatTransport } from './transport-text.ts';

export function formatChecked(examination: Checked, style: Style): string {
  const { answer, findings, advice } = examination;
  const { spf, transport, networks } = answer;
  const verdict = verdictOf(findings);
  const sections = [
    formatTitle(answer, verdict, style),
    formatParts(examination, verdict, style),
    ...(spf.raw === '' ? [] : [formatSpfTree(findings.spf.tree, spf.dns_lookup_count, style)]),
    ...(transport === undefined ? [] : [formatTransport(transport, style)]),
    ...(networks === undefined ? [] : [formatNetworks(networks, style)]),
    ...(advice.length === 0 ? [] : [formatFixes(advice, verdict, style)]),
  ];
  return sections.join('\n');
}

/** What endangers the domain stands before the grade: a good grade does not make up for it. */
function formatTitle(report: EmailReport, verdict: Verdict, style: Style): string {
  const { domain, grade, domain_auth_score } = report;
  const { risk, isFinished, unverified } = verdict;
  const paint = isFinished ? style.green : gradePaint(style, unverified.length > 0 ? '?' : grade);
  const points = `${style.bold(paint(gradeText(report, verdict)))}, ${domain_auth_score} of 100`;
  const alarm =
    risk === ''
      ? ''
      : hanging(
          `${style.bold(domain)}: `,
          domain.length + 2,
          `anyone can send mail as this domain, because ${risk}`,
          style,
        );
  const state = isFinished ? ', set up to send no mail' : '';
  const unknown =
    unverified.length === 0
      ? ''
      : `, of what could be verified; not known: ${unverified.map((part) => part.toUpperCase()).join(', ')}`;
  return `${alarm}${style.bold(domain)}: ${points}${state}${unknown}\n`;
}

const LABEL_WIDTH = 7;
const POINTS_WIDTH = 10;

function formatParts({ report, score }: Checked, verdict: Verdict, style: Style): string {
  const { mx, spf, dkim, dmarc } = report;
  const views = partViews(report, verdict);
  const keyErrors = dkim.flatMap(({ selector, validation_errors }) =>
    validation_errors.map((error) => `${selector}: ${error}`),
  );
  const errors = { mx: mx.errors, spf: spf.validation_errors, dkim: keyErrors, dmarc: dmarc.validation_errors };
  return PARTS.map((part) => formatPart(part, views[part], score[part], errors[part], style)).join('');
}

function formatPart(part: Part, view: PartView, points: number, errors: readonly string[], style: Style): string {
  const of = MAX_POINTS[part];
  const indent = LABEL_WIDTH + POINTS_WIDTH;
  const isUnknown = view.state === 'unverified';
  const paint =
    points === of || view.state === 'not applicable'
      ? style.green
      : points === 0 && !isUnknown
        ? style.red
        : style.yellow;
  const reached = paint((isUnknown ? '?' : `${points}`).padStart(2));
  const text = cutToWidth(visible(view.words), style.width - indent);
  return `${part.toUpperCase().padEnd(LABEL_WIDTH)}${reached} of ${of}  ${text}\n${formatErrors(errors, indent, style)}`;
}

function formatFixes(advice: readonly Advice[], { isFinished }: Verdict, style: Style): string {
  return `${style.bold(isFinished ? 'Nothing to fix' : 'What to fix first')}\n${advice.map((item) => formatFix(item, style)).join('')}`;
}

/** The record is alone on its line and never broken, for copying. */
function formatFix(advice: Advice, style: Style): string {
  const { points, change } = advice;
  const gain = points > 0 ? style.green(`+${points}`.padStart(3)) : '   ';
  const record = change === undefined ? '' : `\n${zoneFileLine(change.record)}\n\n`;
  return `${hanging(`  ${gain}  `, 7, explainAdvice(advice), style)}${record}`;
}
