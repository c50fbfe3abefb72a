/**
 * What a certificate of a mail server says, and whether TLSA records describe it (RFC 6698, RFC
 * 7672).
 */
import { createHash, type X509Certificate } from 'node:crypto';
import type { SmtpCertificate } from '../report.ts';
import { excerpt } from '../visible-text.ts';
import type { SmtpTls } from './session.ts';

const MAX_NAMES = 20;
/** Certificates of a chain that are looked at; a server can send dozens. */
const MAX_CHAIN = 8;

export const NO_CERTIFICATE: SmtpCertificate = {
  names: [],
  issuer: '',
  valid_from: '',
  valid_to: '',
  is_trusted: false,
  is_for_host: false,
};

export function describeCertificate(
  { certificate, trustError }: SmtpTls,
  host: string,
): SmtpCertificate {
  if (certificate === undefined) return NO_CERTIFICATE;
  return {
    names: namesOf(certificate),
    issuer: excerpt(certificate.issuer.split('\n').reverse().join(', '), 200),
    valid_from: isoTime(certificate.validFrom),
    valid_to: isoTime(certificate.validTo),
    is_trusted: trustError === undefined,
    is_for_host: isFor(certificate, host),
  };
}

/**
 * RFC 8461 §4.1, RFC 7672 §3.2.2: the names of the extension count, and `*` stands for a whole
 * label.
 */
function isFor(certificate: X509Certificate, host: string): boolean {
  return certificate.checkHost(host, { subject: 'never', partialWildcards: false }) !== undefined;
}

/** As in `DNS:mx.example.com, DNS:"odd, name"`. */
function namesOf({ subjectAltName = '' }: X509Certificate): string[] {
  const names = [...subjectAltName.matchAll(/DNS:("(?:[^"\\]|\\.)*"|[^,]*)/g)];
  return names.slice(0, MAX_NAMES).map(([, name = '']) => excerpt(name, 253));
}

function isoTime(text: string): string {
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? '' : date.toISOString();
}

export function isSelfSigned(certificate: X509Certificate): boolean {
  return isIssuedBy(certificate, certificate);
}

function isIssuedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  try {
    return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
  } catch {
    // A key of a kind that is not known here.
    return false;
  }
}

/**
 * Usage 3 is the certificate itself (RFC 7672 §3.1.1), 2 an authority of its chain, with name and
 * dates (§3.1.2).
 */
export function matchesTlsa(
  records: readonly string[],
  certificate: X509Certificate | undefined,
  names: readonly string[],
  now: Date,
): boolean | undefined {
  const usable = records.map((record) => record.split(' ')).filter(isUsable);
  if (usable.length === 0) return undefined;
  if (certificate === undefined) return false;
  const [, ...authorities] = chainOf(certificate);
  const isCurrent = new Date(certificate.validFrom) <= now && now <= new Date(certificate.validTo);
  const isValid = isCurrent && names.some((name) => isFor(certificate, name));
  return usable.some(([usage = '', ...rest]) =>
    usage === '3'
      ? isSame(rest, certificate)
      : isValid && authorities.some((authority) => isSame(rest, authority)),
  );
}

function isUsable([usage = '', selector = '', matching = '']: readonly string[]): boolean {
  return /^[23]$/.test(usage) && /^[01]$/.test(selector) && /^[012]$/.test(matching);
}

/** Each signed by the next; what the server sent without that is left out. */
function chainOf(leaf: X509Certificate): X509Certificate[] {
  const chain = [leaf];
  for (let current = leaf; chain.length < MAX_CHAIN; ) {
    const issuer = current.issuerCertificate;
    if (issuer === undefined || !isIssuedBy(current, issuer) || isSelfSigned(current)) break;
    chain.push(issuer);
    current = issuer;
  }
  return chain;
}

const HASHES: Readonly<Record<string, string>> = { '1': 'sha256', '2': 'sha512' };

function isSame(
  [selector = '', matching = '', data = '']: readonly string[],
  certificate: X509Certificate,
): boolean {
  const bytes = selector === '0' ? certificate.raw : publicKeyOf(certificate);
  if (bytes === undefined) return false;
  const hash = HASHES[matching];
  return (
    (hash === undefined ? bytes : createHash(hash).update(bytes).digest()).toString('hex') ===
    data.toLowerCase()
  );
}

function publicKeyOf({ publicKey }: X509Certificate): Buffer | undefined {
  try {
    return publicKey.export({ type: 'spki', format: 'der' });
  } catch {
    return undefined;
  }
}
