/** What became of the check of one domain. */
import type { DnsFault } from '@whence/email/internal/dns/fault';
import type { Evidence } from '@whence/email/internal/report/evidence';
import type { Checked } from '../../email-checks/examine-mail.ts';
import type { EmailAnswer } from '../../email-checks/fit-answer.ts';

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

/** `servers` are those that were asked. */
export function dnsUnavailable(domain: string, servers: readonly string[], fault: DnsFault | undefined): Failed {
  const asked = servers.length === 0 ? 'no DNS server is configured' : `asked ${servers.join(', ')}`;
  const why = fault === undefined ? 'no server answered for this domain' : FAULTS[fault];
  return { kind: 'failed', domain, code: 'DNS_UNAVAILABLE', reason: `DNS unavailable: ${why} (${asked})` };
}

const FAULTS: Readonly<Record<DnsFault, string>> = {
  signatures: 'the DNSSEC signatures of the domain do not validate; without validation the resolver answers',
  servers: 'the servers of the domain do not answer the resolver',
};

/** What is printed with `--json`, and what `--diff` reads. Answers of the API have no evidence. */
export type SavedReport = EmailAnswer & { readonly evidence?: Evidence };
