/** Outcomes as rows of CSV (RFC 4180). */
import type { Part } from '@whence/email/internal/report/part-state';
import { isFailureText } from '@whence/email/internal/report/report-change';
import type { EmailReport, SpfReport } from '@whence/email/report';
import { printable, quoteCell } from '../../terminal/printable.ts';
import { type Checked, DNS_UNAVAILABLE, judge, type Outcome } from './outcome.ts';

type Row = Readonly<Record<(typeof COLUMNS)[number], string | number>>;

/** A part that DNS did not answer for is `?`. Columns of what was not asked for are empty. */
const COLUMNS = [
  'domain',
  'grade',
  'score',
  'mx_points',
  'spf_points',
  'dkim_points',
  'dmarc_points',
  'mx_hosts',
  'spf_all',
  'spf_lookups',
  'dkim_selectors',
  'dmarc_policy',
  'first_fix',
  'error',
  'verified',
  'risk',
  'mx',
  'spf',
  'dkim',
  'dmarc',
  'spf_record',
  'dmarc_record',
  'report_addresses',
  'key_bits',
  'codes',
  'mta_sts',
  'tls_rpt',
  'dane',
  'bimi',
  'dnssec',
  'ipv4_addresses',
  'networks',
  'smtp',
  'records',
  'finding_codes',
] as const;

/** RFC 7208 §2.6. In words, because a spreadsheet takes a cell that begins with `-` or `+` for a formula. */
const RESULTS: Readonly<Record<SpfReport['all_qualifier'], string>> = {
  '+': 'pass',
  '-': 'fail',
  '~': 'softfail',
  '?': 'neutral',
  '': '',
};

export function csvHeader(): string {
  return `${COLUMNS.join(',')}\n`;
}

export function csvLine(outcome: Outcome): string {
  const row: Partial<Row> =
    outcome.kind === 'checked'
      ? rowOf(outcome)
      : { domain: outcome.domain, error: outcome.reason, ...(outcome.code === DNS_UNAVAILABLE && NOT_ANSWERED) };
  return `${COLUMNS.map((column) => csvCell(row[column] ?? '')).join(',')}\n`;
}

const NOT_ANSWERED = { grade: '?', verified: 'no', mx: '?', spf: '?', dkim: '?', dmarc: '?' } as const;

function rowOf(outcome: Checked): Partial<Row> {
  const { report, details } = outcome;
  const { domain, grade, domain_auth_score, mx, spf, dkim, dmarc, networks, smtp, recommendations } = report;
  const { verdict, views } = judge(outcome);
  const isKnown = verdict.unverified.length === 0;
  const points = (part: Part) => (verdict.unverified.includes(part) ? '?' : details.points[part]);
  const valid = dkim.filter(({ is_valid }) => is_valid);
  return {
    domain,
    grade: isKnown ? grade : '?',
    score: isKnown ? domain_auth_score : '',
    mx_points: points('mx'),
    spf_points: points('spf'),
    dkim_points: points('dkim'),
    dmarc_points: points('dmarc'),
    mx_hosts: mx.records.join(' '),
    spf_all: verdict.unverified.includes('spf') ? '?' : RESULTS[spf.all_qualifier],
    spf_lookups: verdict.unverified.includes('spf') ? '?' : spf.dns_lookup_count,
    dkim_selectors: valid.map(({ selector }) => selector).join(' '),
    dmarc_policy: verdict.unverified.includes('dmarc') ? '?' : dmarc.raw === '' ? '' : dmarc.effective_policy,
    first_fix: recommendations[0] ?? '',
    verified: isKnown ? 'yes' : 'no',
    risk: verdict.risk,
    mx: views.mx.cell,
    spf: views.spf.cell,
    dkim: views.dkim.cell,
    dmarc: views.dmarc.cell,
    spf_record: spf.raw,
    dmarc_record: dmarc.raw,
    report_addresses: dmarc.aggregate_report_uris.join(' '),
    key_bits: valid.map(({ key_bits }) => key_bits).join(' '),
    codes: report.recommendation_codes?.join(' ') ?? '',
    ...transportCells(report),
    ...(networks && {
      ipv4_addresses: networks.ipv4_addresses,
      networks: networks.carriers.map(({ asn, asn_name }) => `AS${asn} ${asn_name}`).join('; '),
    }),
    records: details.advice.flatMap(({ record }) => (record === '' ? [] : [record])).join(' | '),
    finding_codes: codesOf(report).join(' '),
    ...(smtp && { smtp: smtp.is_blocked ? '?' : smtp.is_valid ? 'ok' : 'errors' }),
  };
}

function codesOf({ mx, spf, dkim, dmarc, transport }: EmailReport): string[] {
  const errors = [
    mx.errors,
    ...[spf, ...dkim, dmarc, ...Object.values(transport ?? {})].map(({ validation_errors }) => validation_errors),
  ];
  return [...new Set(errors.flat().map((error) => error.slice(0, error.indexOf(':'))))];
}

function transportCells({ transport }: EmailReport): Partial<Row> {
  if (transport === undefined) return {};
  const { mta_sts, tls_rpt, dane, bimi, dnssec } = transport;
  const state = (
    isFound: boolean,
    { is_valid, validation_errors }: { is_valid: boolean; validation_errors: string[] },
  ) => {
    if (validation_errors.some(isFailureText)) return '?';
    if (validation_errors.some((error) => error.startsWith('no_mail_host:'))) return 'n/a';
    return isFound ? (is_valid ? 'ok' : 'errors') : 'missing';
  };
  const secured = dane.hosts.filter(({ records, is_authenticated }) => records.length > 0 && is_authenticated);
  return {
    mta_sts: mta_sts.mode || state(mta_sts.found, mta_sts),
    tls_rpt: state(tls_rpt.found, tls_rpt),
    dane: `${secured.length}/${dane.hosts.length}`,
    bimi: state(bimi.found, bimi),
    dnssec: dnssec.is_authenticated ? 'yes' : 'no',
  };
}

export function csvCell(value: string | number): string {
  const text = printable(String(value));
  // What a hostile zone or a list names must not become a formula.
  return quoteCell(/^[=+\-@]/.test(text) ? `'${text}` : text, ',');
}
