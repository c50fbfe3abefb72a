/** Outcomes as rows of CSV (RFC 4180). */

import { isFailureText } from '@whence/email/findings';
import type { DaneReport, EmailReport, SpfReport } from '@whence/email/report';
import type { Part } from '@whence/email/report-parts';
import { csvCell } from '../../csv-cell.ts';
import { printable } from '../../terminal/printable.ts';
import { type Checked, DNS_UNAVAILABLE, judge, type Outcome } from './outcome.ts';

/** What a row is made from. */
type Facts = Checked & ReturnType<typeof judge> & { readonly valid: EmailReport['dkim'] };
type Cell = string | number;

const ifKnown =
  (part: Part, cell: (facts: Facts) => Cell) =>
  (facts: Facts): Cell =>
    facts.verdict.unverified.includes(part) ? '?' : cell(facts);
const points = (part: Part) => ifKnown(part, ({ details }) => details.points[part]);
const isWhole = ({ verdict }: Facts) => verdict.unverified.length === 0;

/** A part that DNS did not answer for is `?`. Columns of what was not asked for are empty. */
const COLUMNS = {
  domain: ({ report }) => report.domain,
  grade: (facts) => (isWhole(facts) ? facts.report.grade : '?'),
  score: (facts) => (isWhole(facts) ? facts.report.domain_auth_score : ''),
  mx_points: points('mx'),
  spf_points: points('spf'),
  dkim_points: points('dkim'),
  dmarc_points: points('dmarc'),
  mx_hosts: ({ report }) => report.mx.records.join(' '),
  spf_all: ifKnown('spf', ({ report }) => RESULTS[report.spf.all_qualifier]),
  spf_lookups: ifKnown('spf', ({ report }) => report.spf.dns_lookup_count),
  dkim_selectors: ({ valid }) => valid.map(({ selector }) => selector).join(' '),
  dmarc_policy: ifKnown('dmarc', ({ report: { dmarc } }) =>
    dmarc.raw === '' ? '' : dmarc.effective_policy,
  ),
  first_fix: ({ report }) => report.recommendations[0] ?? '',
  error: () => '',
  verified: (facts) => (isWhole(facts) ? 'yes' : 'no'),
  risk: ({ verdict }) => verdict.risk,
  mx: ({ views }) => views.mx.cell,
  spf: ({ views }) => views.spf.cell,
  dkim: ({ views }) => views.dkim.cell,
  dmarc: ({ views }) => views.dmarc.cell,
  spf_record: ({ report }) => report.spf.raw,
  dmarc_record: ({ report }) => report.dmarc.raw,
  report_addresses: ({ report }) => report.dmarc.aggregate_report_uris.join(' '),
  key_bits: ({ valid }) => valid.map(({ key_bits }) => key_bits).join(' '),
  codes: ({ report }) => report.recommendation_codes?.join(' ') ?? '',
  mta_sts: ({ report: { transport } }) =>
    transport && (transport.mta_sts.mode || stateOf(transport.mta_sts)),
  tls_rpt: ({ report: { transport } }) => transport && stateOf(transport.tls_rpt),
  dane: ({ report: { transport } }) => transport && securedHosts(transport.dane),
  bimi: ({ report: { transport } }) => transport && stateOf(transport.bimi),
  dnssec: ({ report: { transport } }) =>
    transport && (transport.dnssec.is_authenticated ? 'yes' : 'no'),
  ipv4_addresses: ({ report }) => report.networks?.ipv4_addresses,
  networks: ({ report }) =>
    report.networks?.carriers.map(({ asn, asn_name }) => `AS${asn} ${asn_name}`).join('; '),
  smtp: ({ report: { smtp } }) => smtp && smtpWord(smtp),
  records: ({ details }) =>
    details.advice.flatMap(({ record }) => (record === '' ? [] : [record])).join(' | '),
  finding_codes: ({ report }) => codesOf(report).join(' '),
} satisfies Record<string, (facts: Facts) => Cell | undefined>;

function smtpWord({ is_blocked, is_valid }: { is_blocked: boolean; is_valid: boolean }): string {
  if (is_blocked) return '?';
  return is_valid ? 'ok' : 'errors';
}

/**
 * RFC 7208 §2.6. In words, because a spreadsheet takes a cell that begins with `-` or `+` for a
 * formula.
 */
const RESULTS: Readonly<Record<SpfReport['all_qualifier'], string>> = {
  '+': 'pass',
  '-': 'fail',
  '~': 'softfail',
  '?': 'neutral',
  '': '',
};

export function csvHeader(): string {
  return `${Object.keys(COLUMNS).join(',')}\n`;
}

export function csvLine(outcome: Outcome): string {
  return `${cellsOf(outcome).map(printableCell).join(',')}\n`;
}

function cellsOf(outcome: Outcome): Cell[] {
  if (outcome.kind === 'checked') {
    const facts = {
      ...outcome,
      ...judge(outcome),
      valid: outcome.report.dkim.filter(({ is_valid }) => is_valid),
    };
    return Object.values(COLUMNS).map((cell) => cell(facts) ?? '');
  }
  const { domain, reason: error, code } = outcome;
  const row: Readonly<Record<string, string>> = {
    domain,
    error,
    ...(code === DNS_UNAVAILABLE && NOT_ANSWERED),
  };
  return Object.keys(COLUMNS).map((column) => row[column] ?? '');
}

const NOT_ANSWERED = {
  grade: '?',
  verified: 'no',
  mx: '?',
  spf: '?',
  dkim: '?',
  dmarc: '?',
} as const;

function codesOf({ mx, spf, dkim, dmarc, transport }: EmailReport): string[] {
  const errors = [
    mx.errors,
    ...[spf, ...dkim, dmarc, ...Object.values(transport ?? {})].map(
      ({ validation_errors }) => validation_errors,
    ),
  ];
  return [...new Set(errors.flat().map((error) => error.slice(0, error.indexOf(':'))))];
}

type TransportPart = {
  readonly found: boolean;
  readonly is_valid: boolean;
  readonly validation_errors: readonly string[];
};

function stateOf({ found, is_valid, validation_errors }: TransportPart): string {
  if (validation_errors.some(isFailureText)) return '?';
  if (validation_errors.some((error) => error.startsWith('no_mail_host:'))) return 'n/a';
  if (!found) return 'missing';
  return is_valid ? 'ok' : 'errors';
}

function securedHosts({ hosts }: DaneReport): string {
  const secured = hosts.filter(
    ({ records, is_authenticated }) => records.length > 0 && is_authenticated,
  );
  return `${secured.length}/${hosts.length}`;
}

/** Control characters, which come from DNS, are escaped. */
export const printableCell = (value: string | number) => csvCell(printable(String(value)));
