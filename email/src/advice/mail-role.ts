/** What a domain does with mail, as far as its records tell. */
import { registrableDomain } from '../registrable-domain.ts';
import type { Findings } from '../report/score.ts';
import { isOnlyMinusAll } from './spf-record.ts';

/**
 * The domain says that it sends no mail: a null MX (RFC 7505 §4.2) or an SPF record that lets no host send, and nothing
 * that speaks against it. With a key, `-all` alone is common: services sign with it, and use a return path of their own.
 * With MX records, users may send too.
 */
export function sendsNoMail(findings: Findings): boolean {
  const { mx, spf } = findings;
  if (spf.isUnverified || spf.lookalike !== undefined || mayHaveKey(findings)) return false;
  const [record, ...others] = spf.records;
  const isSilent = record !== undefined && others.length === 0 && isOnlyMinusAll(record);
  if (mx.state === 'null') return record === undefined || isSilent;
  return isSilent && hasNoMx(findings);
}

/** Nothing shows that it sends or receives mail: a parked domain, or one for the web only. */
export function looksUnused(findings: Findings): boolean {
  const { spf } = findings;
  if (sendsNoMail(findings)) return true;
  const hasSpf = spf.isUnverified || spf.records.length > 0 || spf.lookalike !== undefined;
  return hasNoMx(findings) && !hasSpf && !mayHaveKey(findings);
}

/** Set up to send no mail, in every way that there is. */
export function isSetUpForNoMail(findings: Findings): boolean {
  const { mx, spf, dmarc } = findings;
  const { effective_policy, percentage, is_valid } = dmarc.report;
  const isRefused = effective_policy === 'reject' && percentage === 100 && !dmarc.isTestMode && is_valid;
  return sendsNoMail(findings) && mx.state === 'null' && spf.records.length === 1 && isRefused;
}

/** Whether a mailbox at the domain can receive reports. */
export function canReceive({ mx }: Findings): boolean {
  return mx.state === 'valid' || mx.state === 'partly' || mx.state === 'implicit';
}

export function isPublicSuffix(domain: string): boolean {
  return registrableDomain(domain) === undefined;
}

function hasNoMx({ mx }: Findings): boolean {
  return mx.state === 'none' || mx.state === 'implicit';
}

/** A key that was not revoked, usable or not, or one that could not be looked for. */
function mayHaveKey({ dkim }: Findings): boolean {
  const isDoubled = dkim.doubledNames.length > 0;
  return dkim.isUnverified || isDoubled || dkim.keys.some(({ report, isRevoked }) => report.found && !isRevoked);
}
