import type { DmarcRecord } from '../dmarc/dmarc.ts';
import { registrableDomain } from '../registrable-domain.ts';
import type { Findings } from '../score/score.ts';
import { parseSpf } from '../spf/spf.ts';
import { isOnlyMinusAll, listsNoSender } from '../spf/spf-record.ts';

/**
 * A null MX (RFC 7505 §4.2), or `-all` without MX; and no key: services that sign have their own
 * return path.
 */
export function sendsNoMail(findings: Findings): boolean {
  const { mx, spf } = findings;
  if (spf.isUnverified || spf.lookalike !== undefined || mayHaveKey(findings)) return false;
  const [record] = spf.records;
  if (mx.state === 'null') return record === undefined || namesNoSender(findings);
  return record !== undefined && isOnlyMinusAll(record) && hasNoMx(findings);
}

/**
 * One SPF record that lets no server send, however it ends. With a null MX, `mx` leads to no
 * server.
 */
function namesNoSender({ mx, spf }: Findings): boolean {
  const [record, ...others] = spf.records;
  if (record === undefined || others.length > 0 || spf.openToAll !== undefined) return false;
  const text = mx.state === 'null' ? record.replace(/ \+?mx(?=\s|$)/gi, '') : record;
  return parseSpf(text).errors.length === 0 && listsNoSender(text);
}

/** Nothing shows that it sends or receives mail: a parked domain, or one for the web only. */
export function looksUnused(findings: Findings): boolean {
  const { spf } = findings;
  if (sendsNoMail(findings)) return true;
  if (!hasNoMx(findings) || mayHaveKey(findings) || spf.isUnverified || spf.lookalike !== undefined)
    return false;
  // `~all` or `?all` alone lists no server, but does not say that there is none.
  return spf.records.length === 0 || (spf.report.is_valid && namesNoSender(findings));
}

/** Set up to send no mail, in every way that there is. */
export function isSetUpForNoMail(findings: Findings): boolean {
  const { mx, spf, dmarc } = findings;
  const { effective_policy, percentage, is_valid } = dmarc.report;
  const isRefused =
    effective_policy === 'reject' && percentage === 100 && !dmarc.isTestMode && is_valid;
  return (
    sendsNoMail(findings) && mx.state === 'null' && isOnlyMinusAll(spf.report.raw) && isRefused
  );
}

/** Whether a mailbox at the domain can receive reports. After a failure of DNS it is not known. */
export function receivesMail({ mx }: Pick<Findings, 'mx'>): 'yes' | 'no' | 'unknown' {
  if (mx.state === 'unverified') return 'unknown';
  return mx.state === 'valid' || mx.state === 'partly' || mx.state === 'implicit' ? 'yes' : 'no';
}

export function isPublicSuffix(domain: string): boolean {
  return registrableDomain(domain) === undefined;
}

/** A record that decides for domains of other owners. */
export function isSuffixRecord(name: string, { psd }: Pick<DmarcRecord, 'psd'>): boolean {
  return psd === 'y' || isPublicSuffix(name);
}

function hasNoMx({ mx }: Findings): boolean {
  if (mx.state === 'none' || mx.state === 'implicit') return true;
  // Each sender's own machine: no mail arrives.
  return mx.report.records.length > 0 && mx.report.records.every(isOwnMachine);
}

const isOwnMachine = (host: string) => host === 'localhost' || host.endsWith('.localhost');

/** A key that was not revoked, usable or not, or one that could not be looked for. */
function mayHaveKey({ dkim }: Findings): boolean {
  const isDoubled = dkim.doubledNames.length > 0;
  return (
    dkim.isUnverified ||
    isDoubled ||
    dkim.keys.some(({ report, isRevoked }) => report.found && !isRevoked)
  );
}
