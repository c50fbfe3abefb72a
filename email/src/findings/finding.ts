// What is wrong with a domain, as data: a code and its detail. finding-text.ts has the sentence of each code.
import type { Answer, Failure, FailureCode, RecordType } from '../dns/answer.ts';
import { cutText, visible } from '../visible-text.ts';
import { type Absence, EXPLANATIONS } from './finding-text.ts';

type Explanations = typeof EXPLANATIONS;
/** The detail of a code is what its sentence is made from; that of a sentence without any is empty. */
export type FindingDetails = {
  readonly [Code in keyof Explanations]: Parameters<Explanations[Code]> extends [infer Detail]
    ? Readonly<Detail>
    : Readonly<Record<string, never>>;
};
export type FindingCode = keyof FindingDetails;

export type Finding<Code extends FindingCode = FindingCode> = {
  readonly [C in Code]: { readonly code: C; readonly detail: FindingDetails[C] };
}[Code];

/** As in a report: `code: explanation`. */
export function formatFinding(finding: Finding): string {
  return cutText(`${finding.code}: ${explain(finding)}`);
}

export function explain<Code extends FindingCode>({ code, detail }: Finding<Code>): string {
  const sentences: { readonly [C in FindingCode]: (detail: FindingDetails[C]) => string } = EXPLANATIONS;
  return cutText(visible(sentences[code](detail)));
}

/** The end of a part of a report. */
export function judged(errors: Finding[]): { is_valid: boolean; validation_errors: Finding[] } {
  return { is_valid: errors.length === 0, validation_errors: errors };
}

export function hasCode(findings: readonly Finding[], ...codes: readonly FindingCode[]): boolean {
  return findings.some(({ code }) => codes.includes(code));
}

export function absenceOf(answer: Extract<Answer<unknown>, { kind: 'nodata' | 'nxdomain' }>): Absence {
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

/** Nothing is known about what the finding refers to; it must not be taken for an error of the domain. */
export function isFailure(finding: Finding): finding is Finding<FailureCode> {
  return FAILURE_CODES.includes(finding.code);
}

const FAILURE_CODES: readonly FindingCode[] = [
  'dns_temporary_failure',
  'dns_budget_exhausted',
  'alias_too_long',
] satisfies FailureCode[];
