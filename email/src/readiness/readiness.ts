// Whether a stricter step, a DMARC policy or `-all`, is safe, with the obstacles as data. This is
// the only place that decides it.

import type { Arrival } from '../dmarc/destinations.ts';
import type { Finding } from '../findings/finding.ts';
import { firstThree } from '../findings/phrases.ts';
import type { Fact } from '../findings/sentences.ts';
import { isKeyOf, type Provider, providerOfSpfName, selectorsOf } from '../providers.ts';
import { registrableDomain } from '../registrable-domain.ts';
import type { DmarcPolicy, ReportedVerdict } from '../report.ts';
import type { Findings } from '../score/score.ts';
import type { SpfNode } from '../spf/lookups.ts';
import { cutText, visible } from '../visible-text.ts';
import { isSuffixRecord, looksUnused, receivesMail } from './mail-role.ts';

/** What stands in the way by its code, and what has to become true, after "when". */
const OBSTACLES = {
  /** DNS did not answer for it, so that nothing is known. */
  unverified: ({ part }: { part: 'SPF' | 'DKIM' | 'DMARC' | 'the address for reports' }) =>
    `${part} can be verified`,
  spf_invalid: () => 'there is a valid SPF record',
  spf_open: () => 'SPF no longer lets everyone pass',
  no_key: () => 'a DKIM key is found',
  /** SPF names a service that passes DMARC only with a signature, and no key of it was found. */
  sender_without_key: ({ service, setup }: { service: string; setup: string }) =>
    `${service} signs as you${setup === '' ? '' : ` (there: ${setup})`}`,
  /** What reports show would be refused, and the act that settles it. */
  mail_refused: ({ reasons }: { reasons: readonly string[] }) =>
    `${reasons.length === 1 ? 'this is' : 'these are'} settled: ${firstThree(reasons)}`,
  reports_not_enough: ({ reasons }: { reasons: readonly string[] }) =>
    `reports show enough: ${firstThree(reasons)}`,
  no_reports: () => 'reports arrive at a mailbox of yours, named in rua=',
  /** No address of `rua` takes reports for the owner; this is the first of them. */
  reports_lost: ({ uri, arrival }: { uri: string; arrival: Arrival }) => {
    const to = uri.replace(/^mailto:/i, '');
    if (arrival.kind === 'other owner')
      return `reports arrive at a mailbox of yours (${to} is that of ${arrival.service})`;
    return `reports arrive at ${to} (${whyLost(to.slice(to.lastIndexOf('@') + 1), arrival)})`;
  },
};

export type ObstacleCode = keyof typeof OBSTACLES;
export const OBSTACLE_CODES = Object.keys(OBSTACLES) as ObstacleCode[];
export type Obstacle = Fact<typeof OBSTACLES>;

export function explainObstacle(obstacle: Obstacle): string {
  // The entry of a code takes obstacles of that code.
  return (OBSTACLES[obstacle.code] as (obstacle: Obstacle) => string)(obstacle);
}

/** Why reports to the host do not reach the owner of the domain. */
export function whyLost(host: string, arrival: Arrival): string {
  switch (arrival.kind) {
    case 'no such host':
      return `${host} does not exist`;
    case 'null MX':
      return `${host} publishes a null MX, which says that it takes no mail`;
    case 'no mail host':
      return `${host} has no host that takes mail`;
    case 'not authorized':
      return `${host} has not agreed to receive them, with a TXT record v=DMARC1 at ${arrival.name}`;
    case 'not mail':
      return 'receivers send them only to mailto: addresses';
    case 'unknown':
      return 'which could not be verified';
    case 'arrives':
    case 'other owner':
      return 'it reads them';
  }
}

/** `without`: removing `t=y` or `pct`, which exempt a share of the mail from the policy. */
type StricterStep =
  | 'p=quarantine'
  | 'p=reject'
  | '-all'
  | `p=${DmarcPolicy} without ${'t=y' | 'pct'}`;

export type Readiness = {
  /**
   * The next steps that there are: none for a domain that is as strict as can be, or that sends no
   * mail.
   */
  readonly steps: readonly StricterStep[];
  /** They are safe when all of these are gone. */
  readonly obstacles: readonly Obstacle[];
};

/**
 * May the policy become stricter? Advice, findings, risks of a trial, exit codes and pages ask
 * this.
 */
export function readinessOf(domain: string, findings: Findings): Readiness {
  const { reported } = findings;
  const steps = stepsOf(findings);
  if (reported === undefined)
    return {
      steps,
      obstacles: [...senderObstacles(findings), ...reportObstacles(domain, findings)],
    };
  if (reported.answer === 'yes')
    return { steps: steps.flatMap((step) => allowedStep(step, reported, findings)), obstacles: [] };
  const code = reported.answer === 'no' ? 'mail_refused' : 'reports_not_enough';
  return { steps, obstacles: [{ code, reasons: reported.reasons }] };
}

