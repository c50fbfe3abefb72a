/**
 * Records that name senders of a domain: its own, and those of names below it that mail has in
 * From. A sender that only the record of a subdomain names is the domain's too. A name with a DMARC
 * record of its own does not follow the domain's policy. Anyone can invent such names, so those
 * with mail that passed come first, and names that do not exist take no place.
 */

import { selectDmarc } from '../../dmarc/dmarc.ts';
import { type Answer, isTemporaryFailure, type Resolver } from '../../dns/answer.ts';
import { organizationOf } from '../../registrable-domain.ts';
import { MAX_LOOKUPS } from '../../report.ts';
import { createSpfEvaluator, type SpfEvaluator } from '../../spf/evaluate.ts';
import { checkSpf, type SpfNode } from '../../spf/lookups.ts';
import { selectSpf } from '../../spf/spf.ts';
import type { DailySource, ReportShape } from '../report.ts';

export type NamedRecord = {
  readonly tree: SpfNode;
  readonly spf: SpfEvaluator;
  /** DNS did not answer for the MX hosts, or for one of several records. */
  readonly isUnverified: boolean;
};

/** Names that exist follow the policy of the domain, unless they publish their own. */
export type NameState = 'absent' | 'follows' | 'own_policy';

export type FromNames = {
  readonly records: readonly NamedRecord[];
  /** For each name that was looked up. */
  readonly states: ReadonlyMap<string, NameState>;
  readonly leftOut: number;
  /** DNS did not answer for a name from which mail passed. */
  readonly isUnverified: boolean;
};

const MAX_RECORDS = 20;
/** Invented names cost two queries each, and have no record. */
const MAX_ASKED = 100;
const ASKED_AT_ONCE = 20;

/** Before its days are added up, mail has only a shape. */
type NamedMail = Pick<ReportShape, 'headerFrom' | 'spfPassed' | 'dkimPassed'> &
  Partial<Pick<DailySource, 'start' | 'daily' | 'reporters'>>;

export async function readFromNames(
  domain: string,
  sources: readonly NamedMail[],
  resolver: Resolver,
): Promise<FromNames> {
  const candidates = namesBelow(domain, sources);
  const states = new Map<string, NameState>();
  const read: Promise<NamedRecord[]>[] = [];
  /** A wildcard has the same record at every name. */
  const texts = new Set<string>();
  let at = 0;
  let isUnverified = false;
  while (at < Math.min(candidates.length, MAX_ASKED) && read.length < MAX_RECORDS) {
    const some = candidates.slice(at, at + ASKED_AT_ONCE);
    const [answers, policies] = await Promise.all([
      Promise.all(some.map(({ name }) => resolver.txt(name))),
      Promise.all(some.map(({ name }) => resolver.txt(`_dmarc.${name}`))),
    ]);
    for (const [i, { name, hasPassed }] of some.entries()) {
      const answer = answers[i];
      if (answer === undefined || read.length === MAX_RECORDS) break;
      at++;
      if (isTemporaryFailure(answer)) {
        isUnverified ||= hasPassed;
        continue;
      }
      states.set(name, stateOf(answer, policies[i]));
      const selected = selectSpf(answer.kind === 'found' ? answer.records : []);
      if (selected.kind === 'none' || (texts.has(selected.raw) && !hasPassed)) continue;
      texts.add(selected.raw);
      const { tree, isUnverified: isFailing } = await checkSpf(name, answer, resolver);
      isUnverified ||= isFailing && hasPassed;
      read.push(namedRecords(tree, resolver));
    }
  }
  const records = (await Promise.all(read)).flat();
  return { records, states, leftOut: candidates.length - at, isUnverified };
}

/** RFC 9989 §4.10: the record of the name itself comes before that of the domain. */
function stateOf(answer: Answer<string>, policy: Answer<string> | undefined): NameState {
  const texts = policy?.kind === 'found' ? policy.records : [];
  if (selectDmarc(texts).kind === 'one') return 'own_policy';
  return answer.kind === 'nxdomain' ? 'absent' : 'follows';
}

/** Those with mail that passed first, then by the number of days and of reporters. */
function namesBelow(domain: string, sources: readonly NamedMail[]) {
  const byName = new Map<string, NamedMail[]>();
  for (const source of sources) {
    if (!source.headerFrom.endsWith(`.${domain}`)) continue;
    const known = byName.get(source.headerFrom);
    if (known === undefined) byName.set(source.headerFrom, [source]);
    else known.push(source);
  }
  return [...byName]
    .map(([name, seen]) => ({
      name,
      hasPassed: seen.some(({ spfPassed, dkimPassed }) => spfPassed || dkimPassed),
      days: daysOf(seen),
      reporters: new Set(seen.flatMap(({ reporters = [] }) => reporters)).size,
    }))
    .sort(
      (a, b) =>
        Number(b.hasPassed) - Number(a.hasPassed) ||
        b.days - a.days ||
        b.reporters - a.reporters ||
        (a.name < b.name ? -1 : 1),
    );
}

/** On how many days there was mail; the days before a period are counted from another one. */
function daysOf(sources: readonly NamedMail[]): number {
  const days = new Map<string, Set<number>>();
  for (const { start = '', daily = [] } of sources) {
    const known = days.get(start) ?? new Set();
    days.set(start, known);
    for (const { day } of daily) known.add(day);
  }
  return [...days.values()].reduce((sum, { size }) => sum + size, 0);
}

/**
 * The SPF record that receivers evaluate comes first; then each of several, of which they use none;
 * then the domain's own MX hosts, as terms that do not say whether they may send.
 */
export async function namedRecords(tree: SpfNode, resolver: Resolver): Promise<NamedRecord[]> {
  const { name } = tree;
  const [text, mx] = await Promise.all([resolver.txt(name), resolver.mx(name)]);
  const selected = selectSpf(text.kind === 'found' ? text.records : []);
  const raws = selected.kind === 'multiple' ? [...selected.raws] : [];
  const hosts = (mx.kind === 'found' ? mx.records : [])
    .map(({ exchange }) => exchange)
    .filter((host) => organizationOf(host) === organizationOf(name));
  if (hosts.length > 0)
    raws.push(['v=spf1', ...hosts.slice(0, MAX_LOOKUPS).map((host) => `?a:${host}`)].join(' '));
  const others = await Promise.all(
    raws.map((raw) => checkSpf(name, { kind: 'found', records: [raw], aliases: [] }, resolver)),
  );
  const isUnverified = isTemporaryFailure(mx) || others.some((other) => other.isUnverified);
  return Promise.all(
    [{ tree }, ...others].map(async ({ tree: read }) => ({
      tree: read,
      spf: await createSpfEvaluator(read, resolver),
      isUnverified,
    })),
  );
}
