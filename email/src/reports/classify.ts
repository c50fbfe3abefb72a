/**
 * Whether the messages of a row are the domain's own. Passes are what the reporter evaluated; alignment is computed again
 * from the results, to flag reporters that disagree with themselves. Each class comes with its evidence.
 */
import { organizationOf } from '../registrable-domain.ts';
import type { DailySource, ReportShape, SeenSource, SenderDecision } from './report.ts';
import type { Sender, SenderFinder } from './sender-places.ts';

/** In the order in which they are tried. */
export const SENDER_CLASSES = ['passes', 'ours_broken', 'forwarded', 'at_named_service', 'not_ours'] as const;
export type SenderClass = (typeof SENDER_CLASSES)[number];

/** Why a row has its class, as data: the code, and what its sentence is made from. */
export type ClassEvidence = {
  readonly [Code in keyof typeof SENTENCES]: { readonly code: Code } & Readonly<
    Parameters<(typeof SENTENCES)[Code]> extends [infer Fact] ? Fact : object
  >;
}[keyof typeof SENTENCES];

export type JudgedSource = {
  readonly source: DailySource;
  readonly sender: Sender;
  readonly class: SenderClass;
  readonly evidence: ClassEvidence;
  /** The results that the reporter lists lead to another evaluation than the one it reports. */
  readonly isContradictory: boolean;
};

/** RFC 9989 §4.4: relaxed or strict, per mechanism. */
export type Alignment = { readonly adkim: 'r' | 's'; readonly aspf: 'r' | 's' };

type ClassSources = {
  readonly senderOf: SenderFinder;
  /** By the id of the sender. */
  readonly decisions: ReadonlyMap<string, SenderDecision>;
  readonly alignment: Alignment;
};

export function classify(
  sources: readonly DailySource[],
  { senderOf, decisions, alignment }: ClassSources,
): JudgedSource[] {
  const placed = sources.map((source) => ({ source, sender: senderOf(source) }));
  const authorized = new Set(placed.filter(({ source }) => source.spfPassed).map(({ sender }) => sender.realm));
  return placed.map(({ source, sender }) => {
    const evidence = evidenceOf(source, sender, decisions.get(sender.id), authorized.has(sender.realm));
    const isContradictory =
      (source.spf.length > 0 && isSpfAligned(source, alignment.aspf) !== source.spfPassed) ||
      (source.dkim.length > 0 && isDkimAligned(source, alignment.adkim) !== source.dkimPassed);
    return { source, sender, class: classOf(evidence), evidence, isContradictory };
  });
}

const FORWARDING_REASONS = ['mailing_list', 'trusted_forwarder', 'forwarded'];

function evidenceOf(
  source: SeenSource,
  sender: Sender,
  decision: SenderDecision | undefined,
  hasPassedSpf: boolean,
): ClassEvidence {
  if (source.dkimPassed) {
    const { selector = '', domain: signer = '' } = ownSignatures(source).find(({ result }) => result === 'pass') ?? {};
    const isForwarded = !source.spfPassed && isAligned(envelopeOf(source), source.headerFrom, 'r');
    return { code: 'dkim_passed', selector, signer, isForwarded };
  }
  if (source.spfPassed) return { code: 'spf_passed', envelope: envelopeOf(source) };
  if (decision !== undefined) return { code: 'decision', decision };
  if (sender.kind === 'own') return { code: 'own_address', term: sender.term };
  const [failed] = ownSignatures(source);
  if (failed !== undefined && hasPassedSpf)
    return { code: 'signature_failed', selector: failed.selector, hasPassedSpf: true };
  const reason = source.reasons.find(
    ({ type, comment }) =>
      FORWARDING_REASONS.includes(type) || (type === 'local_policy' && /\barc\s*=\s*pass\b/i.test(comment)),
  );
  if (reason !== undefined) return { code: 'reported_reason', reason: reason.type };
  // A service that signs as the domain with a key that is not published looks like altered mail. Where SPF names the
  // service, losing that mail must not be called a price of forwarding.
  if (sender.kind === 'named') return { code: 'named_range', term: sender.term, isSigned: failed !== undefined };
  if (failed !== undefined) return { code: 'signature_failed', selector: failed.selector, hasPassedSpf: false };
  return { code: 'no_proof' };
}

