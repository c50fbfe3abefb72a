/**
 * Which DMARC record applies to a domain: its own, or one further up, found by the tree walk of RFC 9989 §4.10.
 *
 *     domain             asked under _dmarc.
 *     a.b.example.com    a.b.example.com  b.example.com  example.com  com
 *
 * All names are known in advance, so they are asked at once, and the walk is done over the answers. What was asked in vain
 * because the walk had already stopped, is not looked at.
 */

import { type DmarcRecord, parseDmarc, selectDmarc } from './dmarc.ts';
import { checkDestinations, type Destinations } from './dmarc-destinations.ts';
import type { Answer, Resolver } from './dns.ts';
import { registrableDomain } from './registrable-domain.ts';
import type { DmarcPolicy, DmarcReport } from './report.ts';
import { quote } from './tag-list.ts';

export type DomainState = 'exists' | 'nxdomain' | 'unknown';

export type DmarcFindings = {
  report: DmarcReport;
  isUnverified: boolean;
  /** There is something, but no policy applies: several records, or no usable policy and nobody to report it to. */
  isFatal: boolean;
  hasNonFatalErrors: boolean;
  isTestMode: boolean;
  historicTags: string[];
  unauthorizedDestinations: Destinations['unauthorized'];
  unverifiedDestinations: string[];
  /** RFC 7489 receivers, who ask only the domain and its registrable domain, use another record or none. */
  modelsDisagree: boolean;
  subdomainPolicyIsWeaker: boolean;
  recordDomain: string;
};

export type Discovery = { readonly organizationalDomain: string } & (
  | {
      readonly kind: 'record';
      readonly recordDomain: string;
      readonly record: DmarcRecord;
      readonly modelsDisagree: boolean;
    }
  | { readonly kind: 'multiple'; readonly recordDomain: string; readonly raws: readonly string[] }
  | { readonly kind: 'none'; readonly lookalike?: { readonly name: string; readonly raw: string } }
  | { readonly kind: 'unverified'; readonly name: string; readonly reason: string }
);

export async function checkDmarc(
  domain: string,
  resolver: Resolver,
  domainState: Promise<DomainState>,
): Promise<DmarcFindings> {
  const ask = async (name: string) => [name, await resolver.txt(`_dmarc.${name}`)] as const;
  const discovery = discover(domain, new Map(await Promise.all(walkNames(domain).map(ask))));
  if (discovery.kind !== 'record') return withoutRecord(domain, discovery);
  const { record, recordDomain } = discovery;
  const [state, destinations] = await Promise.all([
    domainState,
    checkDestinations(recordDomain, [...record.aggregateUris, ...record.forensicUris], resolver),
  ]);
  return withRecord(domain, discovery, state, destinations);
}

/** RFC 9989 §4.10: the domain and every name above it, but of a long name only those of at most seven labels. */
export function walkNames(domain: string): string[] {
  const labels = domain.split('.');
  const parents = labels.map((_, at) => labels.slice(at).join('.')).slice(1);
  return [domain, ...parents.slice(-7)];
}

/** `answers` by name, without `_dmarc.`. */
export function discover(domain: string, answers: ReadonlyMap<string, Answer<string>>): Discovery {
  const steps = walk(domain, answers);
  const [own, ...parents] = steps;
  // A failure below the public suffix leaves open which name is the highest with a record.
  const isUncertain = steps.some((step) => step.kind === 'failure' && registrableDomain(step.name) !== undefined);
  const decided = organizationalDomain(domain, steps);
  const fallback = registrableDomain(domain) ?? domain;
  const organization = { organizationalDomain: isUncertain ? fallback : (decided ?? fallback) };

  if (own?.kind === 'failure') return { kind: 'unverified', name: own.name, reason: own.reason, ...organization };
  // Multiple records: RFC 7489 §6.6.3 ends here, RFC 9989 §4.10 walks on. Receivers differ, so the worse case is reported.
  if (own?.kind === 'multiple') return { kind: 'multiple', recordDomain: domain, raws: own.raws, ...organization };
  if (own?.kind === 'one')
    return { kind: 'record', recordDomain: domain, record: own.record, modelsDisagree: false, ...organization };

  const failed = parents.find(
    (step) => step.kind === 'failure' && (decided === undefined || registrableDomain(step.name) !== undefined),
  );
  if (failed?.kind === 'failure')
    return { kind: 'unverified', name: failed.name, reason: failed.reason, ...organization };
  // RFC 9989 §4.10.1: the organizational domain's, or else the public suffix's, whose psd=y is what ended the walk.
  const found = parents.filter((step) => step.kind === 'one');
  const used = found.find(({ name }) => name === decided) ?? found.at(-1);
  if (used !== undefined) {
    const modelsDisagree = used.name !== recordDomainByList(domain, answers);
    return { kind: 'record', recordDomain: used.name, record: used.record, modelsDisagree, ...organization };
  }
  const multiple = parents.findLast((step) => step.kind === 'multiple');
  if (multiple !== undefined)
    return { kind: 'multiple', recordDomain: multiple.name, raws: multiple.raws, ...organization };
  const lookalike = steps.find((step) => step.kind === 'lookalike');
  return { kind: 'none', ...(lookalike && { lookalike }), ...organization };
}

