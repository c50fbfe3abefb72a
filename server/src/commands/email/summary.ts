/**
 * Many checks at a glance: grade, risk and first step of each domain, and how many have which
 * grade.
 */

import type { Grade } from '@whence/email/report';
import { PARTS, type Part } from '@whence/email/report-parts';
import type { CheckDetails } from '../../email-checks/check-details.ts';
import type { ExitCode } from '../../terminal/exit.ts';
import { printable } from '../../terminal/printable.ts';
import { cutToWidth, hanging, type Style } from '../../terminal/style.ts';
import { formatCount } from '../../terminal/table.ts';
import { DNS_UNAVAILABLE, exitCodeOf, judge, type Outcome } from './outcome.ts';
import { gradePaint } from './report-text.ts';

/** What is kept of each domain: little, because there may be a million. */
export type SummaryRow = {
  readonly domain: string;
  /** `?` if DNS did not answer for a part. */
  readonly grade: Grade | typeof UNVERIFIED | typeof UNCHECKED;
  readonly score: number;
  readonly cells: Readonly<Record<Part, string>>;
  readonly risk: string;
  readonly step: string;
  readonly exitCode: ExitCode;
};

const UNCHECKED = '-';
const UNVERIFIED = '?';
/** Worst first. */
const GRADES = [UNCHECKED, UNVERIFIED, 'F', 'D', 'C', 'B', 'A'] as const;
const MAX_STEP_CHARACTERS = 300;
const NO_CELLS = { mx: '', spf: '', dkim: '', dmarc: '' };
const UNKNOWN_CELLS = { mx: '?', spf: '?', dkim: '?', dmarc: '?' };

export function summaryRow(outcome: Outcome): SummaryRow {
  if (outcome.kind === 'failed') {
    const isUnanswered = outcome.code === DNS_UNAVAILABLE;
    const cells = isUnanswered ? UNKNOWN_CELLS : NO_CELLS;
    const grade = isUnanswered ? UNVERIFIED : UNCHECKED;
    return {
      domain: outcome.domain,
      grade,
      score: -1,
      cells,
      risk: '',
      step: outcome.reason,
      exitCode: exitCodeOf(outcome),
    };
  }
  const { report, details } = outcome;
  const { verdict, views } = judge(outcome);
  const isKnown = verdict.unverified.length === 0;
  return {
    domain: report.domain,
    grade: isKnown ? report.grade : UNVERIFIED,
    score: isKnown ? report.domain_auth_score : -1,
    cells: {
      mx: views.mx.cell,
      spf: views.spf.cell,
      dkim: views.dkim.cell,
      dmarc: views.dmarc.cell,
    },
    risk: riskWord(details),
    step: firstSentence(details.advice[0]?.text ?? ''),
    exitCode: exitCodeOf(outcome),
  };
}

/** The sentence of the risk is in the report and in CSV. */
function riskWord({ risk, advice, open_to_all }: CheckDetails): string {
  if (risk === '') return '';
  if (open_to_all) return 'open';
  if (advice.some(({ code }) => code === 'takeover')) return 'takeover';
  const isRefused = advice.some(({ code }) => code.startsWith('mail_refused_'));
  return isRefused ? 'mail refused' : 'no policy';
}

function firstSentence(text: string): string {
  const [sentence = ''] = /^.*?\.(?= [A-Z])|^.*$/s.exec(text) ?? [];
  return cutToWidth(sentence, MAX_STEP_CHARACTERS);
}

/** The worst first, then the counts. `maxRows`: the worst ones only. */
export function formatSummary(
  rows: readonly SummaryRow[],
  style: Style,
  maxRows: number = rows.length,
): string {
  const worstFirst = [...rows].sort((a, b) => a.score - b.score || (a.domain < b.domain ? -1 : 1));
  const shown = worstFirst.slice(0, maxRows);
  const columns = columnsOf(shown, style);
  const titles = columns.map(({ title, width }) => title.padEnd(width)).join('  ');
  const indent = GRADE_AND_SCORE + titles.length + 2;
  const lines = shown.map((row) => {
    const points = row.score < 0 ? '' : String(row.score);
    const cells = columns.map(({ width, cell }) => printable(cell(row)).padEnd(width)).join('  ');
    const head = `${gradePaint(style, row.grade)(row.grade)}  ${points.padStart(3)}  ${cells}  `;
    // What is too long for its column has the line to itself: neither a name nor the first step is
    // cut.
    if (cells.length > titles.length) {
      const below = row.step === '' ? '' : hanging(' '.repeat(indent), indent, row.step, style);
      return `${head.trimEnd()}\n${below}`;
    }
    return row.step === '' ? `${head.trimEnd()}\n` : hanging(head, indent, row.step, style);
  });
  const header = `${' '.repeat(GRADE_AND_SCORE)}${titles}  first step`;
  return `${style.dim(header)}\n${lines.join('')}\n${style.bold(formatCounts(rows))}\n`;
}

type Column = {
  readonly title: string;
  readonly width: number;
  readonly cell: (row: SummaryRow) => string;
};

/** From this width on, there is room for a column of each part beside the first step. */
const WIDE = 100;
const MAX_DOMAIN = 30;
/** `-all 10/10`, `errors`, `quarantine`. */
const MAX_CELL = 12;
/** With the blanks after them. */
const GRADE_AND_SCORE = 8;

function columnsOf(rows: readonly SummaryRow[], { width }: Style): Column[] {
  const column = (title: string, cell: Column['cell'], most: number): Column => ({
    title,
    cell,
    // There may be more rows than a call takes arguments.
    width: rows.reduce(
      (longest, row) => Math.max(longest, Math.min(most, cell(row).length)),
      title.length,
    ),
  });
  const parts = PARTS.map((part) =>
    column(part.toUpperCase(), ({ cells }) => cells[part], MAX_CELL),
  );
  return [
    column('domain', ({ domain }) => domain, Math.min(MAX_DOMAIN, Math.floor(width / 3))),
    column('risk', ({ risk }) => risk, MAX_CELL),
    ...(width < WIDE ? [] : parts),
  ];
}

function formatCounts(rows: readonly SummaryRow[]): string {
  const counts = GRADES.map((grade) => ({
    grade,
    count: rows.filter((row) => row.grade === grade).length,
  }));
  const named = counts
    .filter(({ count }) => count > 0)
    .map(({ grade, count }) => `${formatCount(count)} ${COUNT_NAMES[grade] ?? grade}`);
  return `${formatCount(rows.length)} domains: ${named.join(', ')}`;
}

const COUNT_NAMES: Readonly<Record<string, string>> = {
  [UNCHECKED]: 'not checked',
  [UNVERIFIED]: 'not verified',
};
