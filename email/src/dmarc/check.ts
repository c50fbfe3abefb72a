/**
 * The DMARC part of a check: queries the records of the tree walk, and judges the one that
 * applies.
 */
import type { Answer, Resolver } from '../dns/answer.ts';
import { dnsFailure, type Finding } from '../findings/finding.ts';
import type { DmarcPolicy, DmarcReport } from '../report.ts';
import { excerpt } from '../visible-text.ts';
import { checkDestinations, type Destinations, NO_DESTINATIONS } from './destinations.ts';
import {
  type Discovery,
  type DmarcSteps,
  type DomainState,
  discover,
  effectivePolicy,
  readDmarcSteps,
  type Step,
} from './discovery.ts';
import {
  type DmarcRecord,
  findDmarcLookalike,
  lookalikeFault,
  POLICY_LEVELS,
  parseDmarc,
} from './dmarc.ts';

export type DmarcFindings = DmarcSteps & {
  report: DmarcReport<Finding>;
  isUnverified: boolean;
  /**
   * There is a record but no policy applies: several records, or no usable policy and no address
   * for reports.
   */
  isFatal: boolean;
  hasNonFatalErrors: boolean;
  isTestMode: boolean;
  historicTags: string[];
  destinations: Destinations;
  /**
   * RFC 7489 receivers, which ask only the domain and its registrable domain, use another record or
   * none.
   */
  modelsDisagree: boolean;
  subdomainPolicyIsWeaker: boolean;
  recordDomain: string;
  domainState: DomainState;
  misplaced: MisplacedRecord | undefined;
};

/** A DMARC record where no receiver looks: at the domain itself, or below its doubled name. */
type MisplacedRecord = {
  readonly kind: 'apex' | 'doubled';
  readonly name: string;
  readonly raw: string;
};

export async function checkDmarc(
  domain: string,
  resolver: Resolver,
  domainState: Promise<DomainState>,
  apex: Promise<Answer<string>>,
  read: Promise<DmarcSteps> = readDmarcSteps(domain, resolver),
): Promise<DmarcFindings> {
  const { steps, isOwnAliasMissing } = await read;
  const discovery = discover(domain, steps);
  const record = discovery.kind === 'record' ? discovery.record : undefined;
  const [state, misplaced, destinations] = await Promise.all([
    domainState,
    apex.then((answer) => findMisplaced(domain, answer, discovery, resolver)),
    record && checkDestinations(recordDomainOf(discovery), record, resolver),
  ]);
  const judged = judgeDmarc(domain, {
    steps,
    state,
    misplaced,
    destinations: destinations ?? NO_DESTINATIONS,
  });
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
  const judgement =
    discovery.kind === 'record'
      ? withRecord(domain, discovery, evidence)
      : withoutRecord(domain, discovery, evidence);
  return { ...judgement, steps, domainState: state, misplaced, isOwnAliasMissing: false };
}

/** The doubled name is queried only if no record was found at all. */
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

type DiscoveredRecord = Extract<Discovery, { kind: 'record' }>;

/** What a discovery alone decides. */
type Judgement = Omit<DmarcFindings, 'steps' | 'domainState' | 'misplaced' | 'isOwnAliasMissing'>;

function withRecord(
  domain: string,
  discovery: DiscoveredRecord,
  { state, destinations }: DmarcEvidence,
): Judgement {
  const { record, recordDomain } = discovery;
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
    organizational_domain: discovery.organizationalDomain,
    record_domain: recordDomain,
    inherited,
    partial_rollout: record.percentage < 100,
    no_visibility: record.aggregateUris.length === 0,
    strength_rating: strengthOf(effective, record),
    is_valid: record.errors.length === 0,
    validation_errors: record.errors,
  };
  // RFC 9989 §4.7: sp has an effect only in the record of the organizational domain.
  const isForSubdomains = inherited || recordDomain === discovery.organizationalDomain;
  return {
    report,
    isUnverified: false,
    isFatal: record.standing === 'void',
    hasNonFatalErrors: record.hasNonFatalErrors,
    isTestMode: record.isTestMode,
    historicTags: record.historicTags,
    destinations,
    modelsDisagree: discovery.modelsDisagree,
    subdomainPolicyIsWeaker:
      isForSubdomains &&
      record.standing === 'as published' &&
      isWeaker(record.subdomainPolicy, record.policy),
    recordDomain,
  };
}

function isWeaker(policy: DmarcPolicy | '', other: DmarcPolicy | ''): boolean {
  return policy !== '' && POLICY_LEVELS[policy] < POLICY_LEVELS[other];
}

/**
 * RFC 7489 §6.6.4: mail that pct does not select is treated one level lower; with t=y all mail is
 * (RFC 9989 §4.7).
 */
function strengthOf(
  effective: DmarcPolicy,
  { percentage, isTestMode }: DmarcRecord,
): DmarcReport['strength_rating'] {
  if (effective === 'reject') return percentage === 100 && !isTestMode ? 'strong' : 'moderate';
  return effective === 'quarantine' && percentage >= 1 && !isTestMode ? 'moderate' : 'weak';
}

function firstRaw(discovery: Exclude<Discovery, DiscoveredRecord>): string {
  if ('raw' in discovery) return discovery.raw;
  return 'raws' in discovery ? (discovery.raws[0] ?? '') : '';
}

/** The values of a record without tags, with the reason why there is none that applies. */
function withoutRecord(
  domain: string,
  discovery: Exclude<Discovery, DiscoveredRecord>,
  evidence: DmarcEvidence,
): Judgement {
  const raw = firstRaw(discovery);
  const recordDomain = recordDomainOf(discovery);
  const { organizationalDomain } = discovery;
  const emptyRecord: DiscoveredRecord = {
    kind: 'record',
    record: parseDmarc(''),
    recordDomain,
    modelsDisagree: false,
    organizationalDomain,
  };
  const { report, ...judged } = withRecord(domain, emptyRecord, {
    ...evidence,
    destinations: NO_DESTINATIONS,
  });
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
  discovery: Exclude<Discovery, DiscoveredRecord>,
  misplaced: MisplacedRecord | undefined,
): Finding {
  switch (discovery.kind) {
    case 'unverified':
      return dnsFailure(`_dmarc.${discovery.name}`, 'TXT', discovery.failure);
    case 'multiple': {
      const name = `_dmarc.${discovery.recordDomain}`;
      return {
        code: 'multiple_records',
        detail: { record: 'DMARC', name, count: discovery.raws.length },
      };
    }
    case 'too long':
      return {
        code: 'record_too_long',
        detail: { record: 'DMARC', name: `_dmarc.${discovery.recordDomain}` },
      };
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
