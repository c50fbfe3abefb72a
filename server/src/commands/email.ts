/** `whence email DOMAIN`: the check as a report for a terminal. Exit code 0 for grades A and B. */
import type { Advice } from '@whence/email/advice';
import { explainAdvice } from '@whence/email/advice-text';
import type { Examination } from '@whence/email/check';
import { normalizeDomain } from '@whence/email/domain-name';
import { limitFindings } from '@whence/email/finding-list';
import { formatFinding } from '@whence/email/finding-text';
import type { EmailReport } from '@whence/email/report';
import { MAX_POINTS } from '@whence/email/score';
import { isSelector, MAX_SELECTORS, tidySelectors } from '@whence/email/selectors';
import type { SpfNode } from '@whence/email/spf-lookups';
import { excerpt, visible } from '@whence/email/visible-text';
import { zoneFileLine } from '@whence/email/zone-file';
import { EmailChecks } from '../lookup/email-checks.ts';
import { type ExitCode, UsageError } from '../terminal/exit.ts';
import type { Output } from '../terminal/output.ts';
import { formatTable } from '../terminal/table.ts';

export async function emailCommand(
  dnsServers: readonly string[],
  text: string,
  options: { json?: boolean; selectors?: string },
  stdout: Output,
  stderr: Output,
): Promise<ExitCode> {
  const domain = normalizeDomain(text);
  if (domain === undefined) throw new UsageError(`invalid domain: ${JSON.stringify(text)}`);
  const selectors = options.selectors === undefined ? undefined : tidySelectors(options.selectors.split(','));
  const isWrong = selectors?.length === 0 || !selectors?.every(isSelector) || selectors.length > MAX_SELECTORS;
  if (selectors !== undefined && isWrong) {
    throw new UsageError(`selectors are 1 to ${MAX_SELECTORS} DNS names, separated by commas`);
  }
  const checks = new EmailChecks(dnsServers);
  try {
    const { signal } = new AbortController();
    const examination = await checks.check(domain, { fairnessKey: 'command line', selectors, signal });
    if (examination === undefined || examination.isDnsUnavailable) {
      stderr.write('error: DNS unavailable: no server answered for this domain\n');
      return 1;
    }
    const { report } = examination;
    stdout.write(options.json === true ? `${visibleJson(report)}\n` : formatExamination(examination));
    return report.grade === 'A' || report.grade === 'B' ? 0 : 1;
  } finally {
    checks.close();
  }
}

/** JSON.stringify escapes C0 control characters only; a terminal also obeys those from U+0080 on. */
function visibleJson(report: EmailReport): string {
  return JSON.stringify(report).replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (character) =>
    Array.from({ length: character.length }, (_, i) => unicodeEscape(character.charCodeAt(i))).join(''),
  );
}

function unicodeEscape(codeUnit: number): string {
  return `\\u${codeUnit.toString(16).padStart(4, '0')}`;
}

function formatExamination({ report, findings, score, advice }: Examination): string {
  const { domain, mx, spf, dkim, dmarc } = report;
  const part = (name: keyof typeof MAX_POINTS, label: string, text: string, errors: readonly string[]) => [
    [label, `${String(score[name]).padStart(2)} of ${MAX_POINTS[name]}`, text],
    ...errors.map((error) => ['', '', `! ${error}`]),
  ];
  const keys = dkim
    .filter(({ found }) => found)
    .map(({ selector, key_type, key_bits }) => `${selector} (${key_type || 'unknown'} ${key_bits})`);
  const rows = [
    ...part('mx', 'MX', mx.records.join(', ') || 'none', mx.errors),
    ...part('spf', 'SPF', spf.raw || 'none', spf.validation_errors),
    ...part(
      'dkim',
      'DKIM',
      keys.join(', ') || 'no key found',
      dkim.flatMap(({ selector, validation_errors }) => validation_errors.map((error) => `${selector}: ${error}`)),
    ),
    ...part(
      'dmarc',
      'DMARC',
      dmarc.raw === '' ? 'none' : `${dmarc.raw}${dmarc.inherited ? ` (from ${dmarc.record_domain})` : ''}`,
      dmarc.validation_errors,
    ),
  ];
  const tree =
    spf.raw === '' ? '' : `\nSPF lookups: ${spf.dns_lookup_count} of 10\n${treeLines(findings.spf.tree, '').join('')}`;
  const fixes = advice.map(formatAdvice);
  const table = formatTable(rows.map((row) => row.map(visible)));
  const recommendations = fixes.length === 0 ? '' : `\nWhat to do\n${fixes.join('')}`;
  return `${domain}: ${report.grade}, ${report.domain_auth_score} of 100\n\n${table}${tree}${recommendations}`;
}

/** The record alone on its line, for copying. */
function formatAdvice(advice: Advice): string {
  const { points, change } = advice;
  const record = change === undefined ? '' : `\n${zoneFileLine(change.record)}\n`;
  return `  ${points > 0 ? `+${points}`.padStart(3) : '   '}  ${explainAdvice(advice)}\n${record}`;
}

/** A tree has up to a hundred nodes. */
const MAX_NODE_ERRORS = 3;
const MAX_TERM_CHARACTERS = 100;

function treeLines(node: SpfNode, indent: string): string[] {
  const name = excerpt(node.via === '' ? node.name : node.via, MAX_TERM_CHARACTERS);
  const lookups = node.via !== '' && node.lookups > 1 ? ` (${node.lookups})` : '';
  const errors = limitFindings(node.errors, MAX_NODE_ERRORS).map(
    (finding) => `${indent}    ! ${formatFinding(finding)}\n`,
  );
  return [
    `${indent}  ${name}${lookups}\n`,
    ...errors,
    ...node.children.flatMap((child) => treeLines(child, `${indent}  `)),
  ];
}
