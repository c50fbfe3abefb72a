// What changed between two reports of a domain, each with the reason why it matters. What DNS did not answer for, then
// or now, is not a change.
import { isWeakerAll, policyStrength, policyWords } from '../advice/policy-strength.ts';
import { colonList, parseTagList, tagValue } from '../records/tag-list.ts';
import type { DkimReport, EmailReport, TransportReport } from '../report.ts';
import { type Evidence, keyFingerprint, mailboxProviders } from './evidence.ts';
import { errorsOf, PARTS, type Part } from './part-state.ts';
import { type ComparedPart, compareLists, compareTexts, isFailureText, type ReportChange } from './report-change.ts';

export type ComparedReport = EmailReport & { readonly evidence?: Evidence };

/** What endangers the domain comes first in each part. */
export function compareReports(before: ComparedReport, now: ComparedReport): ReportChange[] {
  const unknown = new Set<ComparedPart>([...unverifiedParts(before), ...unverifiedParts(now)]);
  const isKnown = (part: ComparedPart) => !unknown.has(part);
  return [
    ...(unknown.size === 0 ? compareScores(before, now) : []),
    ...(isKnown('mx') ? compareMx(before, now) : unverified('mx', now)),
    ...(isKnown('spf') ? compareSpf(before, now) : unverified('spf', now)),
    ...(isKnown('dkim') ? compareKeys(before.dkim, now.dkim) : unverified('dkim', now)),
    ...(isKnown('dmarc') ? compareDmarc(before, now) : unverified('dmarc', now)),
    ...compareDangling(before, now),
    // Only what both reports have: the options may have been others.
    ...(before.transport && now.transport ? compareTransport(before.transport, now.transport) : []),
  ];
}

export function scoreText({ grade, domain_auth_score }: EmailReport): string {
  return `${grade} ${domain_auth_score}`;
}

/** Parts of the report that DNS did not answer for. */
export function unverifiedParts(report: ComparedReport): Part[] {
  const errors = errorsOf(report);
  const failed = PARTS.filter((part) => errors[part].some(isFailureText));
  return [...new Set([...(report.evidence?.unverified ?? []), ...failed])];
}

/** Reported for the new report only: the comparison with the old one has reported it before. */
function unverified(part: Part, now: ComparedReport): ReportChange[] {
  if (!unverifiedParts(now).includes(part)) return [];
  const reason = errorsOf(now)[part].find(isFailureText);
  return [{ kind: 'unverified', part, reason: reason ?? 'DNS did not answer for some selectors' }];
}

function compareScores(before: EmailReport, now: EmailReport): ReportChange[] {
  const [from, to] = [scoreText(before), scoreText(now)];
  return from === to ? [] : [{ kind: 'score', from, to }];
}

function compareMx({ mx: before }: EmailReport, { mx: now }: EmailReport): ReportChange[] {
  const [from, to] = [mailboxProviders(before.records).join(', '), mailboxProviders(now.records).join(', ')];
  const why =
    'Mail for the domain is now received elsewhere, also messages that confirm a sign-in or reset a password.';
  return [
    ...compareTexts('mx', 'provider', from, to, why),
    ...compareLists('mx', 'host', before.records, now.records),
    ...compareLists('mx', 'error', before.errors, now.errors),
  ];
}

const BECAME_OPEN = 'Anyone can now send mail as the domain, and DMARC passes for it.';

function compareSpf(before: ComparedReport, now: ComparedReport): ReportChange[] {
  const maySend = (report: ComparedReport) => (isOpenToAll(report) ? 'everyone' : 'the servers that are listed');
  const why = isOpenToAll(now) ? BECAME_OPEN : undefined;
  const isWeaker = isWeakerAll(before.spf, now.spf);
  const weakerAll = isWeaker ? 'Receivers are told less about servers that are not listed.' : undefined;
  return [
    ...compareTexts('spf', 'who may send', maySend(before), maySend(now), why),
    ...compareSenderCounts(before, now),
    ...compareTexts('spf', 'record', before.spf.raw, now.spf.raw, weakerAll),
    ...compareTexts('spf', 'lookups', String(before.spf.dns_lookup_count), String(now.spf.dns_lookup_count)),
    ...compareLists('spf', 'error', before.spf.validation_errors, now.spf.validation_errors),
  ];
}

