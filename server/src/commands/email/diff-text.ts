/** The changes of a domain for a terminal or a mail. */
import type { ComparedPart, ReportChange } from '@whence/email/internal/report/report-change';
import { visible } from '@whence/email/internal/visible-text';
import { hanging, type Style } from '../../terminal/style.ts';

export type Change =
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

export function formatChanges(domain: string, changes: readonly Change[], style: Style): string {
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
