/** Many checks at a glance: how many have which grade, and which domains are worst. */
import { explainAdvice } from '@whence/email/advice-text';
import type { Grade } from '@whence/email/report';
import { formatCount } from '../../terminal/table.ts';
import type { Outcome } from './outcome.ts';
import { cutToWidth, gradePaint, type Style } from './style.ts';

/** What is kept of each domain: little, because there may be a million. */
export type SummaryRow = {
  readonly domain: string;
  readonly grade: Grade | typeof UNCHECKED;
  readonly score: number;
  readonly note: string;
};

const UNCHECKED = '-';
/** Worst first. */
const GRADES = [UNCHECKED, 'F', 'D', 'C', 'B', 'A'] as const;
const MAX_NOTE_CHARACTERS = 120;

export function summaryRow(outcome: Outcome): SummaryRow {
  if (outcome.kind === 'failed') return { domain: outcome.domain, grade: UNCHECKED, score: -1, note: outcome.reason };
  const { report, advice } = outcome.examination;
  const [first] = advice;
  const note = first === undefined ? '' : cutToWidth(explainAdvice(first), MAX_NOTE_CHARACTERS);
  return { domain: report.domain, grade: report.grade, score: report.domain_auth_score, note };
}

export function isBelowB({ grade }: SummaryRow): boolean {
  return grade !== 'A' && grade !== 'B';
}

/** A line for each domain with the first thing to fix, then the counts. `maxRows`: the worst ones only. */
export function formatSummary(rows: readonly SummaryRow[], style: Style, maxRows: number = rows.length): string {
  const worstFirst = [...rows].sort((a, b) => a.score - b.score || (a.domain < b.domain ? -1 : 1));
  const shown = worstFirst.slice(0, maxRows);
  const domainWidth = Math.min(
    Math.floor(style.width / 2),
    Math.max(...shown.map(({ domain }) => domain.length), 'domain'.length),
  );
  const lines = shown.map(({ domain, grade, score, note }) => {
    const points = (score < 0 ? '' : String(score)).padStart(3);
    const name = cutToWidth(domain, domainWidth).padEnd(domainWidth);
    const head = `${gradePaint(style, grade)(grade)}  ${points}  ${name}  `;
    return `${head}${cutToWidth(note, style.width - 10 - domainWidth)}`.trimEnd();
  });
  return `${lines.map((line) => `${line}\n`).join('')}\n${style.bold(formatCounts(rows))}\n`;
}

function formatCounts(rows: readonly SummaryRow[]): string {
  const counts = GRADES.map((grade) => ({ grade, count: rows.filter((row) => row.grade === grade).length }));
  const named = counts
    .filter(({ count }) => count > 0)
    .map(({ grade, count }) => `${formatCount(count)} ${grade === UNCHECKED ? 'not checked' : grade}`);
  return `${formatCount(rows.length)} domains: ${named.join(', ')}`;
}
