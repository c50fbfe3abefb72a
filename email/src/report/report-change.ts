import type { TransportReport } from '../report.ts';
import type { Part } from './part-state.ts';

export type ComparedPart = Part | keyof TransportReport;

export type ReportChange =
  /** Grade and score: `B 85`. */
  | { readonly kind: 'score'; readonly from: string; readonly to: string }
  | {
      readonly kind: 'changed';
      readonly part: ComparedPart;
      readonly what: string;
      readonly from: string;
      readonly to: string;
      readonly why?: string | undefined;
    }
  | {
      readonly kind: 'added' | 'removed';
      readonly part: ComparedPart;
      readonly what: string;
      readonly value: string;
      readonly why?: string | undefined;
    }
  /** DNS failed, so that nothing is known about the part. */
  | { readonly kind: 'unverified'; readonly part: ComparedPart; readonly reason: string };

/** Codes of questions that failed; in a report an error begins with its code, or with a selector before it. */
const FAILURES = /^(?:\S+: )?(?:dns_temporary_failure|dns_budget_exhausted|alias_too_long):/;

export function isFailureText(error: string): boolean {
  return FAILURES.test(error);
}

export function compareTexts(part: ComparedPart, what: string, from: string, to: string, why?: string): ReportChange[] {
  if (from === to) return [];
  if (from === '') return [{ kind: 'added', part, what, value: to, why }];
  if (to === '') return [{ kind: 'removed', part, what, value: from, why }];
  return [{ kind: 'changed', part, what, from, to, why }];
}

export function compareLists(
  part: ComparedPart,
  what: string,
  before: readonly string[],
  now: readonly string[],
  whyAdded?: string,
  whyRemoved?: string,
): ReportChange[] {
  const removed = before.filter((value) => !now.includes(value));
  const added = now.filter((value) => !before.includes(value));
  return [
    ...removed.map((value): ReportChange => ({ kind: 'removed', part, what, value, why: whyRemoved })),
    ...added.map((value): ReportChange => ({ kind: 'added', part, what, value, why: whyAdded })),
  ];
}
