/**
 * The records that decide what receivers do with mail of a domain: its SPF record with all that it
 * includes, and its DMARC record. A check reads them here among others; to judge reports takes
 * nothing else.
 */
import {
  type DmarcSteps,
  discover,
  effectivePolicy,
  readDmarcSteps,
  withoutWildcardAlias,
} from '../dmarc/discovery.ts';
import { aliasOf, type Resolver } from '../dns/answer.ts';
import { newSentinel } from '../dns/wildcard.ts';
import type { DmarcPolicy } from '../report.ts';
import { checkSpf, type ReadRecords, type SpfFindings } from '../spf/lookups.ts';

/** Plain data, which another thread can get. */
export type Policies = {
  readonly spf: Pick<SpfFindings, 'tree' | 'isUnverified'>;
  readonly dmarc: Pick<DmarcSteps, 'steps'>;
};

export async function findPolicies(domain: string, resolver: Resolver): Promise<Policies> {
  const reading = readPolicies(domain, resolver);
  const [{ tree, isUnverified }, read] = await Promise.all([reading.spf, reading.dmarc]);
  const dmarc =
    read.steps[0]?.alias === undefined
      ? read
      : withoutWildcardAlias(read, aliasOf(await resolver.txt(`${newSentinel()}.${domain}`)));
  return { spf: { tree, isUnverified }, dmarc };
}

/** Each is there when its own answers are. `known`: SPF records that are read later on again. */
export function readPolicies(domain: string, resolver: Resolver, readRecords?: ReadRecords) {
  const apex = resolver.txt(domain);
  return {
    apex,
    spf: apex.then((answer) => checkSpf(domain, answer, resolver, readRecords)),
    dmarc: readDmarcSteps(domain, resolver),
  };
}

/**
 * The DMARC record of the domain itself, whatever is wrong with it; empty without one. Reports for
 * this domain are not about the policy of a parent.
 */
export function ownDmarcRecord({ dmarc: { steps } }: Policies): string {
  const [own] = steps;
  if (own?.kind === 'one') return own.record.raw;
  if (own?.kind === 'multiple') return own.raws[0] ?? '';
  return own?.kind === 'too long' ? own.raw : '';
}

/** For mail of the domain, by its own record or that of a parent. */
export function publishedPolicy(domain: string, { dmarc }: Policies): DmarcPolicy {
  const discovery = discover(domain, dmarc.steps);
  if (discovery.kind !== 'record') return 'none';
  return effectivePolicy(discovery.record, discovery.recordDomain !== domain, 'exists');
}

/** What has to be the same for reports to be judged alike. */
export function policyKey({ spf, dmarc }: Policies): unknown[] {
  return [spf.tree, spf.isUnverified, dmarc.steps];
}
