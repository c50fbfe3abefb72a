/** The DMARC part of a check: asks for the records of the tree walk, and judges the one that applies. */
import type { Answer, Resolver } from '../dns/answer.ts';
import { dnsFailure, type Finding } from '../findings/finding.ts';
import type { DmarcPolicy, DmarcReport } from '../report.ts';
import { excerpt } from '../visible-text.ts';
import { checkDestinations, type Destinations, NO_DESTINATIONS } from './destinations.ts';
import {
  type Discovery,
  type DomainState,
  discover,
  effectivePolicy,
  readStep,
  type Step,
  walkNames,
} from './discovery.ts';
import { type DmarcRecord, findDmarcLookalike, lookalikeFault, POLICY_LEVELS, parseDmarc } from './dmarc.ts';

export type DmarcFindings = {
  report: DmarcReport<Finding>;
  isUnverified: boolean;
  /** There is a record but no policy applies: several records, or no usable policy and no address for reports. */
  isFatal: boolean;
  hasNonFatalErrors: boolean;
  isTestMode: boolean;
  historicTags: string[];
  destinations: Destinations;
  /** RFC 7489 receivers, which ask only the domain and its registrable domain, use another record or none. */
  modelsDisagree: boolean;
  subdomainPolicyIsWeaker: boolean;
  recordDomain: string;
  /** What is at each name of the tree walk; the first is the domain itself. */
  steps: readonly Step[];
  domainState: DomainState;
  misplaced: MisplacedRecord | undefined;
  /** `_dmarc.` and the domain is an alias of a name that does not exist. */
  isOwnAliasMissing: boolean;
};

/** A DMARC record where no receiver looks: at the domain itself, or below its doubled name. */
type MisplacedRecord = { readonly kind: 'apex' | 'doubled'; readonly name: string; readonly raw: string };

export async function checkDmarc(
  domain: string,
  resolver: Resolver,
  domainState: Promise<DomainState>,
  apex: Promise<Answer<string>>,
): Promise<DmarcFindings> {
  // Each record is parsed when its answer arrives, not all of them at the end: that would block the event loop.
  const ask = async (name: string) => {
    const answer = await resolver.txt(`_dmarc.${name}`);
    if (name === domain) isOwnAliasMissing = answer.kind === 'nxdomain' && answer.alias !== undefined;
    return readStep(name, answer);
  };
  let isOwnAliasMissing = false;
  const steps = await Promise.all(walkNames(domain).map(ask));
  const discovery = discover(domain, steps);
  const record = discovery.kind === 'record' ? discovery.record : undefined;
  const [state, misplaced, destinations] = await Promise.all([
    domainState,
    apex.then((answer) => findMisplaced(domain, answer, discovery, resolver)),
    record && checkDestinations(recordDomainOf(discovery), record, resolver),
  ]);
  const judged = judgeDmarc(domain, { steps, state, misplaced, destinations: destinations ?? NO_DESTINATIONS });
  return { ...judged, isOwnAliasMissing };
}

type DmarcEvidence = {
  readonly steps: readonly Step[];
  readonly state: DomainState;
  readonly misplaced: MisplacedRecord | undefined;
  readonly destinations: Destinations;
};

/** Without questions, so that a record can be judged before it is published. */
export function judgeDmarc(domain: string, evidence: DmarcEvidence): DmarcFindings {
  const { steps, state, misplaced } = evidence;
  const discovery = discover(domain, steps);
  const found =
    discovery.kind === 'record' ? withRecord(domain, discovery, evidence) : withoutRecord(domain, discovery, evidence);
  return { ...found, steps, domainState: state, misplaced, isOwnAliasMissing: false };
}

/** The doubled name is asked only if no record was found at all. */
async function findMisplaced(
  domain: string,
  apex: Answer<string>,
  discovery: Discovery,
  resolver: Resolver,
): Promise<MisplacedRecord | undefined> {
  const atApex = findDmarcLookalike(apex);
  if (atApex !== undefined) return { kind: 'apex', name: domain, raw: atApex };
  if (discovery.kind !== 'none') return undefined;
  // A panel that adds the domain to a name that already ends in it.
  const name = `_dmarc.${domain}.${domain}`;
  const doubled = findDmarcLookalike(await resolver.txt(name));
  return doubled === undefined ? undefined : { kind: 'doubled', name, raw: doubled };
}

