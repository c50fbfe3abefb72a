// DANE for SMTP (RFC 7672): TLSA records count only if DNSSEC authenticates them and the MX
// records.
import type { Answer, MxHost, Resolver } from '../dns/answer.ts';
import { dnsFailure, type Finding, judged } from '../findings/finding.ts';
import type { TlsaFault } from '../findings/finding-text.ts';
import type { DaneHost, DaneReport } from '../report.ts';
import { excerpt } from '../visible-text.ts';

const MAX_QUOTED = 40;

export async function checkDane(
  domain: string,
  mx: Answer<MxHost>,
  hosts: readonly string[],
  resolver: Resolver,
): Promise<DaneReport<Finding>> {
  const checked = await Promise.all(hosts.map((host) => checkHost(host, resolver)));
  const isAuthenticated = mx.kind !== 'failure' && mx.isAuthenticated === true;
  const hasRecords = checked.some(({ report }) => report.records.length > 0);
  const mxErrors: Finding[] =
    hasRecords && !isAuthenticated ? [{ code: 'mx_not_authenticated', detail: { domain } }] : [];
  const errors = [...mxErrors, ...checked.flatMap((host) => host.errors)];
  return {
    is_authenticated: isAuthenticated,
    hosts: checked.map(({ report }) => report),
    ...judged(errors),
  };
}

/** Every host has records that senders may rely on. */
export function hasFullDane({ is_authenticated, hosts }: DaneReport<unknown>): boolean {
  return (
    is_authenticated &&
    hosts.length > 0 &&
    hosts.every((host) => host.is_authenticated && host.records.length > 0)
  );
}

async function checkHost(
  host: string,
  resolver: Resolver,
): Promise<{ report: DaneHost; errors: Finding[] }> {
  const name = `_25._tcp.${host}`;
  const answer = await resolver.tlsa(name);
  if (answer.kind === 'failure')
    return {
      report: { host, records: [], is_authenticated: false },
      errors: [dnsFailure(name, 'TLSA', answer)],
    };
  const records = answer.kind === 'found' ? [...answer.records] : [];
  const is_authenticated = answer.isAuthenticated === true;
  const report = { host, records, is_authenticated };
  if (records.length === 0)
    return { report, errors: [{ code: 'no_tlsa_record', detail: { host } }] };
  const errors = records.flatMap((record) => faultsOf(host, record));
  if (!is_authenticated) errors.unshift({ code: 'tlsa_not_authenticated', detail: { host } });
  return { report, errors };
}

function faultsOf(host: string, record: string): Finding[] {
  const fault = tlsaFault(record);
  if (fault === undefined) return [];
  return [{ code: 'tlsa_unusable', detail: { host, record: excerpt(record, MAX_QUOTED), fault } }];
}

/**
 * RFC 7672 §3.1: PKIX-TA(0) and PKIX-EE(1) need an authority that mail servers do not agree on, and
 * are not used.
 */
function tlsaFault(record: string): TlsaFault | undefined {
  const [usage = '', selector = '', matchingType = '', data = ''] = record.split(' ');
  if (usage !== '2' && usage !== '3') return 'usage';
  if (selector !== '0' && selector !== '1') return 'selector';
  const digits = DIGITS[matchingType];
  if (digits === undefined) return 'matching type';
  const isWhole = digits === 'any' ? data.length > 0 : data.length === digits;
  return isWhole ? undefined : 'length';
}

/** In hexadecimal: the certificate or key itself, SHA-256, SHA-512. */
const DIGITS: Readonly<Record<string, number | 'any'>> = { '0': 'any', '1': 64, '2': 128 };
