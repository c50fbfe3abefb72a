/**
 * The report of one domain: the grade, each part with its errors, the SPF tree, and what to fix
 * first.
 */

import { MAX_LOOKUPS, MAX_POINTS } from '@whence/email/report';
import { errorsOf, gradeText, PARTS, type Part, type PartView } from '@whence/email/report-parts';
import { visible } from '@whence/email/visible-text';
import type { SpfTreeLine } from '../../email-checks/check-details.ts';
import { cutToWidth, hanging, type Paint, type Style } from '../../terminal/style.ts';
import { formatNetworks } from './networks-text.ts';
import { type Checked, judge } from './outcome.ts';
import { formatErrors, formatSmtp, formatTransport } from './transport-text.ts';

export function formatChecked(outcome: Checked, style: Style): string {
  const { spf, transport, networks, smtp } = outcome.report;
  const { advice, spf_tree } = outcome.details;
  const sections = [
    formatTitle(outcome, style),
    formatParts(outcome, style),
    ...(spf.raw === '' ? [] : [formatSpfTree(spf_tree, spf.dns_lookup_count, style)]),
    ...(transport === undefined ? [] : [formatTransport(transport, style)]),
    ...(networks === undefined ? [] : [formatNetworks(networks, style)]),
    ...(smtp === undefined ? [] : [formatSmtp(smtp, style)]),
    ...(advice.length === 0 ? [] : [formatFixes(outcome, style)]),
  ];
  return sections.join('\n');
}

export function gradePaint(style: Style, grade: string): Paint {
  if (grade === 'A' || grade === 'B') return style.green;
  return grade === 'C' || grade === '?' ? style.yellow : style.red;
}

/** What endangers the domain stands before the grade: a good grade does not make up for it. */
function formatTitle(outcome: Checked, style: Style): string {
  const { grade, domain_auth_score } = outcome.report;
  const domain = visible(outcome.domain);
  const { verdict } = judge(outcome);
  const { risk, isFinished, unverified } = verdict;
  const paint = isFinished ? style.green : gradePaint(style, unverified.length > 0 ? '?' : grade);
  const points = `${style.bold(paint(gradeText(outcome.report, verdict)))}, ${domain_auth_score} of 100`;
  const alarm =
    risk === '' ? '' : hanging(`${style.bold(domain)}: `, domain.length + 2, risk, style);
  const state = isFinished ? ', set up to send no mail' : '';
  const unknown =
    unverified.length === 0
      ? ''
      : `, of what could be verified; not known: ${unverified.map((part) => part.toUpperCase()).join(', ')}`;
  return `${alarm}${style.bold(domain)}: ${points}${state}${unknown}\n`;
}

const LABEL_WIDTH = 7;
const POINTS_WIDTH = 10;

function formatParts(outcome: Checked, style: Style): string {
  const { points } = outcome.details;
  const { views } = judge(outcome);
  const errors = errorsOf(outcome.report);
  const parts = PARTS.map((part) =>
    formatPart(part, views[part], points[part], errors[part], style),
  ).join('');
  const { sender_rules, senders } = outcome.details;
  const reported =
    senders === undefined ? '' : hanging('', 0, `Reports: ${visible(senders.text)}`, style);
  return `${parts}${hanging('', 0, `Bulk sender rules: ${sender_rules}`, style)}${reported}`;
}

function formatPart(
  part: Part,
  view: PartView,
  points: number,
  errors: readonly string[],
  style: Style,
): string {
  const of = MAX_POINTS[part];
  const indent = LABEL_WIDTH + POINTS_WIDTH;
  const isUnknown = view.state === 'unverified';
  const isFull = points === of || view.state === 'not applicable';
  const partPaint = points === 0 && !isUnknown ? style.red : style.yellow;
  const paint = isFull ? style.green : partPaint;
  const reached = paint((isUnknown ? '?' : `${points}`).padStart(2));
  const text = cutToWidth(visible(view.words), style.width - indent);
  return `${part.toUpperCase().padEnd(LABEL_WIDTH)}${reached} of ${of}  ${text}\n${formatErrors(view.state === 'not applicable' ? [] : errors, indent, style)}`;
}

/** The number of a line is that of its whole subtree. */
function formatSpfTree(tree: readonly SpfTreeLine[], lookups: number, style: Style): string {
  const count = `${lookups} of ${MAX_LOOKUPS}`;
  const lines = tree.map(({ depth, term, lookups: below, errors }) => {
    const indent = '  '.repeat(depth + 1);
    const cost = depth > 0 && below > 1 ? ` (${below})` : '';
    const line = `${indent}${cutToWidth(term, style.width - indent.length - cost.length)}${cost}\n`;
    return `${line}${formatErrors(errors, indent.length + 2, style)}`;
  });
  return `${style.bold(`SPF lookups: ${lookups > MAX_LOOKUPS ? style.red(count) : count}`)}\n${lines.join('')}`;
}

/** The record is alone on its line and never broken, for copying. */
function formatFixes({ details: { advice, is_finished } }: Checked, style: Style): string {
  const fixes = advice.map(({ points, text, record }) => {
    const gain = points > 0 ? style.green(`+${points}`.padStart(3)) : '   ';
    return `${hanging(`  ${gain}  `, 7, text, style)}${record === '' ? '' : `\n${visible(record)}\n\n`}`;
  });
  return `${style.bold(is_finished ? 'Nothing to fix' : 'What to fix first')}\n${fixes.join('')}`;
}
