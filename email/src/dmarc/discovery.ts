// Which DMARC record applies to a domain: its own, or that of a parent, found by the tree walk of
// RFC 9989 §4.10.
//
//     domain             asked under _dmarc.
//     a.b.example.com    a.b.example.com  b.example.com  example.com  com
//
// All names are known in advance, so they are queried at once and the walk is over the answers.
// Answers beyond the point where the walk stops are ignored.
import { type Answer, aliasOf, type Failure, type Resolver } from '../dns/answer.ts';
import { organizationOf, registrableDomain } from '../registrable-domain.ts';
import type { DmarcPolicy } from '../report.ts';
import { type DmarcRecord, parseDmarc, selectDmarc } from './dmarc.ts';

export type DomainState = 'exists' | 'nxdomain' | 'unknown';

export type Discovery = { readonly organizationalDomain: string } & (
  | {
      readonly kind: 'record';
      readonly recordDomain: string;
      readonly record: DmarcRecord;
      readonly modelsDisagree: boolean;
    }
  | { readonly kind: 'multiple'; readonly recordDomain: string; readonly raws: readonly string[] }
  | { readonly kind: 'too long'; readonly recordDomain: string; readonly raw: string }
  | { readonly kind: 'none'; readonly lookalike?: { readonly name: string; readonly raw: string } }
  | { readonly kind: 'unverified'; readonly name: string; readonly failure: Failure }
);

/**
 * RFC 9989 §4.10: the domain and all of its parents; of a long name, only the parents with at most
 * seven labels.
 */
export function walkNames(domain: string): string[] {
  const labels = domain.split('.');
  const parents = labels.map((_, at) => labels.slice(at).join('.')).slice(1);
  return [domain, ...parents.slice(-7)];
}

/** `all` are the steps for the names of `walkNames`, in that order. */
export function discover(domain: string, all: readonly Step[]): Discovery {
  const steps = walk(all);
  const [own, ...parents] = steps;
  // A failure below the public suffix leaves unknown which is the highest name with a record.
  const isUncertain = steps.some(
    (step) => step.kind === 'failure' && registrableDomain(step.name) !== undefined,
  );
  const decided = organizationalDomain(domain, steps);
  const fallback = organizationOf(domain);
  const organization = { organizationalDomain: isUncertain ? fallback : (decided ?? fallback) };

  if (own?.kind === 'failure')
    return { kind: 'unverified', name: own.name, failure: own.failure, ...organization };
  // Several records: RFC 7489 §6.6.3 stops here, RFC 9989 §4.10 walks on. Receivers differ, so the
  // worse case is reported.
  if (own?.kind === 'multiple' || own?.kind === 'too long')
    return { ...unusable(own), ...organization };
  if (own?.kind === 'one')
    return {
      kind: 'record',
      recordDomain: domain,
      record: own.record,
      modelsDisagree: false,
      ...organization,
    };

  const failed = parents.find(
    (step) =>
      step.kind === 'failure' &&
      (decided === undefined || registrableDomain(step.name) !== undefined),
  );
  if (failed?.kind === 'failure')
    return { kind: 'unverified', name: failed.name, failure: failed.failure, ...organization };
  // RFC 9989 §4.10.1: the organizational domain's record, or else that of the public suffix, whose
  // psd=y ended the walk.
  const published = parents.filter((step) => step.kind === 'one');
  const used = published.find(({ name }) => name === decided) ?? published.at(-1);
  if (used !== undefined) {
    const modelsDisagree = used.name !== recordDomainByList(domain, all);
    return {
      kind: 'record',
      recordDomain: used.name,
      record: used.record,
      modelsDisagree,
      ...organization,
    };
  }
  const last = parents.findLast((step) => step.kind === 'multiple' || step.kind === 'too long');
  if (last !== undefined) return { ...unusable(last), ...organization };
  const lookalike = steps.find((step) => step.kind === 'lookalike');
  return { kind: 'none', ...(lookalike && { lookalike }), ...organization };
}

/**
 * What is at one name of the walk. `alias` is the name that `_dmarc.` and the name is an alias of.
 */
export type Step = { readonly name: string; readonly alias?: string } & (
  | { readonly kind: 'one'; readonly record: DmarcRecord }
  | { readonly kind: 'multiple'; readonly raws: readonly string[] }
  | { readonly kind: 'too long'; readonly raw: string }
  | { readonly kind: 'lookalike'; readonly raw: string }
  | { readonly kind: 'none' }
  | { readonly kind: 'failure'; readonly failure: Failure }
);

