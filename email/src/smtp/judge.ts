// What a session with an MX host says about its certificate, and whether senders with DANE or
// MTA-STS would deliver.
import type { Finding } from '../findings/finding.ts';
import type { SmtpServer, TransportReport } from '../report.ts';
import { allowsHost } from '../transport/mta-sts-policy.ts';
import { describeCertificate, isSelfSigned, matchesTlsa, NO_CERTIFICATE } from './certificate.ts';
import type { SmtpSession } from './session.ts';

type Judged = Omit<
  SmtpServer<Finding>,
  'banner_addresses' | 'reverse_name' | 'is_reverse_confirmed'
>;

export type SmtpContext = {
  readonly domain: string;
  readonly host: string;
  readonly address: string;
  /** Their DNS records, if they were queried. */
  readonly transport: Pick<TransportReport<Finding>, 'dane' | 'mta_sts'> | undefined;
  readonly now: Date;
};

export function judgeSession(session: SmtpSession, context: SmtpContext): Judged {
  const { host, address } = context;
  const { greeting, hasStartTls, tls, failure } = session;
  const certificate = tls === undefined ? NO_CERTIFICATE : describeCertificate(tls, host);
  // What could not be asked says nothing about the certificate.
  const wasAsked = tls !== undefined || (failure === undefined && !hasStartTls);
  const dane = wasAsked ? daneOf(session, context) : '';
  const mode = modeOf(context);
  const isUnlisted = mode !== undefined && !allowsHost(context.transport?.mta_sts.mx ?? [], host);
  const isAccepted = !isUnlisted && certificate.is_trusted && certificate.is_for_host;
  const policyResult = isAccepted ? 'match' : 'mismatch';
  const mta_sts = mode === undefined || !(wasAsked || isUnlisted) ? '' : policyResult;
  const errors: Finding[] = [
    ...failureOf(session, address),
    ...(failure === undefined && !hasStartTls
      ? [{ code: 'no_starttls', detail: { address } } as const]
      : []),
    // RFC 7672 §3.1: a sender that trusts the TLSA record looks neither for an authority nor, with
    // usage 3, at names.
    ...(dane === 'match' ? [] : certificateFaults(session, context)),
    ...(dane === 'mismatch' ? [{ code: 'dane_mismatch', detail: { host } } as const] : []),
    ...(mta_sts === 'mismatch'
      ? [
          {
            code: 'mta_sts_mismatch',
            detail: { host, mode: mode ?? 'testing', isUnlisted },
          } as const,
        ]
      : []),
  ];
  return {
    host,
    address,
    banner: greeting,
    banner_name: nameIn(greeting),
    has_starttls: hasStartTls,
    tls_version: tls?.version ?? '',
    certificate,
    dane,
    mta_sts,
    stops_delivery: dane === 'mismatch' || (mta_sts === 'mismatch' && mode === 'enforce'),
    // A certificate that ends soon is valid.
    is_valid: errors.every(({ code }) => code === 'certificate_ends_soon'),
    validation_errors: errors,
  };
}

function failureOf({ failure }: SmtpSession, address: string): Finding[] {
  if (failure === undefined) return [];
  if (failure.fault === 'text before TLS')
    return [{ code: 'starttls_injection', detail: { address } }];
  return [{ code: 'smtp_failed', detail: { address, ...failure } }];
}

function certificateFaults({ tls }: SmtpSession, { host, now }: SmtpContext): Finding[] {
  if (tls === undefined) return [];
  const { certificate, trustError = '' } = tls;
  if (certificate === undefined)
    return [{ code: 'certificate_untrusted', detail: { reason: 'no certificate' } }];
  const { valid_from, valid_to, names, is_trusted, is_for_host } = describeCertificate(tls, host);
  const leftMs = new Date(certificate.validTo).getTime() - now.getTime();
  const isEarly = new Date(certificate.validFrom) > now;
  const untrusted: Finding[] =
    is_trusted || DATES.includes(trustError)
      ? []
      : [{ code: 'certificate_untrusted', detail: { reason: trustError } }];
  return [
    ...(leftMs < 0 ? [{ code: 'certificate_expired', detail: { until: valid_to } } as const] : []),
    ...(leftMs >= 0 && leftMs < ENDS_SOON_MS && !isEarly
      ? [{ code: 'certificate_ends_soon', detail: { until: valid_to } } as const]
      : []),
    ...(isEarly
      ? [{ code: 'certificate_not_yet_valid', detail: { from: valid_from } } as const]
      : []),
    ...(isSelfSigned(certificate)
      ? [{ code: 'certificate_self_signed', detail: {} } as const]
      : untrusted),
    ...(is_for_host
      ? []
      : [{ code: 'certificate_other_name', detail: { host, names: names.slice(0, 5) } } as const]),
  ];
}

/** Authorities that renew by themselves have done so at least a fortnight before. */
const ENDS_SOON_MS = 14 * 86_400_000;

/** OpenSSL names one reason; dates are looked at by themselves. */
const DATES: readonly string[] = ['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID'];

/**
 * RFC 7672 §2.2: TLSA records count if DNSSEC authenticates them and the MX records; then TLS is
 * required.
 */
function daneOf(
  { tls }: SmtpSession,
  { domain, host, transport, now }: SmtpContext,
): SmtpServer['dane'] {
  const { is_authenticated = false, hosts = [] } = transport?.dane ?? {};
  const own = hosts.find((candidate) => candidate.host === host);
  if (!is_authenticated || own?.is_authenticated !== true) return '';
  const isMatching = matchesTlsa(own.records, tls?.certificate, [host, domain], now);
  if (isMatching === undefined) return '';
  return isMatching ? 'match' : 'mismatch';
}

function modeOf({ transport }: SmtpContext): 'enforce' | 'testing' | undefined {
  const mode = transport?.mta_sts.mode;
  return mode === 'enforce' || mode === 'testing' ? mode : undefined;
}

/** RFC 5321 §4.2: the greeting begins with the domain of the server. */
function nameIn(greeting: string): string {
  const [word = ''] = greeting.trim().split(' ');
  return /^(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)+[a-z0-9-]{2,63}$/i.test(word)
    ? word.toLowerCase()
    : '';
}
