/**
 * Whether the messages of a row are the domain's own. Passes are what the reporter evaluated;
 * alignment is computed again from the results, to flag reporters that disagree with themselves.
 * Each class comes with its evidence.
 */
import type { Fact } from '../../findings/sentences.ts';
import { isDomainOf, providerNamed } from '../../providers.ts';
import { organizationOf } from '../../registrable-domain.ts';
import {
  type Alignment,
  envelopeOf,
  isAligned,
  isDkimAligned,
  isSpfAligned,
  ownSignatures,
  spfIdentities,
} from '../alignment.ts';
import type { DailySource, ReportShape, SenderDecision } from '../report.ts';
import type { SenderClass } from './sender-class.ts';
import { type Sender, type SenderFinder, unitOf } from './sender-places.ts';

/** Why a row has its class, as data: the code, and what its sentence is made from. */
export type ClassEvidence = Fact<typeof SENTENCES>;

export type JudgedSource = {
  readonly source: DailySource;
  readonly sender: Sender;
  readonly class: SenderClass;
  readonly evidence: ClassEvidence;
  /** By the reports of large receivers alone; undefined without mail in them. */
  readonly classByLarge: SenderClass | undefined;
  /** The results that the reporter lists lead to another evaluation than the one it reports. */
  readonly isContradictory: boolean;
};

type ClassSources = {
  readonly senderOf: SenderFinder;
  /** By the id of the sender, or of a part of it. */
  readonly decisions: ReadonlyMap<string, SenderDecision>;
  readonly alignment: Alignment;
};

type Placed = { readonly source: DailySource; readonly sender: Sender };

/** Classifies these sources, and with `judgeSource` more rows of the same mail. */
export function classify(
  sources: readonly DailySource[],
  { senderOf, decisions, alignment }: ClassSources,
): { judged: JudgedSource[]; judgeSource: (source: DailySource) => JudgedSource } {
  const placed = sources.map((source) => ({ source, sender: senderOf(source) }));
  const ours = placesOfOurs(placed);
  const byLarge = placed.filter(({ source }) => isInLarge(source));
  const oursByLarge = byLarge.length === placed.length ? ours : placesOfOurs(byLarge);
  const judge = (placedSource: Placed): JudgedSource => {
    const { source, sender } = placedSource;
    const decision = decisions.get(sender.accountId) ?? decisions.get(sender.id);
    const own = evidenceOfMail(placedSource, decision, alignment);
    const evidence = own ?? evidenceOfPlace(placedSource, ours);
    let classByLarge: SenderClass | undefined;
    if (isInLarge(source))
      classByLarge = classOf(own ?? evidenceOfPlace(placedSource, oursByLarge));
    const isContradictory =
      (source.spf.length > 0 && isSpfAligned(source, alignment.aspf) !== source.spfPassed) ||
      (source.dkim.length > 0 && isDkimAligned(source, alignment.adkim) !== source.dkimPassed);
    return { source, sender, class: classOf(evidence), evidence, classByLarge, isContradictory };
  };
  const judgeSource = (source: DailySource) => judge({ source, sender: senderOf(source) });
  return { judged: placed.map(judge), judgeSource };
}

const isInLarge = ({ daily }: DailySource) => daily.some(({ listed }) => listed > 0);

/** Where mail of ours came from. */
type PlacesOfOurs = {
  /** Addresses and /64s of own servers, and those where mail passed by aligned SPF. */
  readonly ownUnits: ReadonlySet<string>;
  /** Networks where mail passed by aligned SPF. */
  readonly realms: ReadonlySet<string>;
  /** By the id of a provider: accounts under which mail passed. */
  readonly accounts: ReadonlyMap<string, ReadonlySet<string>>;
  /** Addresses and /64s from which mail passed by its signature alone: servers and forwarders. */
  readonly signing: ReadonlySet<string>;
  /** By key of the domain: who sends most of what it has signed; empty for senders in SPF. */
  readonly signers: ReadonlyMap<string, string>;
  /** All of them. */
  readonly origins: ReadonlySet<string>;
  /** By network: how many of its addresses send unsigned mail that fails. */
  readonly failing: ReadonlyMap<string, number>;
};

