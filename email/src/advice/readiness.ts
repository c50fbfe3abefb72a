// Whether a stricter step is safe, a DMARC policy or `-all`: what stands in the way, as data. Only decided here.
import type { Arrival } from '../dmarc/destinations.ts';
import type { Finding } from '../findings/finding.ts';
import { isKeyOf, type Provider, providerOfSpfName, selectorsOf } from '../providers.ts';
import { registrableDomain } from '../registrable-domain.ts';
import type { DmarcPolicy } from '../report.ts';
import type { Findings } from '../score/score.ts';
import type { SpfNode } from '../spf/lookups.ts';
import { isSuffixRecord, looksUnused, receivesMail } from './mail-role.ts';

/** What stands in the way by its code, and what has to become true, after "when". */
const OBSTACLES = {
  /** DNS did not answer for it, so that nothing is known. */
  unverified: ({ part }: { part: 'SPF' | 'DKIM' | 'DMARC' | 'the address for reports' }) => `${part} can be verified`,
  spf_invalid: () => 'there is a valid SPF record',
  spf_open: () => 'SPF no longer lets everyone pass',
  no_key: () => 'a DKIM key is found',
  /** SPF names a service that passes DMARC only with a signature, and no key of it was found. */
  sender_without_key: ({ service, setup }: { service: string; setup: string }) =>
    `${service} signs as you (there: ${setup})`,
  /** Reports show that this much of its mail would be refused. */
  mail_refused: ({ service, messages }: { service: string; messages: number }) =>
    `mail from ${service} passes: reports show ${messages} messages that would be refused`,
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
export type Obstacle = {
  readonly [Code in ObstacleCode]: { readonly code: Code } & Readonly<
    Parameters<(typeof OBSTACLES)[Code]> extends [infer Detail] ? Detail : object
  >;
}[ObstacleCode];

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

/** `without`: the policy holds for all mail then, of which `t=y` or `pct` takes out a share. */
type StricterStep = 'p=quarantine' | 'p=reject' | '-all' | `p=${DmarcPolicy} without ${'t=y' | 'pct'}`;

export type Readiness = {
  /** The next steps that there are: none for a domain that is as strict as can be, or that sends no mail. */
  readonly steps: readonly StricterStep[];
  /** They are safe when all of these are gone. */
  readonly obstacles: readonly Obstacle[];
};

/** What aggregate reports show. */
export type MeasuredSenders = {
  readonly areArriving: boolean;
  /** Services all of whose mail passes. */
  readonly passing: readonly string[];
  readonly refused: readonly { readonly service: string; readonly messages: number }[];
};

/** What was measured replaces what DNS lets expect. */
export function readinessOf(domain: string, findings: Findings, measured?: MeasuredSenders): Readiness {
  const isSeen = (one: Obstacle) =>
    one.code === 'sender_without_key' && measured?.passing.includes(one.service) === true;
  const refused = (measured?.refused ?? []).map(({ service, messages }) => ({ service, messages }));
  return {
    steps: stepsOf(findings),
    obstacles: [
      ...refused.map((one) => ({ code: 'mail_refused', ...one }) as const),
      ...senderObstacles(findings).filter((one) => !isSeen(one)),
      ...(measured?.areArriving === true ? [] : reportObstacles(domain, findings)),
    ],
  };
}

/** The next step of each record, whether it is safe or not. */
function stepsOf({ spf, dmarc }: Findings): StricterStep[] {
  const { effective_policy, record_domain, percentage } = dmarc.report;
  const tag = dmarc.isTestMode ? 't=y' : percentage < 100 ? 'pct' : undefined;
  const isPartial = tag !== undefined && effective_policy !== 'none';
  const next = isPartial ? (`p=${effective_policy} without ${tag}` as const) : STEPS[effective_policy];
  const isSoft = spf.report.all_qualifier !== '-' && spf.records.length === 1;
  return [...(next === undefined || record_domain === '' ? [] : [next]), ...(isSoft ? (['-all'] as const) : [])];
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

/** Services that SPF lets send, that need a signature to pass DMARC, and of which no key was found. */
export function unsignedServices({ spf, dkim }: Pick<Findings, 'spf' | 'dkim'>): { name: string; setup: string }[] {
  return namedServices(spf.tree).flatMap((service) => {
    if (service.aligns !== 'no' || isSigned(service, dkim)) return [];
    const setup = isGuessable(service)
      ? service.setup
      : `${service.setup}; then check again with the name of its selector`;
    return [{ name: service.name, setup }];
  });
}

function isSigned(service: Provider, { keys }: Findings['dkim']): boolean {
  return keys.some(({ report, alias }) => report.is_valid && isKeyOf(service, report.selector, alias));
}

function isGuessable({ selectors, selectorKind }: Provider): boolean {
  return selectors.length > 0 && selectorKind !== 'own';
}

/** What the policy does to mail that fails: with `t=y`, or for no share of it, one level less (RFC 9989 §4.7). */
export function policyInForce({ report, isTestMode, isUnverified, isFatal }: Findings['dmarc']): DmarcPolicy {
  const { effective_policy: policy, record_domain, percentage } = report;
  if (isUnverified || isFatal || record_domain === '') return 'none';
  return percentage > 0 && !isTestMode ? policy : WEAKER[policy];
}

type AboutSender = { readonly domain: string; readonly policy: DmarcPolicy };
type Service = { readonly service: string; readonly setup: string; readonly selectors: readonly string[] };
/** SPF names a service by `term`, which needs a key and has none: the policy in force refuses its mail. */
export type RefusedSender = AboutSender & Service & { readonly term: string };
/** Services whose selectors a check cannot know, and included names of which nothing is known. */
export type UnprovenSenders = AboutSender & {
  readonly services: readonly string[];
  readonly unknown: readonly string[];
};

/** The policy in force, judged like a step to it. */
export function judgePresent(domain: string, { spf, dkim, dmarc, ...others }: Findings) {
  const refused: RefusedSender[] = [];
  const unproven = new Set<string>();
  const policy = policyInForce(dmarc);
  const { services, unknown } = sendersIn(spf.tree);
  const isIdle =
    dmarc.isUnverified || dmarc.report.record_domain === '' || looksUnused({ spf, dkim, dmarc, ...others });
  for (const { service, node } of isIdle || policy === 'none' ? [] : services) {
    const { name, setup, aligns, selectorKind } = service;
    if (aligns === 'yes' || isSigned(service, dkim) || dkim.isUnverified) continue;
    const selectors = selectorsOf(service, [node.name]);
    const isFixed = aligns === 'no' && (selectorKind === 'fixed' || selectorKind === 'rotating');
    const isAbsent = selectors.length > 0 && selectors.every((one) => isAnswered(one, dkim)) && !dkim.isWildcard;
    if (!isFixed || !isAbsent) unproven.add(name);
    else if (!refused.some((known) => known.service === name))
      refused.push({ domain, service: name, setup, selectors, term: node.via, policy });
  }
  const senders: UnprovenSenders = {
    domain,
    services: [...unproven],
    unknown: isIdle ? [] : unknown.map(({ name }) => name),
    policy,
  };
  return { refused, unproven: unproven.size + senders.unknown.length === 0 ? undefined : senders };
}

function isAnswered(selector: string, { asked, failures }: Findings['dkim']): boolean {
  const isOf = ({ detail }: Finding) => 'name' in detail && detail.name.toLowerCase().startsWith(`${selector}.`);
  return asked.includes(selector) && !failures.some(isOf);
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
  const found = children
    .filter(({ via }) => !/^[-~?]/.test(via))
    .map((node): Senders => {
      const service = providerOfSpfName(node.name);
      if (service !== undefined) return { services: [{ service, node }], unknown: [] };
      const inside = sendersIn(node, root);
      const isOther = registrableDomain(node.name) !== own;
      const isUnknown = isOther && inside.services.length === 0 && /^\+?include:|^redirect=/i.test(node.via);
      return isUnknown ? { services: [], unknown: [node] } : inside;
    });
  return { services: found.flatMap(({ services }) => services), unknown: found.flatMap(({ unknown }) => unknown) };
}

/** Reports show the owner what a stricter policy would refuse, so that they have to arrive before it. */
function reportObstacles(domain: string, findings: Findings): Obstacle[] {
  const { dmarc } = findings;
  if (dmarc.isUnverified) return [{ code: 'unverified', part: 'DMARC' }];
  const used = dmarc.steps.find(({ name }) => name === dmarc.recordDomain);
  // Those of a public suffix go to its registry.
  const isOfSuffix = used?.kind === 'one' && used.name !== domain && isSuffixRecord(used.name, used.record);
  const addresses = isOfSuffix ? [] : reportArrivals(domain, findings);
  const [first] = addresses;
  if (first === undefined) return [{ code: 'no_reports' }];
  if (addresses.some(({ arrival }) => arrival.kind === 'arrives')) return [];
  if (addresses.some(({ arrival }) => arrival.kind === 'unknown'))
    return [{ code: 'unverified', part: 'the address for reports' }];
  return [{ code: 'reports_lost', uri: first.uri, arrival: first.arrival }];
}

/** What becomes of reports to each address of `rua`. */
export function reportArrivals(domain: string, findings: Findings): { uri: string; host: string; arrival: Arrival }[] {
  const { dmarc } = findings;
  return dmarc.destinations.rua.map(({ uri, host, arrival }) => {
    const own = host === domain && arrival.kind === 'arrives' ? receivesMail(findings) : 'yes';
    if (own === 'yes') return { uri, host, arrival };
    return { uri, host, arrival: { kind: own === 'unknown' ? 'unknown' : 'no mail host' } };
  });
}

export const STRICTER = { none: 'quarantine', quarantine: 'reject', reject: 'reject' } as const;
export const WEAKER = { none: 'none', quarantine: 'none', reject: 'quarantine' } as const;