function recordDomainOf(discovery: Discovery): string {
  return 'recordDomain' in discovery ? discovery.recordDomain : '';
}

type Found = Extract<Discovery, { kind: 'record' }>;

/** What a discovery alone decides. */
type Judgement = Omit<DmarcFindings, 'steps' | 'domainState' | 'misplaced' | 'isOwnAliasMissing'>;

function withRecord(domain: string, found: Found, { state, destinations }: DmarcEvidence): Judgement {
  const { record, recordDomain } = found;
  const inherited = recordDomain !== domain;
  const effective = effectivePolicy(record, inherited, state);
  const report: DmarcReport<Finding> = {
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
  // RFC 9989 §4.7: sp has an effect only in the record of the organizational domain.
  const isForSubdomains = inherited || recordDomain === found.organizationalDomain;
  return {
    report,
    isUnverified: false,
    isFatal: record.standing === 'void',
    hasNonFatalErrors: record.hasNonFatalErrors,
    isTestMode: record.isTestMode,
    historicTags: record.historicTags,
    destinations,
    modelsDisagree: found.modelsDisagree,
    subdomainPolicyIsWeaker:
      isForSubdomains && record.standing === 'as published' && isWeaker(record.subdomainPolicy, record.policy),
    recordDomain,
  };
}

function isWeaker(one: DmarcPolicy | '', other: DmarcPolicy | ''): boolean {
  return one !== '' && POLICY_LEVELS[one] < POLICY_LEVELS[other];
}

/** RFC 7489 §6.6.4: mail that pct does not select is treated one level lower; with t=y all mail is (RFC 9989 §4.7). */
function strengthOf(effective: DmarcPolicy, { percentage, isTestMode }: DmarcRecord): DmarcReport['strength_rating'] {
  if (effective === 'reject') return percentage === 100 && !isTestMode ? 'strong' : 'moderate';
  return effective === 'quarantine' && percentage >= 1 && !isTestMode ? 'moderate' : 'weak';
}

/** The values of a record without tags, with the reason why there is none that applies. */
function withoutRecord(domain: string, discovery: Exclude<Discovery, Found>, evidence: DmarcEvidence): Judgement {
  const raw = 'raw' in discovery ? discovery.raw : 'raws' in discovery ? (discovery.raws[0] ?? '') : '';
  const recordDomain = recordDomainOf(discovery);
  const { organizationalDomain } = discovery;
  const found: Found = {
    kind: 'record',
    record: parseDmarc(''),
    recordDomain,
    modelsDisagree: false,
    organizationalDomain,
  };
  const { report, ...judged } = withRecord(domain, found, { ...evidence, destinations: NO_DESTINATIONS });
  return {
    ...judged,
    report: {
      ...report,
      raw,
      version: raw === '' ? '' : 'DMARC1',
      inherited: recordDomain !== '' && recordDomain !== domain,
      validation_errors: [whyNone(domain, discovery, evidence.misplaced)],
    },
    isUnverified: discovery.kind === 'unverified',
    isFatal: raw !== '',
  };
}

function whyNone(
  domain: string,
  discovery: Exclude<Discovery, Found>,
  misplaced: MisplacedRecord | undefined,
): Finding {
  switch (discovery.kind) {
    case 'unverified':
      return dnsFailure(`_dmarc.${discovery.name}`, 'TXT', discovery.failure);
    case 'multiple': {
      const name = `_dmarc.${discovery.recordDomain}`;
      return { code: 'multiple_records', detail: { record: 'DMARC', name, count: discovery.raws.length } };
    }
    case 'too long':
      return { code: 'record_too_long', detail: { record: 'DMARC', name: `_dmarc.${discovery.recordDomain}` } };
    case 'none': {
      const { lookalike } = discovery;
      return {
        code: 'no_dmarc_record',
        detail: {
          domain,
          lookalike: lookalike && {
            name: lookalike.name,
            raw: excerpt(lookalike.raw),
            fault: lookalikeFault(lookalike.raw),
          },
          misplaced: misplaced && { kind: misplaced.kind, name: misplaced.name },
        },
      };
    }
  }
}