function placesOfOurs(placed: readonly Placed[]): PlacesOfOurs {
  const ownUnits = new Set<string>();
  const realms = new Set<string>();
  const accounts = new Map<string, Set<string>>();
  const signing = new Set<string>();
  const signed = new Map<string, Map<string, number>>();
  for (const { source, sender } of placed) {
    const { dkimPassed } = source;
    // A pass of which the reporter lists no aligned name makes no place the domain's.
    const spfPassed = source.spfPassed && (source.spf.length === 0 || isSpfAligned(source, 'r'));
    const isOurs = spfPassed && sender.kind !== 'provider';
    if (sender.kind === 'own' || isOurs) ownUnits.add(sender.account);
    if (isOurs) realms.add(sender.realm);
    const isOwnBounce = dkimPassed && isDomainOf(envelopeOf(source), providerNamed(sender.name));
    if (sender.kind === 'provider' && (spfPassed || isOwnBounce))
      addTo(accounts, sender.id, sender.account);
    if (dkimPassed && !spfPassed) signing.add(unitOf(source.address));
    if (!dkimPassed) continue;
    const origin = spfPassed ? '' : (provenBounce(source, sender) ?? sender.accountId);
    for (const signature of ownSignatures(source)) {
      if (signature.result !== 'pass') continue;
      const key = keyOf(signature);
      const origins = signed.get(key) ?? new Map<string, number>();
      signed.set(key, origins);
      // Whatever others repeat of what a sender in SPF has signed.
      const messages = spfPassed ? Number.POSITIVE_INFINITY : source.messages;
      origins.set(origin, (origins.get(origin) ?? 0) + messages);
    }
  }
  const signers = new Map([...signed].map(([key, origins]) => [key, mostOf(origins)]));
  return {
    ownUnits,
    realms,
    accounts,
    signing,
    signers,
    origins: new Set(signers.values()),
    failing: failingUnits(placed, realms),
  };
}

/** Who sends more than half; empty if no one does. */
function mostOf(origins: ReadonlyMap<string, number>): string {
  const sum = [...origins.values()].reduce((total, messages) => total + messages, 0);
  return [...origins].find(([, messages]) => messages > sum / 2)?.[0] ?? '';
}

function failingUnits(placed: readonly Placed[], realms: ReadonlySet<string>) {
  const units = new Map<string, Set<string>>();
  const counts = new Map<string, number>();
  for (const { source, sender } of placed) {
    const isFailing = !source.spfPassed && !source.dkimPassed;
    if (!isFailing || sender.kind !== 'network' || !realms.has(sender.realm)) continue;
    if (source.isSummed)
      counts.set(sender.realm, (counts.get(sender.realm) ?? 0) + source.addresses);
    else addTo(units, sender.realm, sender.account);
  }
  for (const [realm, found] of units) counts.set(realm, (counts.get(realm) ?? 0) + found.size);
  return counts;
}

function addTo(sets: Map<string, Set<string>>, key: string, value: string): void {
  const set = sets.get(key);
  if (set === undefined) sets.set(key, new Set([value]));
  else set.add(value);
}

/**
 * An SPF domain that passed and belongs to neither the organization of From nor the provider that
 * has the address: the mail was sent, or sent on, by another organization.
 */
function provenBounce(source: ReportShape, sender: Sender): string | undefined {
  for (const { domain, result } of spfIdentities(source)) {
    if (result !== 'pass' || domain === '' || isAligned(domain, source.headerFrom, 'r')) continue;
    const organization = organizationOf(domain);
    // outlook.com itself has mailboxes of users, as gmail.com has; names below it are its servers'.
    const isOfUsers = sender.role === 'mailbox' && domain === organization;
    const isOfProvider =
      !isOfUsers &&
      (isDomainOf(domain, providerNamed(sender.name)) || organization === sender.name);
    if (sender.kind !== 'provider' || !isOfProvider) return organization;
  }
  return undefined;
}

const keyOf = ({ selector, domain }: ReportShape['dkim'][number]) => `${selector} ${domain}`;

const FORWARDING_REASONS = ['mailing_list', 'trusted_forwarder', 'forwarded'];

export function isForwardingReason({ type, comment }: ReportShape['reasons'][number]): boolean {
  if (type === 'local_policy') return /\barc\s*=\s*pass\b/i.test(comment);
  return FORWARDING_REASONS.includes(type);
}

/** Servers of one organization in a network that others rent addresses of too. */
const MAX_NEIGHBOURS = 8;