function isOpenToAll({ spf, evidence }: ComparedReport): boolean {
  return evidence?.open_to_all ?? spf.is_permissive;
}

/** More addresses than this, and twice as many as before, is growth; less is how providers change their ranges. */
const NOTABLE_ADDRESSES = 256;

function compareSenderCounts({ evidence: before }: ComparedReport, { evidence: now }: ComparedReport): ReportChange[] {
  if (before === undefined || now === undefined || now.open_to_all) return [];
  const hasGrown = (from: number, to: number) => to > 2 * from && to - from > NOTABLE_ADDRESSES;
  const changes: ReportChange[] = [];
  for (const { term, ipv4_addresses, ipv6_48s } of now.spf_terms) {
    const old = before.spf_terms.find((candidate) => candidate.term === term);
    // A term that is new shows in the record.
    if (old === undefined) continue;
    const isIpv4 = hasGrown(old.ipv4_addresses, ipv4_addresses);
    if (!isIpv4 && !(ipv6_48s > 2 * old.ipv6_48s && ipv6_48s - old.ipv6_48s > 16)) continue;
    const texts = isIpv4
      ? [addresses(old.ipv4_addresses), addresses(ipv4_addresses)]
      : [slash48s(old.ipv6_48s), slash48s(ipv6_48s)];
    changes.push(grown(`what ${term} lets send`, texts));
  }
  if (changes.length === 0 && hasGrown(before.ipv4_addresses, now.ipv4_addresses))
    changes.push(grown('what SPF lets send', [addresses(before.ipv4_addresses), addresses(now.ipv4_addresses)]));
  return changes;
}

function grown(what: string, [from = '', to = '']: readonly string[]): ReportChange {
  const why = 'Many more servers than before pass SPF as the domain.';
  return { kind: 'changed', part: 'spf', what, from, to, why };
}

function addresses(count: number): string {
  return `${count.toLocaleString('en')} IPv4 addresses`;
}

function slash48s(count: number): string {
  return `${count.toLocaleString('en')} IPv6 /48s`;
}

/** By key, not by selector: a key that moves to another selector is the same key. */
function compareKeys(before: readonly DkimReport[], now: readonly DkimReport[]): ReportChange[] {
  const [old, current] = [usable(before), usable(now)];
  const gone = [...old].filter(([fingerprint]) => !current.has(fingerprint));
  const added = [...current].filter(([fingerprint]) => !old.has(fingerprint));
  return [
    ...gone.map(changedKey('removed', 'Mail that is signed with this key no longer passes DKIM.')),
    ...added.map(changedKey('added', 'The owner of this key can sign mail as the domain.')),
    ...[...current].flatMap(([fingerprint, key]) => compareTestMode(old.get(fingerprint), key)),
    ...compareLists('dkim', 'error', keyErrors(before), keyErrors(now)),
  ];
}

function compareTestMode(before: DkimReport | undefined, now: DkimReport): ReportChange[] {
  const mode = ({ raw }: DkimReport) =>
    colonList(tagValue(parseTagList(raw), 't') ?? '').includes('y') ? 'in test mode (t=y)' : 'in use';
  const why = mode(now) === 'in use' ? undefined : 'Receivers are asked to treat mail with this key as not signed.';
  return before === undefined ? [] : compareTexts('dkim', `key ${now.selector}`, mode(before), mode(now), why);
}

function usable(keys: readonly DkimReport[]): Map<string, DkimReport> {
  return new Map(
    keys
      .filter(({ found }) => found)
      .flatMap((key) => (keyFingerprint(key) === '' ? [] : [[keyFingerprint(key), key]])),
  );
}

const changedKey =
  (kind: 'added' | 'removed', why: string) =>
  ([fingerprint, { selector, key_type, key_bits }]: [string, DkimReport]): ReportChange => {
    const value = `${selector}, ${key_type || 'unknown type'} ${key_bits}, fingerprint ${fingerprint}`;
    return { kind, part: 'dkim', what: 'key', value, why };
  };

