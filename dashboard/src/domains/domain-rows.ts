/** Rows of checked domains: what of a check is kept, their orders, and CSV. */
import type { CheckOutline } from '@whence/server/dashboard-wire/domains';
import { csvOf } from '../batch/download.ts';
import { type Headline, headlineOf } from '../domain/headline.ts';
import { capitalise } from '../format/names.ts';

export type CheckedDomain = {
  readonly grade: string;
  readonly score: number;
  /** Set up to send no mail: its grade says nothing. */
  readonly isFinished: boolean;
  readonly doesExist: boolean;
  readonly risk: Headline;
  /** Empty if there is nothing to fix. */
  readonly firstStep: string;
  readonly senderRules: string;
  /** What reports show, where there are some. */
  readonly senders?: CheckOutline['senders'];
};
/** `refusal`: why there is no check. */
export type DomainRow = { readonly domain: string; readonly check?: CheckedDomain; readonly refusal?: string };

export function checkedDomain(check: CheckOutline): CheckedDomain {
  const { report, grade_text, is_finished, does_exist, advice, sender_rules, senders } = check;
  const risk = headlineOf(check);
  return {
    grade: grade_text,
    score: report.domain_auth_score,
    isFinished: is_finished,
    doesExist: does_exist,
    risk: { ...risk, text: risk.text.startsWith(report.domain) ? risk.text : capitalise(risk.text) },
    firstStep: does_exist ? (advice[0]?.text ?? '') : '',
    // The page says whose rules they are.
    senderRules: does_exist ? sender_rules.replace(/ for Google.*?\(2025\)/, '') : '',
    ...(senders && { senders }),
  };
}

export type DomainSort = 'domain' | 'grade' | 'rules';

const TONES: readonly Headline['tone'][] = ['bad', 'warn', 'plain', 'good'];

/** Without a sort, the largest risk first. Rows without a check come before all others. */
export function sortDomains(rows: readonly DomainRow[], by: DomainSort | undefined): DomainRow[] {
  return [...rows].sort((a, b) => {
    if (by === 'domain') return inOrder(a.domain, b.domain);
    if (a.check === undefined || b.check === undefined)
      return Number(b.check === undefined) - Number(a.check === undefined);
    const score = a.check.score - b.check.score;
    if (by === 'grade') return score;
    if (by === 'rules') return inOrder(a.check.senderRules, b.check.senderRules);
    return TONES.indexOf(a.check.risk.tone) - TONES.indexOf(b.check.risk.tone) || score;
  });
}

const inOrder = (a: string, b: string) => (a < b ? -1 : Number(a > b));

/** No letter where there is nothing to grade. */
export function gradeWords({ grade, score, isFinished, doesExist }: CheckedDomain): string {
  if (!doesExist) return '';
  return isFinished ? 'sends no mail' : `${grade}, ${score}`;
}

/** Of a step: up to its full stop, or to the record that it proposes. */
export const firstSentence = (text: string): string => /^.*?(?:\.(?=\s|$)|:(?=\s\S+\s+IN\s))/.exec(text)?.[0] ?? text;

export type DomainFilter = { readonly grade?: string | undefined; readonly risk?: Headline['risk'] | undefined };

/** `grade` is a letter; a question mark behind it says that a part could not be verified. */
export const matchesFilter = ({ check }: DomainRow, { grade, risk }: DomainFilter): boolean =>
  (grade === undefined || (check?.doesExist === true && !check.isFinished && check.grade.startsWith(grade))) &&
  (risk === undefined || check?.risk.risk === risk);

export function domainsCsv(rows: readonly DomainRow[]): string {
  return csvOf<DomainRow>(
    [
      ['domain', ({ domain }) => domain],
      ['grade', ({ check }) => (check?.doesExist && !check.isFinished ? check.grade : '')],
      ['score', ({ check }) => (check?.doesExist ? check.score : '')],
      ['risk', ({ check }) => check?.risk.risk ?? ''],
      ['meaning', ({ check }) => check?.risk.text ?? ''],
      ['first_step', ({ check }) => check?.firstStep ?? ''],
      ['sender_rules', ({ check }) => check?.senderRules ?? ''],
      ['messages', ({ check }) => check?.senders?.messages ?? ''],
      ['passed', ({ check }) => check?.senders?.passed ?? ''],
      ['reject_safe', ({ check }) => check?.senders?.answer ?? ''],
      ['error', ({ refusal }) => refusal ?? ''],
    ],
    rows,
  );
}