const DECIDED_CLASSES = { ours: 'ours_broken', not_ours: 'not_ours', expected_forwarder: 'forwarded' } as const;

function classOf(evidence: ClassEvidence): SenderClass {
  switch (evidence.code) {
    case 'dkim_passed':
    case 'spf_passed':
      return 'passes';
    case 'decision':
      return DECIDED_CLASSES[evidence.decision];
    case 'own_address':
      return 'ours_broken';
    case 'signature_failed':
      return evidence.hasPassedSpf ? 'ours_broken' : 'forwarded';
    case 'reported_reason':
      return 'forwarded';
    case 'named_range':
      return 'at_named_service';
    case 'no_proof':
      return 'not_ours';
  }
}

/** Signatures with our `d=`, whatever became of them. */
export function ownSignatures({ dkim, headerFrom }: ReportShape): ReportShape['dkim'] {
  return dkim.filter(({ domain }) => isAligned(domain, headerFrom, 'r'));
}

export function isDkimAligned({ dkim, headerFrom }: ReportShape, mode: 'r' | 's'): boolean {
  return dkim.some(({ domain, result }) => result === 'pass' && isAligned(domain, headerFrom, mode));
}

function isSpfAligned(row: ReportShape, mode: 'r' | 's'): boolean {
  return spfIdentities(row).some(({ domain, result }) => result === 'pass' && isAligned(domain, row.headerFrom, mode));
}

/** DMARC looks at the envelope; at HELO only for mail without one, such as bounces (RFC 7208 §2.4). */
export function spfIdentities({ spf, envelopeFrom }: ReportShape): ReportShape['spf'] {
  const envelopes = spf.filter(({ scope }) => scope !== 'helo');
  return envelopes.length > 0 || envelopeFrom !== '' ? envelopes : spf;
}

function envelopeOf(row: ReportShape): string {
  return spfIdentities(row)[0]?.domain || row.envelopeFrom;
}

export function isAligned(domain: string, headerFrom: string, mode: 'r' | 's'): boolean {
  if (domain === headerFrom) return domain !== '';
  return mode === 'r' && knownOrganization(domain) === knownOrganization(headerFrom);
}

function knownOrganization(name: string): string {
  let known = organizations.get(name);
  if (known !== undefined) return known;
  known = organizationOf(name);
  if (organizations.size === MAX_KNOWN) organizations.clear();
  organizations.set(name, known);
  return known;
}

/** Rows repeat few names very often. */
const organizations = new Map<string, string>();
const MAX_KNOWN = 1_000;

export function explainEvidence(evidence: ClassEvidence): string {
  // The entry of a code takes evidence of that code.
  return (SENTENCES[evidence.code] as (evidence: ClassEvidence) => string)(evidence);
}

const bySelector = (selector: string) => selector && ` (selector ${selector})`;

const SENTENCES = {
  dkim_passed: ({ signer, selector, isForwarded }: { signer: string; selector: string; isForwarded: boolean }) =>
    `signed as ${signer || 'the domain'}${bySelector(selector)}${isForwarded ? '; SPF failed, so it was forwarded or the server is not in SPF' : ''}`,
  spf_passed: ({ envelope }: { envelope: string }) => `SPF passed for ${envelope || 'the domain'}`,
  decision: ({ decision }: { decision: SenderDecision }) => `decided: ${decision.replaceAll('_', ' ')}`,
  own_address: ({ term }: { term: string }) => `the address is in ${term} of the SPF record`,
  signature_failed: ({ selector, hasPassedSpf }: { selector: string; hasPassedSpf: boolean }) =>
    `a signature of the domain${bySelector(selector)} failed, ${hasPassedSpf ? 'and other mail from there passed SPF' : 'from where no mail passed SPF: altered on the way, or forged'}`,
  reported_reason: ({ reason }: { reason: string }) => `the receiver says ${reason}`,
  named_range: ({ term, isSigned }: { term: string; isSigned: boolean }) =>
    `the address belongs to ${term}, which other customers use too; ${isSigned ? 'its signature failed' : 'the mail was not signed as the domain'}`,
  no_proof: () => 'neither signed as the domain nor from an address that SPF names',
};
