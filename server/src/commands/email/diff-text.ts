/** The changes of a domain for a terminal or a mail, and those of its networks. */
import type { ComparedPart, ReportChange } from '@whence/email/internal/report/report-change';
import { isFailureText } from '@whence/email/internal/report/report-change';
import { visible } from '@whence/email/internal/visible-text';
import type { NetworksReport } from '../../email-checks/mail-networks.ts';
import { hanging, type Style } from '../../terminal/style.ts';
import { formatCount } from '../../terminal/table.ts';

export type Change =
  | ReportChange
  /** There is no saved report of this domain. */
  | { readonly kind: 'new'; readonly to: string }
  | { readonly kind: 'networks'; readonly what: string; readonly from: string; readonly to: string }
  | { readonly kind: 'networks unverified'; readonly reason: string };

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

/** Networks of the dataset change too; which of them carry the mail is what counts. */
export function compareNetworks(before: NetworksReport, now: NetworksReport): Change[] {
  const reason = now.errors.find(isFailureText);
  if (reason !== undefined) return [{ kind: 'networks unverified', reason }];
  if (before.errors.some(isFailureText)) return [];
  const carriers = ({ carriers: list }: NetworksReport) =>
    list.map(({ asn, asn_name }) => `AS${asn} ${asn_name}`).join(', ');
  const addresses = ({ ipv4_addresses }: NetworksReport) => formatCount(ipv4_addresses);
  const change = (what: string, from: string, to: string): Change[] =>
    from === to ? [] : [{ kind: 'networks', what, from, to }];
  return [
    ...change('networks that carry the mail', carriers(before), carriers(now)),
    ...change('IPv4 addresses that may send', addresses(before), addresses(now)),
  ];
}

export function formatChanges(domain: string, changes: readonly Change[], style: Style): string {
  return `${style.bold(domain)}\n${changes.map((change) => formatChange(change, style)).join('')}`;
}

function formatChange(change: Change, style: Style): string {
  const label = 'part' in change ? LABELS[change.part] : (change.kind.split(' ')[0] ?? '');
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
    case 'networks':
      return `${change.what}: ${change.from} → ${change.to}`;
    case 'added':
      return `+ ${change.what}: ${change.value}`;
    case 'removed':
      return `- ${change.what}: ${change.value}`;
    case 'unverified':
    case 'networks unverified':
      return `could not be verified (${change.reason})`;
    case 'new':
      return `not in the saved reports; now ${change.to}`;
  }
}
