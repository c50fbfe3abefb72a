/** `wh email --diff`: what changed since reports were saved. Without a change there is nothing to print, or to mail. */
import { compareReports, scoreText, unverifiedParts } from '@whence/email/compare';
import { type ComparedPart, isFailureText, type ReportChange } from '@whence/email/internal/report/report-change';
import { visible } from '@whence/email/internal/visible-text';
import type { ExitCode } from '../../terminal/exit.ts';
import { StreamSink } from '../../terminal/output.ts';
import { jsonLine } from '../../terminal/printable.ts';
import { hanging, type Style } from '../../terminal/style.ts';
import { checkListed, type EmailRun } from './check-listed.ts';
import { type Outcome, type SavedReport, savedReport } from './outcome.ts';

/** Exit code 0 if nothing has changed, 1 if something has, or a domain could not be checked. */
export async function compareWithSaved(
  run: EmailRun,
  saved: readonly SavedReport[],
  { json }: { readonly json?: boolean },
): Promise<ExitCode> {
  const { style, save, stdout, stderr } = run;
  const before = new Map(saved.map((report) => [report.domain, report]));
  const sink = new StreamSink(stdout);
  let exitCode: ExitCode = 0;
  const compare = (outcome: Outcome) => {
    if (outcome.kind === 'failed') return outcome;
    const report = savedReport(outcome);
    const old = before.get(report.domain);
    const isKept = save !== undefined && (old === undefined || !isUnverified(report));
    const line = isKept ? jsonLine(report) : undefined;
    const changes: Change[] =
      old === undefined ? [{ kind: 'new', to: scoreText(report) }] : compareReports(old, report);
    return { kind: 'compared' as const, domain: report.domain, changes, line };
  };
  let isFirst = true;
  for await (const result of checkListed(run, compare)) {
    if (result.kind === 'failed') {
      exitCode = 1;
      stderr.write(`error: ${result.domain}: ${result.reason}\n`);
      continue;
    }
    const { domain, changes, line } = result;
    if (line !== undefined) await save?.add(domain, line);
    if (changes.length === 0) continue;
    exitCode = 1;
    const gap = isFirst ? '' : '\n';
    isFirst = false;
    await sink.write(json === true ? jsonLine({ domain, changes }) : gap + formatChanges(domain, changes, style));
  }
  return exitCode;
}

/** Such a report must not replace a saved one: it knows less. */
function isUnverified(report: SavedReport): boolean {
  const included = Object.values(report.transport ?? {}).flatMap(({ validation_errors }) => validation_errors);
  return unverifiedParts(report).length > 0 || included.some(isFailureText);
}

type Change =
  | ReportChange
  /** There is no saved report of this domain. */
  | { readonly kind: 'new'; readonly to: string };

const LABEL_WIDTH = 11;
const LABELS: Readonly<Record<ComparedPart, string>> = {
  mx: 'MX',
  spf: 'SPF',
  dkim: 'DKIM',
  dmarc: 'DMARC',
  mta_sts: 'MTA-STS',
  tls_rpt: 'TLS-RPT',
  dane: 'DANE',
  bimi: 'BIMI',
  dnssec: 'DNSSEC',
  sender_rules: 'Bulk rules',
};

function formatChanges(domain: string, changes: readonly Change[], style: Style): string {
  return `${style.bold(domain)}\n${changes.map((change) => formatChange(change, style)).join('')}`;
}

function formatChange(change: Change, style: Style): string {
  const label = 'part' in change ? LABELS[change.part] : change.kind;
  const head = `  ${label.padEnd(LABEL_WIDTH)}`;
  const why =
    'why' in change && change.why !== undefined ? hanging(' '.repeat(head.length), head.length, change.why, style) : '';
  return hanging(head, head.length, visible(describe(change)), style) + why;
}

function describe(change: Change): string {
  switch (change.kind) {
    case 'score':
      return `${change.from} → ${change.to}`;
    case 'changed':
      return `${change.what}: ${change.from} → ${change.to}`;
    case 'added':
      return `+ ${change.what}: ${change.value}`;
    case 'removed':
      return `- ${change.what}: ${change.value}`;
    case 'unverified':
      return `could not be verified (${change.reason})`;
    case 'new':
      return `not in the saved reports; now ${change.to}`;
  }
}