/** A missing selector carries only the error `selector_not_found`, which is not a change of a key. */
function keyErrors(keys: readonly DkimReport[]): string[] {
  return keys
    .filter(({ found }) => found)
    .flatMap(({ selector, validation_errors }) => validation_errors.map((error) => `${selector}: ${error}`));
}

function compareDmarc({ dmarc: before }: EmailReport, { dmarc: now }: EmailReport): ReportChange[] {
  const [then, current] = [policyStrength(before), policyStrength(now)];
  const why = (name: 'own' | 'subdomains' | 'nonexistent', text: string) =>
    current[name] < then[name] ? text : undefined;
  const below = 'Others can send as subdomains more easily than before.';
  const text = (...texts: TextsToCompare) => compareTexts('dmarc', ...texts);
  return [
    ...text(
      'policy in force',
      policyWords(before),
      policyWords(now),
      why('own', 'Receivers refuse less of the mail that others send as the domain.') ?? why('subdomains', below),
    ),
    ...text('policy for subdomains', before.subdomain_policy, now.subdomain_policy, why('subdomains', below)),
    ...text('policy for names that do not exist', then.np, current.np, why('nonexistent', below)),
    ...text('record', before.raw, now.raw),
    ...text('record of', before.record_domain, now.record_domain),
    ...compareLists(
      'dmarc',
      'report address',
      before.aggregate_report_uris,
      now.aggregate_report_uris,
      'Reports name every server that sends as the domain; this address now receives them.',
      'Reports no longer go to this address.',
    ),
    ...compareLists('dmarc', 'error', before.validation_errors, now.validation_errors),
  ];
}

type TextsToCompare = [what: string, from: string, to: string, why?: string | undefined];

function compareDangling({ evidence: before }: ComparedReport, { evidence: now }: ComparedReport): ReportChange[] {
  if (before === undefined || now === undefined) return [];
  const isUnknown = (part: Part) => [...before.unverified, ...now.unverified].includes(part);
  const added = now.dangling.filter(
    ({ part, name }) => !isUnknown(part) && !before.dangling.some((old) => old.name === name),
  );
  return added.map(({ part, name }) => ({
    kind: 'added',
    part,
    what: 'name that does not exist',
    value: name,
    why: 'A record refers to it; if its domain is free, another owner can register it and act for this domain.',
  }));
}

function compareTransport(before: TransportReport, now: TransportReport): ReportChange[] {
  const part = <Name extends keyof TransportReport>(
    name: Name,
    compareRecords: (old: TransportReport[Name], current: TransportReport[Name]) => ReportChange[],
  ): ReportChange[] => {
    const old = before[name];
    const current = now[name];
    const reason = current.validation_errors.find(isFailureText);
    if (reason !== undefined) return [{ kind: 'unverified', part: name, reason }];
    if (old.validation_errors.some(isFailureText)) return [];
    return [
      ...compareRecords(old, current),
      ...compareLists(name, 'error', old.validation_errors, current.validation_errors),
    ];
  };
  const tlsa = ({ hosts }: TransportReport['dane']) =>
    hosts.flatMap(({ host, records }) => records.map((record) => `${host} ${record}`));
  return [
    ...part('mta_sts', (old, current) => [
      ...compareTexts('mta_sts', 'record', old.raw, current.raw),
      ...compareTexts('mta_sts', 'mode', old.mode, current.mode),
      ...compareLists('mta_sts', 'host', old.mx, current.mx),
    ]),
    ...part('tls_rpt', (old, current) => compareTexts('tls_rpt', 'record', old.raw, current.raw)),
    ...part('dane', (old, current) => compareLists('dane', 'TLSA', tlsa(old), tlsa(current))),
    ...part('bimi', (old, current) => compareTexts('bimi', 'record', old.raw, current.raw)),
    ...part('dnssec', () => []),
    ...part('sender_rules', () => []),
  ];
}
