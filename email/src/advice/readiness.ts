/**
 * Whether a stricter step is safe: a DMARC policy of quarantine or reject, or `-all` in SPF. It is the only place that
 * decides it. The answer is what stands in the way, as data; without an obstacle the step may be offered.
 */
import type { Arrival } from '../dmarc/destinations.ts';
import { isKeyOf, type Provider, providerOfSpfName } from '../providers.ts';
import type { DmarcPolicy } from '../report.ts';
import type { Findings } from '../score/score.ts';
import type { SpfNode } from '../spf/lookups.ts';
import { isSuffixRecord, receivesMail } from './mail-role.ts';

export type Obstacle =
  /** DNS did not answer for it, so that nothing is known. */
  | { readonly code: 'unverified'; readonly part: 'SPF' | 'DKIM' | 'DMARC' | 'the address for reports' }
  | { readonly code: 'spf_invalid' | 'spf_open' | 'no_key' | 'no_reports' }
  /** SPF names a service that passes DMARC only with a signature, and no key of it was found. */
  | { readonly code: 'sender_without_key'; readonly service: string; readonly setup: string }
  /** No address of `rua` takes reports for the owner; this is the first of them. */
  | { readonly code: 'reports_lost'; readonly uri: string; readonly arrival: Arrival };

export type ObstacleCode = Obstacle['code'];

export type StricterStep = 'p=quarantine' | 'p=reject' | '-all';

export type Readiness = {
  /** The next steps that there are: none for a domain that is as strict as can be, or that sends no mail. */
  readonly steps: readonly StricterStep[];
  /** They are safe when all of these are gone. */
  readonly obstacles: readonly Obstacle[];
};

export function readinessOf(domain: string, findings: Findings): Readiness {
  return { steps: stepsOf(findings), obstacles: [...senderObstacles(findings), ...reportObstacles(domain, findings)] };
}

/** The next step of each record, whether it is safe or not. */
function stepsOf({ spf, dmarc }: Findings): StricterStep[] {
  const { effective_policy, record_domain } = dmarc.report;
  const next = ({ none: 'p=quarantine', quarantine: 'p=reject', reject: undefined } as const)[effective_policy];
  const isSoft = spf.report.all_qualifier !== '-' && spf.records.length === 1;
  return [...(next === undefined || record_domain === '' ? [] : [next]), ...(isSoft ? (['-all'] as const) : [])];
}

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
  const keys = dkim.keys.filter(({ report }) => report.is_valid);
  return namedServices(spf.tree).flatMap((service) => {
    const { name, signing } = service;
    if (signing === undefined || keys.some(({ report, alias }) => isKeyOf(service, report.selector, alias))) return [];
    // Its customers choose the selector, so that it cannot be asked for.
    const isNamed = service.selectors.length > 0 || name === 'HubSpot';
    return [
      { name, setup: isNamed ? signing.setup : `${signing.setup}; then check again with the name of its selector` },
    ];
  });
}

/** Providers that the record lets send, by the names in it and in what it includes. */
export function namedServices(tree: SpfNode): Provider[] {
  const passing = (node: SpfNode): string[] => [
    node.name,
    ...node.children.filter(({ via }) => !/^[-~?]/.test(via)).flatMap(passing),
  ];
  return [...new Set(passing(tree).flatMap((name) => providerOfSpfName(name) ?? []))];
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

const STRICTER = { none: 'quarantine', quarantine: 'reject', reject: 'reject' } as const;

export function stricterThan(policy: DmarcPolicy): DmarcPolicy {
  return STRICTER[policy];
}