/** What decides wherever other mail comes from. */
function evidenceOfMail(
  { source, sender }: Placed,
  decision: SenderDecision | undefined,
  alignment: Alignment,
): ClassEvidence | undefined {
  if (source.dkimPassed) {
    const { selector = '', domain: signer = '' } =
      ownSignatures(source).find(({ result }) => result === 'pass') ?? {};
    const isForwarded = !source.spfPassed && isAligned(envelopeOf(source), source.headerFrom, 'r');
    return { code: 'dkim_passed', selector, signer, isForwarded };
  }
  if (source.spfPassed) return { code: 'spf_passed', envelope: envelopeOf(source) };
  if (decision !== undefined) return { code: 'decision', decision };
  if (sender.kind === 'own') return { code: 'own_address', term: sender.term };
  const unaligned = unalignedName(source, alignment);
  return unaligned === undefined ? undefined : { code: 'not_aligned', name: unaligned };
}

function evidenceOfPlace({ source, sender }: Placed, ours: PlacesOfOurs): ClassEvidence {
  const [failed] = ownSignatures(source);
  const other = provenBounce(source, sender);
  const isPlace = isPlaceOfOurs(sender, ours);
  const reason = source.reasons.find(isForwardingReason);
  // Forwarders send a part of what a key has signed. Where most of it comes from, other mail is
  // signed: what is not, or has a broken signature, may be the domain's too.
  const origin = other ?? sender.accountId;
  const signer = (failed && ours.signers.get(keyOf(failed))) ?? origin;
  const isSigner = signer === origin && ours.origins.has(origin);
  if (failed !== undefined) {
    const { selector } = failed;
    if (isPlace && other === undefined) {
      // Anyone can write a signature of the domain, and it fails.
      if (isShared(sender, other, ours)) return { code: 'beside_ours', place: sender.realm };
      return { code: 'signature_failed', selector, hasPassedSpf: true };
    }
    const isSentOn = other !== undefined && sender.role !== 'service';
    const isOfSigner = isSigner && reason === undefined;
    if ((isSentOn || sender.term === '') && !isOfSigner)
      return { code: 'signature_failed', selector, hasPassedSpf: false };
  }
  if (reason !== undefined) return { code: 'reported_reason', reason: reason.type };
  // Hosts of mailboxes and gateways send for all of their customers, and forward forged mail too.
  const isOfCustomers = ['mailbox', 'gateway'].includes(sender.role);
  if (other !== undefined && isOfCustomers) return { code: 'other_customer', organization: other };
  const isProvider = sender.kind === 'provider';
  if (sender.term !== '' && !sender.isNamed && !(isProvider && isPlace))
    return { code: 'neutral_address', term: sender.term };
  if (isProvider && (isPlace || sender.isNamed))
    return atProvider(sender, failed !== undefined, ours);
  if (sender.kind === 'network' && isPlace) return inNetwork(sender, other, ours);
  if (!source.isSummed && !isOfCustomers && ours.signing.has(unitOf(source.address)))
    return { code: 'unsigned_here', address: unitOf(source.address) };
  return isSigner ? { code: 'unsigned_here', address: origin } : { code: 'no_proof' };
}

function isPlaceOfOurs({ kind, id, account, realm }: Sender, ours: PlacesOfOurs): boolean {
  if (kind === 'provider') return ours.accounts.get(id)?.has(account) ?? false;
  return ours.ownUnits.has(account) || ours.realms.has(realm);
}

function atProvider(sender: Sender, isSigned: boolean, ours: PlacesOfOurs): ClassEvidence {
  const { id, account, term } = sender;
  if (!isPlaceOfOurs(sender, ours) && account !== '' && ours.accounts.has(id))
    return { code: 'other_account', account };
  return term === ''
    ? { code: 'place_of_ours', place: sender.name }
    : { code: 'named_range', term, isSigned };
}

/**
 * A network is not proof by itself: where its customers rent single addresses, many that fail, or
 * the name of another organization, may be a neighbour's.
 */
function isShared(
  { kind, realm, account, isOfOne }: Sender,
  other: string | undefined,
  ours: PlacesOfOurs,
): boolean {
  if (kind !== 'network' || isOfOne || ours.ownUnits.has(account)) return false;
  return other !== undefined || (ours.failing.get(realm) ?? 0) > MAX_NEIGHBOURS;
}

