// What is wrong with a domain, as data: a code and its detail. finding-text.ts has the sentence of
// each code.
import type { Answer, Failure, FailureCode, RecordType } from '../dns/answer.ts';
import { cutText, visible } from '../visible-text.ts';
import { type Absence, EXPLANATIONS } from './finding-text.ts';
import type { SentenceDetails } from './sentences.ts';

/**
 * The detail of a code is what its sentence is made from; that of a sentence without any is empty.
 */
export type FindingDetails = SentenceDetails<typeof EXPLANATIONS>;
export type FindingCode = keyof FindingDetails;

export type Finding<Code extends FindingCode = FindingCode> = {
  readonly [C in Code]: { readonly code: C; readonly detail: FindingDetails[C] };
}[Code];

/** As in a report: `code: explanation`. */
export function formatFinding(finding: Finding): string {
  return cutText(`${finding.code}: ${explain(finding)}`);
}

export function explain<Code extends FindingCode>({ code, detail }: Finding<Code>): string {
  const sentences: { readonly [C in FindingCode]: (detail: FindingDetails[C]) => string } =
    EXPLANATIONS;
  return cutText(visible(sentences[code](detail)));
}

/** The end of a part of a report. */
export function judged(errors: Finding[]): { is_valid: boolean; validation_errors: Finding[] } {
  return { is_valid: errors.length === 0, validation_errors: errors };
}

export function hasCode(findings: readonly Finding[], ...codes: readonly FindingCode[]): boolean {
  return findings.some(({ code }) => codes.includes(code));
}

export function absenceOf(
  answer: Extract<Answer<unknown>, { kind: 'nodata' | 'nxdomain' }>,
): Absence {
  if (answer.kind === 'nodata') return 'no such record';
  return answer.alias === undefined ? 'no such name' : { alias: answer.alias };
}

export function dnsFailure(
  name: string,
  type: RecordType,
  { code, reason }: Pick<Failure, 'code' | 'reason'>,
): Finding<FailureCode> {
  return { code, detail: { name, type, reason } };
}

/**
 * Nothing is known about what the finding refers to; it must not be taken for an error of the
 * domain.
 */
export function isFailure(finding: Finding): finding is Finding<FailureCode> {
  return FAILURE_CODES.includes(finding.code);
}

const FAILURE_CODES: readonly FindingCode[] = [
  'dns_temporary_failure',
  'dns_budget_exhausted',
  'alias_too_long',
] satisfies FailureCode[];

/** The same for a finding as text, as reports have it. */
export function isFailureText(text: string): boolean {
  return FAILURE_CODES.some((code) => text.startsWith(`${code}:`));
}

export const MAX_FINDINGS = 20;

export class FindingList {
  readonly #maxFindings: number;
  readonly #kept: Finding[] = [];
  #left = 0;

  constructor(maxFindings: number = MAX_FINDINGS) {
    this.#maxFindings = maxFindings;
  }

  /** Those of another list, with the number it left out. */
  add(...findings: readonly Finding[]): void {
    for (const finding of findings) {
      if (finding.code === 'more_errors') this.#left += finding.detail.count;
      else if (this.#kept.length < this.#maxFindings) this.#kept.push(finding);
      else this.#left++;
    }
  }

  /** For findings that would be left out anyway, and need not be made. */
  get isFull(): boolean {
    return this.#kept.length === this.#maxFindings;
  }

  addLeftOut(count: number): void {
    this.#left += count;
  }

  get isEmpty(): boolean {
    return this.#kept.length === 0;
  }

  toArray(): Finding[] {
    if (this.#left === 0) return [...this.#kept];
    const shown = this.#kept.slice(0, this.#maxFindings - 1);
    const count = this.#left + this.#kept.length - shown.length;
    return [...shown, { code: 'more_errors', detail: { count } }];
  }
}

export function limitFindings(
  findings: readonly Finding[],
  maxFindings: number = MAX_FINDINGS,
): Finding[] {
  const list = new FindingList(maxFindings);
  list.add(...findings);
  return list.toArray();
}
