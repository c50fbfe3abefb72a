/**
 * What changed between two reports of a domain: records and what is wrong with them. What could not be verified is said,
 * and not taken for a change.
 */
import type { DkimReport } from '@whence/email/report';
import type { SavedReport } from './outcome.ts';

export type Part = 'mx' | 'spf' | 'dkim' | 'dmarc';

export type Change =
  /** Of the grade and the score: `B 85`. */
  | { readonly kind: 'score'; readonly from: string; readonly to: string }
  | {
      readonly kind: 'changed';
      readonly part: Part;
      readonly what: string;
      readonly from: string;
      readonly to: string;
    }
  | { readonly kind: 'added' | 'removed'; readonly part: Part; readonly what: string; readonly value: string }
  /** DNS failed, now or when the report was saved: nothing is known about the part. */
  | { readonly kind: 'unverified'; readonly part: Part; readonly reason: string }
  /** There is no saved report of this domain. */
  | { readonly kind: 'new'; readonly to: string };

export function diffReports(before: SavedReport, now: SavedReport): Change[] {
  return [
    ...diffScores(before, now),
    ...diffPart('mx', before.mx.errors, now.mx.errors, () =>
      diffLists('mx', 'host', before.mx.records, now.mx.records),
    ),
    ...diffPart('spf', before.spf.validation_errors, now.spf.validation_errors, () => [
      ...diffTexts('spf', 'record', before.spf.raw, now.spf.raw),
      ...diffTexts('spf', 'lookups', String(before.spf.dns_lookup_count), String(now.spf.dns_lookup_count)),
    ]),
    ...diffKeys(before.dkim, now.dkim),
    ...diffPart('dmarc', before.dmarc.validation_errors, now.dmarc.validation_errors, () => [
      ...diffTexts('dmarc', 'record', before.dmarc.raw, now.dmarc.raw),
      ...diffTexts('dmarc', 'record of', before.dmarc.record_domain, now.dmarc.record_domain),
      ...diffTexts('dmarc', 'policy in force', before.dmarc.effective_policy, now.dmarc.effective_policy),
    ]),
  ];
}

export function scoreText({ grade, domain_auth_score }: SavedReport): string {
  return `${grade} ${domain_auth_score}`;
}

/** Whether some part could not be verified. Such a report must not replace a saved one: it knows less. */
export function isUnverified({ mx, spf, dkim, dmarc }: SavedReport): boolean {
  const errors = [
    mx.errors,
    spf.validation_errors,
    dmarc.validation_errors,
    ...dkim.map((key) => key.validation_errors),
  ];
  return errors.flat().some(isFailure);
}

function diffScores(before: SavedReport, now: SavedReport): Change[] {
  const [from, to] = [scoreText(before), scoreText(now)];
  return from === to ? [] : [{ kind: 'score', from, to }];
}

function diffPart(
  part: Part,
  before: readonly string[],
  now: readonly string[],
  diffRecords: () => Change[],
  name = '',
): Change[] {
  const reason = now.find(isFailure);
  if (reason !== undefined) return [{ kind: 'unverified', part, reason: name + reason }];
  if (before.some(isFailure)) return [];
  return [...diffRecords(), ...diffLists(part, `${name}error`, before, now)];
}

function diffKeys(before: readonly DkimReport[], now: readonly DkimReport[]): Change[] {
  const selectors = [...new Set([...before, ...now].map(({ selector }) => selector))];
  return selectors.flatMap((selector) => {
    const [old, key] = [before, now].map((keys) => keys.find((candidate) => candidate.selector === selector));
    const records = () => diffTexts('dkim', `key ${selector}`, keyText(old), keyText(key));
    // A selector that is not there has the error that it is not there.
    const errorsOf = (entry: DkimReport | undefined) =>
      (entry?.validation_errors ?? []).filter((error) => entry?.found === true || isFailure(error));
    return diffPart('dkim', errorsOf(old), errorsOf(key), records, `${selector}: `);
  });
}

function keyText(key: DkimReport | undefined): string {
  return key?.found === true ? key.raw : '';
}

function diffTexts(part: Part, what: string, from: string, to: string): Change[] {
  if (from === to) return [];
  if (from === '') return [{ kind: 'added', part, what, value: to }];
  if (to === '') return [{ kind: 'removed', part, what, value: from }];
  return [{ kind: 'changed', part, what, from, to }];
}

function diffLists(part: Part, what: string, before: readonly string[], now: readonly string[]): Change[] {
  const removed = before.filter((value) => !now.includes(value));
  const added = now.filter((value) => !before.includes(value));
  return [
    ...removed.map((value): Change => ({ kind: 'removed', part, what, value })),
    ...added.map((value): Change => ({ kind: 'added', part, what, value })),
  ];
}

/** Codes of questions that failed; in a report an error begins with its code. */
const FAILURES = /^(?:dns_temporary_failure|dns_budget_exhausted|alias_too_long):/;

function isFailure(error: string): boolean {
  return FAILURES.test(error);
}