/** Reports may allow to skip a step, and allow none beyond the policy that they are about. */
function allowedStep(
  step: StricterStep,
  { policy }: ReportedVerdict,
  { dmarc }: Findings,
): StricterStep[] {
  if (step === '-all' || step === `p=${policy}`) return [step];
  if (dmarc.report.effective_policy !== policy) return [`p=${policy}`];
  return step.includes(' without ') ? [step] : [];
}

/** The next step of each record, whether it is safe or not. */
function stepsOf({ spf, dmarc }: Findings): StricterStep[] {
  const { effective_policy, record_domain, percentage } = dmarc.report;
  const reduced = percentage < 100 ? 'pct' : undefined;
  const tag = dmarc.isTestMode ? 't=y' : reduced;
  const isPartial = tag !== undefined && effective_policy !== 'none';
  const next = isPartial
    ? (`p=${effective_policy} without ${tag}` as const)
    : STEPS[effective_policy];
  const isSoft = spf.report.all_qualifier !== '-' && spf.records.length === 1;
  return [
    ...(next === undefined || record_domain === '' ? [] : [next]),
    ...(isSoft ? (['-all'] as const) : []),
  ];
}

const STEPS = { none: 'p=quarantine', quarantine: 'p=reject', reject: undefined } as const;

function senderObstacles({ spf, dkim }: Findings): Obstacle[] {
  const obstacles: Obstacle[] = [];
  if (spf.isUnverified) obstacles.push({ code: 'unverified', part: 'SPF' });
  else if (!spf.report.is_valid) obstacles.push({ code: 'spf_invalid' });
  else if (spf.openToAll !== undefined) obstacles.push({ code: 'spf_open' });
  const valid = dkim.keys.filter(({ report }) => report.is_valid);
  if (dkim.isUnverified) obstacles.push({ code: 'unverified', part: 'DKIM' });
  else if (valid.length === 0) obstacles.push({ code: 'no_key' });
  if (dkim.isUnverified) return obstacles;
  for (const { name, setup } of unsignedServices({ spf, dkim }))
    obstacles.push({ code: 'sender_without_key', service: name, setup });
  return obstacles;
}

/**
 * Services that SPF lets send, that need a signature to pass DMARC, and of which no key was found.
 */
export function unsignedServices({
  spf,
  dkim,
}: Pick<Findings, 'spf' | 'dkim'>): { name: string; setup: string }[] {
  return namedServices(spf.tree).flatMap((service) => {
    // Where it is not known whether its bounce domain aligns, a key is needed too.
    if (service.aligns === 'yes' || isSigned(service, dkim)) return [];
    const setup =
      isGuessable(service) || service.setup === ''
        ? service.setup
        : `${service.setup}; then check again with the name of its selector`;
    return [{ name: service.name, setup }];
  });
}

function isSigned(service: Provider, { keys }: Findings['dkim']): boolean {
  return keys.some(
    ({ report, alias }) => report.is_valid && isKeyOf(service, report.selector, alias),
  );
}

function isGuessable({ selectors, selectorKind }: Provider): boolean {
  return selectors.length > 0 && selectorKind !== 'own';
}

/**
 * What the policy does to mail that fails: with `t=y`, or for no share of it, one level less (RFC
 * 9989 §4.7).
 */
export function policyInForce({
  report,
  isTestMode,
  isUnverified,
  isFatal,
}: Findings['dmarc']): DmarcPolicy {
  const { effective_policy: policy, record_domain, percentage } = report;
  if (isUnverified || isFatal || record_domain === '') return 'none';
  return percentage > 0 && !isTestMode ? policy : WEAKER[policy];
}

type AboutSender = { readonly domain: string; readonly policy: DmarcPolicy };
type Service = {
  readonly service: string;
  readonly setup: string;
  readonly selectors: readonly string[];
};
/**
 * SPF names a service by `term`, which needs a key and has none: the policy in force refuses its
 * mail.
 */
export type RefusedSender = AboutSender & Service & { readonly term: string };
/** Services whose selectors a check cannot know, and included names of unknown operators. */
export type UnprovenSenders = AboutSender & {
  readonly services: readonly string[];
  readonly unknown: readonly string[];
};

/** Own mail that the policy in force refuses, by reports: what, and the act that settles it. */
export type ReportedRefusal = AboutSender & { readonly reasons: readonly string[] };

