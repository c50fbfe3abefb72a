/** What became of the check of one domain. */
import type { Checked, EmailAnswer } from '../../lookup/email-checks.ts';

export type Outcome = { readonly kind: 'checked'; readonly domain: string; readonly examination: Checked } | Failed;

/** `domain` is the text as written if it is not a domain. */
export type Failed = {
  readonly kind: 'failed';
  readonly domain: string;
  readonly code: 'INVALID_DOMAIN' | 'DNS_UNAVAILABLE';
  readonly reason: string;
};

export function invalidDomain(text: string): Failed {
  return { kind: 'failed', domain: text, code: 'INVALID_DOMAIN', reason: 'invalid domain' };
}

export function dnsUnavailable(domain: string): Failed {
  return {
    kind: 'failed',
    domain,
    code: 'DNS_UNAVAILABLE',
    reason: 'DNS unavailable: no server answered for this domain',
  };
}

/** What is printed with `--json`, and what `--diff` reads. */
export type SavedReport = EmailAnswer;
