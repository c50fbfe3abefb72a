/** `whence email DOMAIN`: the check as a report that reads well in a terminal. Exit code 0 for grades A and B. */
import type { Examination } from '@whence/email/check';
import { normalizeDomain } from '@whence/email/domain-name';
import { MAX_POINTS } from '@whence/email/score';
import { isSelector, MAX_SELECTORS, tidySelectors } from '@whence/email/selectors';
import type { SpfNode } from '@whence/email/spf-lookups';
import { EmailChecks } from '../email-checks.ts';
import { type ExitCode, formatTable, type Output, UsageError } from '../terminal.ts';

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
    const examination = await checks.check(domain, selectors, new AbortController().signal);
    if (examination.isDnsUnavailable) {
      stderr.write('error: DNS unavailable: no server answered for this domain\n');
      return 1;
    }
    const { report } = examination;
    stdout.write(options.json === true ? `${JSON.stringify(report)}\n` : formatExamination(examination));
    return report.grade === 'A' || report.grade === 'B' ? 0 : 1;
  } finally {
    checks.close();
  }
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
  const fixes = advice.map(({ points, text }) => `  ${points > 0 ? `+${points}`.padStart(3) : '   '}  ${text}\n`);
  return `${domain}: ${report.grade}, ${report.domain_auth_score} of 100\n\n${formatTable(rows)}${tree}${fixes.length === 0 ? '' : `\nWhat to do\n${fixes.join('')}`}`;
}

function treeLines(node: SpfNode, indent: string): string[] {
  const label = node.via === '' ? node.name : `${node.via}${node.lookups > 1 ? ` (${node.lookups})` : ''}`;
  const errors = node.errors.map((error) => `${indent}    ! ${error}\n`);
  return [`${indent}  ${label}\n`, ...errors, ...node.children.flatMap((child) => treeLines(child, `${indent}  `))];
}