type Step = { readonly name: string } & (
  | { readonly kind: 'one'; readonly record: DmarcRecord }
  | { readonly kind: 'multiple'; readonly raws: readonly string[] }
  | { readonly kind: 'lookalike'; readonly raw: string }
  | { readonly kind: 'none' }
  | { readonly kind: 'failure'; readonly reason: string }
);

/** RFC 9989 §4.10 steps 2 and 6: the walk ends at the first record that says whether its name is a public suffix. */
function walk(domain: string, answers: ReadonlyMap<string, Answer<string>>): Step[] {
  const steps: Step[] = [];
  for (const name of walkNames(domain)) {
    const step = stepAt(name, answers.get(name) ?? { kind: 'nxdomain' });
    steps.push(step);
    if (step.kind === 'one' && step.record.psd !== 'u') break;
  }
  return steps;
}

function stepAt(name: string, answer: Answer<string>): Step {
  if (answer.kind === 'failure') return { name, kind: 'failure', reason: answer.reason };
  const selection = selectDmarc(answer.kind === 'found' ? answer.records : []);
  if (selection.kind === 'one') return { name, kind: 'one', record: parseDmarc(selection.raw) };
  if (selection.kind === 'multiple') return { name, ...selection };
  return selection.lookalike === undefined
    ? { name, kind: 'none' }
    : { name, kind: 'lookalike', raw: selection.lookalike };
}

/** RFC 9989 §4.10.2. Undefined if the walk found no record. */
function organizationalDomain(domain: string, steps: readonly Step[]): string | undefined {
  const last = steps.findLast((step) => step.kind === 'one');
  if (last === undefined || last.name === domain) return last?.name;
  // The walk ends at psd=y, so this is the last record: the organization is one label below it.
  if (last.record.psd !== 'y') return last.name;
  const labels = domain.split('.');
  return labels.slice(-(last.name.split('.').length + 1)).join('.');
}

/** Where RFC 7489 §6.6.3 finds the record of a domain that has none of its own; `''` if nowhere. */
function recordDomainByList(domain: string, answers: ReadonlyMap<string, Answer<string>>): string {
  const name = registrableDomain(domain);
  const answer = name === undefined ? undefined : answers.get(name);
  return name !== undefined && answer !== undefined && stepAt(name, answer).kind === 'one' ? name : '';
}

/** RFC 9989 §4.10.1: `p` for the name the record is at, `sp` for names below, `np` for those of them that do not exist. */
function effectivePolicy(record: DmarcRecord, isInherited: boolean, state: DomainState): DmarcPolicy {
  if (record.standing !== 'as published') return 'none';
  const { policy, subdomainPolicy, nonexistentPolicy } = record;
  const applied = !isInherited ? policy : state === 'nxdomain' ? nonexistentPolicy : subdomainPolicy;
  return applied === '' ? 'none' : applied;
}

type Found = Extract<Discovery, { kind: 'record' }>;

