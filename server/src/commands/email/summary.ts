/** Many checks at a glance: a line for each domain with a column for each part, and how many have which grade. */
import { PARTS, type Part } from '@whence/email/internal/report/part-state';
import type { Grade } from '@whence/email/report';
import { cutToWidth, type Style } from '../../terminal/style.ts';
import { formatCount } from '../../terminal/table.ts';
import { DNS_UNAVAILABLE, isAlarming, judge, type Outcome } from './outcome.ts';
import { gradePaint } from './report-text.ts';

/** What is kept of each domain: little, because there may be a million. */
export type SummaryRow = {
  readonly domain: string;
  /** `?` if DNS did not answer for a part. */
  readonly grade: Grade | typeof UNVERIFIED | typeof UNCHECKED;
  readonly score: number;
  readonly cells: Readonly<Record<Part, string>>;
  readonly note: string;
  readonly isAlarming: boolean;
};

const UNCHECKED = '-';
const UNVERIFIED = '?';
/** Worst first. */
const GRADES = [UNCHECKED, UNVERIFIED, 'F', 'D', 'C', 'B', 'A'] as const;
const MAX_NOTE_CHARACTERS = 120;
const NO_CELLS = { mx: '', spf: '', dkim: '', dmarc: '' };
const UNKNOWN_CELLS = { mx: '?', spf: '?', dkim: '?', dmarc: '?' };

export function summaryRow(outcome: Outcome): SummaryRow {
  if (outcome.kind === 'failed') {
    const isUnanswered = outcome.code === DNS_UNAVAILABLE;
    const cells = isUnanswered ? UNKNOWN_CELLS : NO_CELLS;
    const grade = isUnanswered ? UNVERIFIED : UNCHECKED;
    return { domain: outcome.domain, grade, score: -1, cells, note: outcome.reason, isAlarming: true };
  }
  const { report, details } = outcome;
  const { verdict, views } = judge(outcome);
  const isKnown = verdict.unverified.length === 0;
  return {
    domain: report.domain,
    grade: isKnown ? report.grade : UNVERIFIED,
    score: isKnown ? report.domain_auth_score : -1,
    cells: { mx: views.mx.cell, spf: views.spf.cell, dkim: views.dkim.cell, dmarc: views.dmarc.cell },
    note: cutToWidth(details.advice[0]?.text ?? '', MAX_NOTE_CHARACTERS),
    isAlarming: isAlarming(outcome),
  };
}

/** The worst first, then the counts. `maxRows`: the worst ones only. */
export function formatSummary(rows: readonly SummaryRow[], style: Style, maxRows: number = rows.length): string {
  const worstFirst = [...rows].sort((a, b) => a.score - b.score || (a.domain < b.domain ? -1 : 1));
  const shown = worstFirst.slice(0, maxRows);
  const widths = columnWidths(shown, style);
  const line = (grade: string, score: string, domain: string, cells: readonly string[], note: string) => {
    const columns = cells.map((text, i) => cutToWidth(text, widths.parts[i] ?? 0).padEnd(widths.parts[i] ?? 0));
    const head = `${grade}  ${score.padStart(3)}  ${cutToWidth(domain, widths.domain).padEnd(widths.domain)}  ${columns.join('  ')}  `;
    return { head, note: cutToWidth(note, widths.note) };
  };
  const header = line(' ', '', 'domain', ['MX', 'SPF', 'DKIM', 'DMARC'], '');
  const lines = shown.map(({ domain, grade, score, cells, note }) => {
    const points = score < 0 ? '' : String(score);
    const columns = PARTS.map((part) => cells[part]);
    const { head, note: shownNote } = line(grade, points, domain, columns, widths.note < MIN_NOTE ? '' : note);
    return `${gradePaint(style, grade)(head.slice(0, 1))}${head.slice(1)}${shownNote}`.trimEnd();
  });
  const table = [style.dim(header.head.trimEnd()), ...lines];
  return `${table.map((text) => `${text}\n`).join('')}\n${style.bold(formatCounts(rows))}\n`;
}

const MIN_NOTE = 12;
/** `-all 10/10`, `errors`, `quarantine`. */
const MAX_CELL = 12;
/** With the blanks after them, and those after the domain. */
const GRADE_AND_SCORE = 10;

function columnWidths(rows: readonly SummaryRow[], { width }: Style) {
  // There may be more texts than a call takes arguments.
  const longest = (texts: readonly string[], most: number) =>
    Math.min(
      most,
      texts.reduce((length, text) => Math.max(length, text.length), 0),
    );
  const parts = PARTS.map((part) => longest([part, ...rows.map(({ cells }) => cells[part])], MAX_CELL));
  const partsWidth = parts.reduce((sum, one) => sum + one + 2, 0);
  const room = width - GRADE_AND_SCORE - partsWidth;
  const domain = longest(
    ['domain', ...rows.map((row) => row.domain)],
    Math.max(10, Math.min(room, Math.floor(width / 3))),
  );
  return { parts, domain, note: Math.max(0, room - domain) };
}

function formatCounts(rows: readonly SummaryRow[]): string {
  const counts = GRADES.map((grade) => ({ grade, count: rows.filter((row) => row.grade === grade).length }));
  const named = counts
    .filter(({ count }) => count > 0)
    .map(({ grade, count }) => `${formatCount(count)} ${COUNT_NAMES[grade] ?? grade}`);
  return `${formatCount(rows.length)} domains: ${named.join(', ')}`;
}

const COUNT_NAMES: Readonly<Record<string, string>> = { [UNCHECKED]: 'not checked', [UNVERIFIED]: 'not verified' };
