/** Outcomes as rows of CSV (RFC 4180). */
import { formatAdvice } from '@whence/email/advice-text';
import type { Examination } from '@whence/email/check';
import type { SpfReport } from '@whence/email/report';
import { quoteCell } from '../../enrich/insertion.ts';
import { printable } from '../../terminal/printable.ts';
import type { Outcome } from './outcome.ts';

type Row = Readonly<Record<(typeof COLUMNS)[number], string | number>>;

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
    outcome.kind === 'checked' ? rowOf(outcome.examination) : { domain: outcome.domain, error: outcome.reason };
  return `${COLUMNS.map((column) => cell(row[column] ?? '')).join(',')}\n`;
}

function rowOf({ report, score, advice: [first] }: Examination): Partial<Row> {
  const { domain, grade, domain_auth_score, mx, spf, dkim, dmarc } = report;
  return {
    domain,
    grade,
    score: domain_auth_score,
    mx_points: score.mx,
    spf_points: score.spf,
    dkim_points: score.dkim,
    dmarc_points: score.dmarc,
    mx_hosts: mx.records.join(' '),
    spf_all: RESULTS[spf.all_qualifier],
    spf_lookups: spf.dns_lookup_count,
    dkim_selectors: dkim
      .filter(({ is_valid }) => is_valid)
      .map(({ selector }) => selector)
      .join(' '),
    dmarc_policy: dmarc.raw === '' ? '' : dmarc.effective_policy,
    first_fix: first === undefined ? '' : formatAdvice(first),
  };
}

function cell(value: string | number): string {
  const text = printable(String(value));
  // What a hostile zone or a list names must not become a formula.
  return quoteCell(/^[=+\-@]/.test(text) ? `'${text}` : text, ',');
}