/** The policy in force, judged like a step to it. */
export function judgePresent(domain: string, { spf, dkim, dmarc, ...others }: Findings) {
  const refused: RefusedSender[] = [];
  const unproven = new Set<string>();
  const { reported } = others;
  // Reports show that it is not refused.
  if (reported?.answer === 'yes') return { refused, unproven: undefined, refusal: undefined };
  const policy = policyInForce(dmarc);
  const refusal: ReportedRefusal | undefined =
    reported?.answer === 'no' && policy !== 'none'
      ? { domain, policy, reasons: reported.reasons }
      : undefined;
  const { services, unknown } = sendersIn(spf.tree);
  const isIdle =
    dmarc.isUnverified ||
    dmarc.report.record_domain === '' ||
    looksUnused({ spf, dkim, dmarc, ...others });
  for (const { service, node } of isIdle || policy === 'none' ? [] : services) {
    const { name, setup, aligns, selectorKind } = service;
    if (aligns === 'yes' || isSigned(service, dkim) || dkim.isUnverified) continue;
    const selectors = selectorsOf(service, [node.name]);
    const isFixed = aligns === 'no' && (selectorKind === 'fixed' || selectorKind === 'rotating');
    const isAbsent =
      selectors.length > 0 &&
      selectors.every((selector) => isAnswered(selector, dkim)) &&
      !dkim.isWildcard;
    if (!isFixed || !isAbsent) unproven.add(name);
    else if (!refused.some((sender) => sender.service === name))
      refused.push({ domain, service: name, setup, selectors, term: node.via, policy });
  }
  const senders: UnprovenSenders = {
    domain,
    services: [...unproven],
    unknown: isIdle ? [] : unknown.map(({ name }) => name),
    policy,
  };
  return {
    refused,
    unproven: unproven.size + senders.unknown.length === 0 ? undefined : senders,
    refusal,
  };
}

function isAnswered(selector: string, { queriedSelectors, failures }: Findings['dkim']): boolean {
  const isOf = ({ detail }: Finding) =>
    'name' in detail && detail.name.toLowerCase().startsWith(`${selector}.`);
  return queriedSelectors.includes(selector) && !failures.some(isOf);
}

/** Providers that the record lets send, by the names in it and in what it includes. */
export function namedServices(tree: SpfNode): Provider[] {
  return [...new Set(sendersIn(tree).services.map(({ service }) => service))];
}

type Senders = {
  readonly services: readonly { readonly service: Provider; readonly node: SpfNode }[];
  /** Included names that belong to none of them, neither by themselves nor by what they include. */
  readonly unknown: readonly SpfNode[];
};

/** What a known provider includes is its own; `root` is the name of the domain. */
export function sendersIn({ name: parent, children }: SpfNode, root = parent): Senders {
  const own = registrableDomain(root);
  const senders = children
    .filter(({ via }) => !/^[-~?]/.test(via))
    .map((node): Senders => {
      const service = providerOfSpfName(node.name);
      if (service !== undefined) return { services: [{ service, node }], unknown: [] };
      const inside = sendersIn(node, root);
      const isOther = registrableDomain(node.name) !== own;
      const isUnknown =
        isOther && inside.services.length === 0 && /^\+?include:|^redirect=/i.test(node.via);
      return isUnknown ? { services: [], unknown: [node] } : inside;
    });
  return {
    services: senders.flatMap(({ services }) => services),
    unknown: senders.flatMap(({ unknown }) => unknown),
  };
}

/**
 * Reports show the owner what a stricter policy would refuse, so that they have to arrive before
 * it.
 */
function reportObstacles(domain: string, findings: Findings): Obstacle[] {
  const { dmarc } = findings;
  if (dmarc.isUnverified) return [{ code: 'unverified', part: 'DMARC' }];
  const used = dmarc.steps.find(({ name }) => name === dmarc.recordDomain);
  // Those of a public suffix go to its registry.
  const isOfSuffix =
    used?.kind === 'one' && used.name !== domain && isSuffixRecord(used.name, used.record);
  const addresses = isOfSuffix ? [] : reportArrivals(domain, findings);
  const [first] = addresses;
  if (first === undefined) return [{ code: 'no_reports' }];
  if (addresses.some(({ arrival }) => arrival.kind === 'arrives')) return [];
  if (addresses.some(({ arrival }) => arrival.kind === 'unknown'))
    return [{ code: 'unverified', part: 'the address for reports' }];
  return [{ code: 'reports_lost', uri: first.uri, arrival: first.arrival }];
}

/** What becomes of reports to each address of `rua`. */
export function reportArrivals(
  domain: string,
  findings: Findings,
): { uri: string; host: string; arrival: Arrival }[] {
  const { dmarc } = findings;
  return dmarc.destinations.rua.map(({ uri, host, arrival }) => {
    const own = host === domain && arrival.kind === 'arrives' ? receivesMail(findings) : 'yes';
    if (own === 'yes') return { uri, host, arrival };
    return { uri, host, arrival: { kind: own === 'unknown' ? 'unknown' : 'no mail host' } };
  });
}

/** `text` of an obstacle is what has to become true. */
type ReadinessReport = {
  steps: string[];
  is_ready: boolean;
  obstacles: { code: ObstacleCode; text: string }[];
};

/** Readiness as the API and the pages show it. */
export function describeReadiness(domain: string, findings: Findings): ReadinessReport {
  const { steps, obstacles } = readinessOf(domain, findings);
  const described = obstacles.map((obstacle) => ({
    code: obstacle.code,
    text: cutText(visible(explainObstacle(obstacle))),
  }));
  return { steps: [...steps], is_ready: obstacles.length === 0, obstacles: described };
}

export const STRICTER = { none: 'quarantine', quarantine: 'reject', reject: 'reject' } as const;
export const WEAKER = { none: 'none', quarantine: 'none', reject: 'quarantine' } as const;
