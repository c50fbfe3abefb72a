/**
 * The report of one domain for a terminal: the grade, a line for each part with its errors below, the SPF tree, and what
 * to fix first.
 */
import type { Advice } from '@whence/email/advice';
import { explainAdvice } from '@whence/email/advice-text';
import { MAX_POINTS } from '@whence/email/score';
import { visible } from '@whence/email/visible-text';
import { zoneFileLine } from '@whence/email/zone-file';
import type { Checked } from '../../lookup/email-checks.ts';
import { formatNetworks } from './networks-text.ts';
import { formatSpfTree } from './spf-tree.ts';
import { cutToWidth, formatErrors, gradePaint, hanging, type Style } from './style.ts';
import { formatTransport } from './transport-text.ts';

export function formatChecked(examination: Checked, style: Style): string {
  const { answer, findings, advice } = examination;
  const { domain, grade, domain_auth_score, spf, transport, networks } = answer;
  const title = `${style.bold(domain)}: ${style.bold(gradePaint(style, grade)(grade))}, ${domain_auth_score} of 100\n`;
  const sections = [
    title,
    formatParts(examination, style),
    ...(spf.raw === '' ? [] : [formatSpfTree(findings.spf.tree, spf.dns_lookup_count, style)]),
    ...(transport === undefined ? [] : [formatTransport(transport, style)]),
    ...(networks === undefined ? [] : [formatNetworks(networks, style)]),
    ...(advice.length === 0 ? [] : [formatFixes(advice, style)]),
  ];
  return sections.join('\n');
}

const LABEL_WIDTH = 7;
const POINTS_WIDTH = 10;

function formatParts({ report, score }: Checked, style: Style): string {
  const { mx, spf, dkim, dmarc } = report;
  const keys = dkim
    .filter(({ found }) => found)
    .map(({ selector, key_type, key_bits }) => `${selector} (${key_type || 'unknown'} ${key_bits})`);
  const keyErrors = dkim.flatMap(({ selector, validation_errors }) =>
    validation_errors.map((error) => `${selector}: ${error}`),
  );
  const inherited = dmarc.inherited ? `from ${dmarc.record_domain}: ` : '';
  const part = (name: keyof typeof MAX_POINTS, text: string, errors: readonly string[]) =>
    formatPart(name.toUpperCase(), { points: score[name], of: MAX_POINTS[name] }, text, errors, style);
  return [
    part('mx', mx.records.join(', ') || 'none', mx.errors),
    part('spf', spf.raw || 'none', spf.validation_errors),
    part('dkim', keys.join(', ') || 'no key found', keyErrors),
    part('dmarc', dmarc.raw === '' ? 'none' : inherited + dmarc.raw, dmarc.validation_errors),
  ].join('');
}

function formatPart(
  label: string,
  { points, of }: { points: number; of: number },
  text: string,
  errors: readonly string[],
  style: Style,
): string {
  const indent = LABEL_WIDTH + POINTS_WIDTH;
  const paint = points === of ? style.green : points === 0 ? style.red : style.yellow;
  const reached = paint(`${points}`.padStart(2));
  const line = `${label.padEnd(LABEL_WIDTH)}${reached} of ${of}  ${cutToWidth(visible(text), style.width - indent)}\n`;
  return line + formatErrors(errors, indent, style);
}

function formatFixes(advice: readonly Advice[], style: Style): string {
  return `${style.bold('What to fix first')}\n${advice.map((item) => formatFix(item, style)).join('')}`;
}

/** The record is alone on its line and never broken, for copying. */
function formatFix(advice: Advice, style: Style): string {
  const { points, change } = advice;
  const gain = points > 0 ? style.green(`+${points}`.padStart(3)) : '   ';
  const record = change === undefined ? '' : `\n${zoneFileLine(change.record)}\n\n`;
  return `${hanging(`  ${gain}  `, 7, explainAdvice(advice), style)}${record}`;
}
