/**
 * The state of a part of transport security. Every part is optional: a domain without it has no
 * error.
 */
import type { CheckState } from './CheckSection.tsx';
import { splitError } from './spf-terms.ts';

export type TransportPart = {
  readonly is_valid: boolean;
  readonly validation_errors: readonly string[];
};

/** Codes of questions that DNS did not answer. */
const UNANSWERED = new Set(['dns_temporary_failure', 'dns_budget_exhausted', 'alias_too_long']);
/** Codes that say that a domain has not set something up, or has declined it. */
const ABSENT = new Set([
  'no_mta_sts_record',
  'no_tls_rpt_record',
  'no_tlsa_record',
  'no_bimi_record',
  'bimi_declined',
  'not_authenticated',
]);

export function transportState({ is_valid, validation_errors }: TransportPart): CheckState {
  const codes = validation_errors.map((error) => splitError(error).code);
  if (codes.some((code) => UNANSWERED.has(code))) return 'unverified';
  if (codes.includes('no_mail_host')) return 'not applicable';
  if (codes.length > 0 && codes.every((code) => ABSENT.has(code))) return 'not set up';
  return is_valid ? 'valid' : 'invalid';
}