function inNetwork(sender: Sender, other: string | undefined, ours: PlacesOfOurs): ClassEvidence {
  const { realm, account } = sender;
  if (isShared(sender, other, ours)) return { code: 'beside_ours', place: realm };
  return { code: 'place_of_ours', place: ours.ownUnits.has(account) ? account : realm };
}

/** A verified name of ours that only strict alignment keeps from passing. */
function unalignedName(source: ReportShape, { adkim, aspf }: Alignment): string | undefined {
  const isUnaligned = (mode: 'r' | 's') => (verified: { domain: string; result: string }) =>
    mode === 's' &&
    verified.result === 'pass' &&
    verified.domain !== source.headerFrom &&
    isAligned(verified.domain, source.headerFrom, 'r');
  const found =
    source.dkim.find(isUnaligned(adkim)) ?? spfIdentities(source).find(isUnaligned(aspf));
  return found?.domain;
}

const DECIDED_CLASSES = {
  ours: 'ours_broken',
  not_ours: 'not_ours',
  expected_forwarder: 'forwarded',
} as const;

function classOf(evidence: ClassEvidence): SenderClass {
  switch (evidence.code) {
    case 'dkim_passed':
    case 'spf_passed':
      return 'passes';
    case 'decision':
      return DECIDED_CLASSES[evidence.decision];
    case 'own_address':
    case 'not_aligned':
      return 'ours_broken';
    case 'signature_failed':
      return evidence.hasPassedSpf ? 'ours_broken' : 'forwarded';
    case 'reported_reason':
      return 'forwarded';
    case 'named_range':
    case 'place_of_ours':
      return 'at_named_service';
    case 'other_account':
    case 'beside_ours':
    case 'neutral_address':
    case 'unsigned_here':
      return 'undecided';
    case 'other_customer':
    case 'no_proof':
      return 'not_ours';
  }
}

export function explainEvidence(evidence: ClassEvidence): string {
  // The entry of a code takes evidence of that code.
  return (SENTENCES[evidence.code] as (evidence: ClassEvidence) => string)(evidence);
}

const bySelector = (selector: string) => selector && ` (selector ${selector})`;

const SENTENCES = {
  dkim_passed: ({
    signer,
    selector,
    isForwarded,
  }: {
    signer: string;
    selector: string;
    isForwarded: boolean;
  }) =>
    `signed as ${signer || 'the domain'}${bySelector(selector)}${isForwarded ? '; SPF failed, so it was forwarded or the server is not in SPF' : ''}`,
  spf_passed: ({ envelope }: { envelope: string }) => `SPF passed for ${envelope || 'the domain'}`,
  decision: ({ decision }: { decision: SenderDecision }) =>
    `decided: ${decision.replaceAll('_', ' ')}`,
  own_address: ({ term }: { term: string }) => `the address is in ${term} of the SPF record`,
  not_aligned: ({ name }: { name: string }) =>
    `${name} was verified, which strict alignment does not accept for the name in From`,
  signature_failed: ({ selector, hasPassedSpf }: { selector: string; hasPassedSpf: boolean }) =>
    `a signature of the domain${bySelector(selector)} failed, ${hasPassedSpf ? 'and other mail from there passed SPF' : 'at a sender that is not the domain’s: altered on the way, or forged'}`,
  reported_reason: ({ reason }: { reason: string }) => `the receiver says ${reason}`,
  named_range: ({ term, isSigned }: { term: string; isSigned: boolean }) =>
    `the address belongs to ${term}, which other customers use too; ${isSigned ? 'its signature failed' : 'the mail was not signed as the domain'}`,
  place_of_ours: ({ place }: { place: string }) =>
    `other mail of the domain from ${place} passed; this was neither signed as the domain nor passed SPF`,
  other_account: ({ account }: { account: string }) =>
    `mail of the domain passes under another account there, and none under ${account}`,
  beside_ours: ({ place }: { place: string }) =>
    `mail of the domain from ${place} passed SPF, but others have addresses there too`,
  neutral_address: ({ term }: { term: string }) =>
    `${term.replace('?', '')} is an MX host, or SPF names it with ?: neither says whether it sends`,
  unsigned_here: ({ address }: { address: string }) =>
    `other mail of ${address} was signed as the domain, as by a sender of the domain or a forwarder`,
  other_customer: ({ organization }: { organization: string }) =>
    `sent by ${organization}, another customer of the provider`,
  no_proof: () => 'neither signed as the domain nor from an address that SPF names',
};