function unusable(step: Extract<Step, { kind: 'multiple' | 'too long' }>) {
  const { name: recordDomain, alias, ...rest } = step;
  return { recordDomain, ...rest };
}

/**
 * RFC 9989 §4.10 steps 2 and 6: the walk ends at the first record that says whether its name is a
 * public suffix.
 */
function walk(all: readonly Step[]): readonly Step[] {
  const last = all.findIndex((step) => step.kind === 'one' && step.record.psd !== 'u');
  return last < 0 ? all : all.slice(0, last + 1);
}

/** The DNS answers for all names of the walk. */
export type DmarcSteps = {
  /** What is at each name of the tree walk; the first is the domain itself. */
  readonly steps: readonly Step[];
  /** `_dmarc.` and the domain is an alias of a name that does not exist. */
  readonly isOwnAliasMissing: boolean;
};

export async function readDmarcSteps(domain: string, resolver: Resolver): Promise<DmarcSteps> {
  let isOwnAliasMissing = false;
  // Each record is parsed when its answer arrives, not all of them at the end: that would block the
  // event loop.
  const read = async (name: string) => {
    const answer = await resolver.txt(`_dmarc.${name}`);
    if (name === domain)
      isOwnAliasMissing = answer.kind === 'nxdomain' && answer.alias !== undefined;
    return readStep(name, answer);
  };
  const steps = await Promise.all(walkNames(domain).map(read));
  return { steps, isOwnAliasMissing };
}

/**
 * `wildcardAlias`: what every name below the domain is an alias of. Then `_dmarc` is one like every
 * other name that does not exist: a record can be published there.
 */
export function withoutWildcardAlias(
  read: DmarcSteps,
  wildcardAlias: string | undefined,
): DmarcSteps {
  const [own, ...others] = read.steps;
  if (own?.alias === undefined || own.alias !== wildcardAlias) return read;
  const { alias, ...step } = own;
  return { steps: [step, ...others], isOwnAliasMissing: false };
}

/** `answer` is that to the TXT question for `_dmarc.` and the name. */
export function readStep(name: string, answer: Answer<string>): Step {
  if (answer.kind === 'failure') return { name, kind: 'failure', failure: answer };
  const alias = aliasOf(answer);
  const at = { name, ...(alias !== undefined && { alias }) };
  const selection = selectDmarc(answer.kind === 'found' ? answer.records : []);
  if (selection.kind === 'one') return { ...at, kind: 'one', record: parseDmarc(selection.raw) };
  if (selection.kind === 'multiple' || selection.kind === 'too long')
    return { ...at, ...selection };
  return selection.lookalike === undefined
    ? { ...at, kind: 'none' }
    : { ...at, kind: 'lookalike', raw: selection.lookalike };
}

/** RFC 9989 §4.10.2. Undefined if the walk found no record. */
function organizationalDomain(domain: string, steps: readonly Step[]): string | undefined {
  const last = steps.findLast((step) => step.kind === 'one');
  if (last === undefined || last.name === domain) return last?.name;
  // The walk ends at psd=y, so that record is the last: the organizational domain is one label
  // below it.
  if (last.record.psd !== 'y') return last.name;
  const labels = domain.split('.');
  return labels.slice(-(last.name.split('.').length + 1)).join('.');
}

/**
 * The domain whose record RFC 7489 §6.6.3 finds for a domain that has none of its own; `''` if
 * there is none.
 */
function recordDomainByList(domain: string, all: readonly Step[]): string {
  const name = registrableDomain(domain);
  return all.find((step) => step.name === name)?.kind === 'one' ? (name ?? '') : '';
}

/**
 * RFC 9989 §4.10.1: `p` for the record's own name, `sp` for names below it, `np` for those that do
 * not exist.
 */
export function effectivePolicy(
  record: DmarcRecord,
  isInherited: boolean,
  state: DomainState,
): DmarcPolicy {
  if (record.standing !== 'as published') return 'none';
  const { policy, subdomainPolicy, nonexistentPolicy } = record;
  const inheritedPolicy = state === 'nxdomain' ? nonexistentPolicy : subdomainPolicy;
  const applied = isInherited ? inheritedPolicy : policy;
  return applied === '' ? 'none' : applied;
}