function withRecord(domain: string, found: Found, state: DomainState, destinations: Destinations): DmarcFindings {
  const { record, recordDomain } = found;
  const inherited = recordDomain !== domain;
  const effective = effectivePolicy(record, inherited, state);
  const report: DmarcReport = {
    raw: record.raw,
    version: 'DMARC1',
    policy: record.policy,
    subdomain_policy: record.subdomainPolicy,
    effective_policy: effective,
    percentage: record.percentage,
    aggregate_report_uris: record.aggregateUris.map(({ uri }) => uri),
    forensic_report_uris: record.forensicUris.map(({ uri }) => uri),
    dkim_alignment: record.dkimAlignment,
    spf_alignment: record.spfAlignment,
    failure_options: record.failureOptions,
    report_interval: record.reportInterval,
    organizational_domain: found.organizationalDomain,
    record_domain: recordDomain,
    inherited,
    partial_rollout: record.percentage < 100,
    no_visibility: record.aggregateUris.length === 0,
    strength_rating: strengthOf(effective, record),
    is_valid: record.errors.length === 0,
    validation_errors: record.errors,
  };
  // RFC 9989 §4.7: sp of a record that is not the organization's has no effect on anything.
  const isForSubdomains = inherited || recordDomain === found.organizationalDomain;
  return {
    report,
    isUnverified: false,
    isFatal: record.standing === 'void',
    hasNonFatalErrors: record.hasNonFatalErrors,
    isTestMode: record.isTestMode,
    historicTags: record.historicTags,
    unauthorizedDestinations: destinations.unauthorized,
    unverifiedDestinations: destinations.unverified,
    modelsDisagree: found.modelsDisagree,
    subdomainPolicyIsWeaker: isForSubdomains && isWeaker(record.subdomainPolicy, record.policy),
    recordDomain,
  };
}

const STRENGTH = { '': 0, none: 0, quarantine: 1, reject: 2 } as const;

function isWeaker(one: DmarcPolicy | '', other: DmarcPolicy | ''): boolean {
  return one !== '' && STRENGTH[one] < STRENGTH[other];
}

/** RFC 7489 §6.6.4: what pct does not select is treated one level lower; t=y does so to everything (RFC 9989 §4.7). */
function strengthOf(effective: DmarcPolicy, { percentage, isTestMode }: DmarcRecord): DmarcReport['strength_rating'] {
  if (effective === 'reject') return percentage === 100 && !isTestMode ? 'strong' : 'moderate';
  return effective === 'quarantine' && percentage >= 1 && !isTestMode ? 'moderate' : 'weak';
}

function withoutRecord(domain: string, discovery: Exclude<Discovery, Found>): DmarcFindings {
  const recordDomain = discovery.kind === 'multiple' ? discovery.recordDomain : '';
  const report: DmarcReport = {
    raw: discovery.kind === 'multiple' ? (discovery.raws[0] ?? '') : '',
    version: discovery.kind === 'multiple' ? 'DMARC1' : '',
    policy: '',
    subdomain_policy: '',
    effective_policy: 'none',
    percentage: 100,
    aggregate_report_uris: [],
    forensic_report_uris: [],
    dkim_alignment: 'r',
    spf_alignment: 'r',
    failure_options: '0',
    report_interval: 86400,
    organizational_domain: discovery.organizationalDomain,
    record_domain: recordDomain,
    inherited: recordDomain !== '' && recordDomain !== domain,
    partial_rollout: false,
    no_visibility: true,
    strength_rating: 'weak',
    is_valid: false,
    validation_errors: [whyNone(domain, discovery)],
  };
  return {
    report,
    isUnverified: discovery.kind === 'unverified',
    isFatal: discovery.kind === 'multiple',
    hasNonFatalErrors: false,
    isTestMode: false,
    historicTags: [],
    unauthorizedDestinations: [],
    unverifiedDestinations: [],
    modelsDisagree: false,
    subdomainPolicyIsWeaker: false,
    recordDomain,
  };
}

function whyNone(domain: string, discovery: Exclude<Discovery, Found>): string {
  switch (discovery.kind) {
    case 'unverified':
      return `dns_temporary_failure: _dmarc.${discovery.name} TXT ${discovery.reason}`;
    case 'multiple':
      return `multiple_records: _dmarc.${discovery.recordDomain} has ${discovery.raws.length} DMARC records, not one`;
    case 'none':
      return discovery.lookalike === undefined
        ? `no_dmarc_record: there is none at _dmarc.${domain} or above it`
        : `no_dmarc_record: ${quote(discovery.lookalike.raw)} at _dmarc.${discovery.lookalike.name} does not begin with v=DMARC1`;
  }
}
