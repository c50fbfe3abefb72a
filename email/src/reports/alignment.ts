/**
 * Alignment of identifiers with the name in From (RFC 9989 §4.4), computed from a row's results.
 */
import { organizationOf } from '../registrable-domain.ts';
import type { ReportShape } from './report.ts';

/** Relaxed or strict, per mechanism. */
export type Alignment = { readonly adkim: 'r' | 's'; readonly aspf: 'r' | 's' };

/** Signatures with our `d=`, whatever became of them. */
export function ownSignatures({ dkim, headerFrom }: ReportShape): ReportShape['dkim'] {
  return dkim.filter(({ domain }) => isAligned(domain, headerFrom, 'r'));
}

export function isDkimAligned(
  { dkim, headerFrom }: Pick<ReportShape, 'dkim' | 'headerFrom'>,
  mode: 'r' | 's',
): boolean {
  return dkim.some(
    ({ domain, result }) => result === 'pass' && isAligned(domain, headerFrom, mode),
  );
}

export function isSpfAligned(
  row: Pick<ReportShape, 'spf' | 'headerFrom' | 'envelopeFrom'>,
  mode: 'r' | 's',
): boolean {
  return spfIdentities(row).some(
    ({ domain, result }) => result === 'pass' && isAligned(domain, row.headerFrom, mode),
  );
}

/**
 * DMARC looks at the envelope; at HELO only for mail without one, such as bounces (RFC 7208 §2.4).
 */
export function spfIdentities({
  spf,
  envelopeFrom,
}: Pick<ReportShape, 'spf' | 'envelopeFrom'>): ReportShape['spf'] {
  const envelopes = spf.filter(({ scope }) => scope !== 'helo');
  return envelopes.length > 0 || envelopeFrom !== '' ? envelopes : spf;
}

export function envelopeOf(row: ReportShape): string {
  return spfIdentities(row)[0]?.domain || row.envelopeFrom;
}

export function isAligned(domain: string, headerFrom: string, mode: 'r' | 's'): boolean {
  if (domain === headerFrom) return domain !== '';
  return mode === 'r' && organizationOf(domain) === organizationOf(headerFrom);
}
