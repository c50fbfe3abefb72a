/**
 * Who sends as a domain, and whether a policy may be published: the rows of its reports, judged with its records as they
 * are, and replayed under the records that are asked about.
 */
import { sendersIn } from '../advice/readiness.ts';
import { parseDmarc } from '../dmarc/dmarc.ts';
import type { Resolver } from '../dns/answer.ts';
import { EventLoopSlices } from '../dns/event-loop-slices.ts';
import { parseTagList, tagValue } from '../records/tag-list.ts';
import type { DmarcPolicy } from '../report.ts';
import type { Findings } from '../score/score.ts';
import { createSpfEvaluator } from '../spf/evaluate.ts';
import type { SpfNode } from '../spf/lookups.ts';
import { cutText, visible } from '../visible-text.ts';
import { type Alignment, classify, type JudgedSource, ownSignatures, type SenderClass } from './classify.ts';
import { isLargeReceiver } from './large-receivers.ts';
import { createReplay } from './replay.ts';
import type { DailySource, ReportShape, ReportWindow, SenderDecision } from './report.ts';
import {
  createSenderFinder,
  findSharedRanges,
  type NamedService,
  type PlaceSources,
  type SenderFinder,
} from './sender-places.ts';
import { mostMessages, type SenderDay, type SenderService, summarizeDays, summarizeServices } from './summarize.ts';
import {
  type AskedPolicy,
  daysBetween,
  explainReason,
  judge,
  type Policies,
  type Verdict,
  type VerdictAnswer,
  type VerdictReason,
  verdictText,
} from './verdict.ts';

/** A zone, as a check has found it. */
export type CheckedZone = { readonly findings: Pick<Findings, 'spf' | 'dmarc'>; readonly resolver: Resolver };

export type SendersQuestion = Pick<PlaceSources, 'domain' | 'networkOf'> & {
  readonly from: string;
  readonly to: string;
  readonly window: ReportWindow<DailySource>;
  /** Of the last 90 days, for includes that nothing was sent through; undefined if reports do not go back so far. */
  readonly longSources: () => Promise<readonly DailySource[] | undefined>;
  /** By the id of the sender. */
  readonly decisions: ReadonlyMap<string, SenderDecision>;
  /** Undefined: what the changed record has, or `reject` if that is none. */
  readonly asked: AskedPolicy | undefined;
  readonly present: CheckedZone;
  /** The records to replay the rows under; the present ones unless given. */
  readonly changed?: CheckedZone | undefined;
};

/** The answer as the API has it. */
export type SendersReport = {
  domain: string;
  from: string;
  to: string;
  reports: number;
  reporters: {
    name: string;
    reports: number;
    messages: number;
    first_seen: string;
    last_seen: string;
    is_large: boolean;
  }[];
  messages: number;
  verdict: VerdictReport;
  services: SenderService[];
  /** Services with fewer messages than those that are listed. */
  services_left_out: number;
  days: SenderDay[];
};
export type VerdictReport = {
  policy: AskedPolicy;
  answer: VerdictAnswer;
  text: string;
  reasons: ReasonReport[];
  refused: { service: string; class: SenderClass; messages: number }[];
  /** Messages of the domain that the verdict is about. */
  own_messages: number;
};
/** The fields of all reasons, each where it applies. */
export type ReasonReport = {
  weight: VerdictReason['weight'];
  code: VerdictReason['code'];
  text: string;
  id?: string;
  service?: string;
  class?: SenderClass;
  messages?: number;
  percent?: number;
  setup?: string;
  decision?: SenderDecision;
  is_recent?: boolean;
  name?: string;
  days?: number;
  needed?: number;
  day?: string;
  term?: string;
  lookups?: number;
  reporter?: string;
  reports?: number;
};

export type JudgedSenders = { readonly report: SendersReport; readonly judged: readonly JudgedSource[] };

const MAX_REPORTERS = 50;
const MAX_REFUSED = 50;
const MAX_ASKED_NAMES = 30;

export async function judgeSenders(question: SendersQuestion): Promise<JudgedSenders> {
  const { domain, from, to, window, decisions, present, changed = present, networkOf } = question;
  const record = recordOf(domain, changed);
  const { asked, policies } = policiesOf(record, question.asked);
  const named = namedServices(present.findings.spf.tree);
  const spf = await createSpfEvaluator(present.findings.spf.tree, present.resolver);
  const changedSpf = changed === present ? spf : await createSpfEvaluator(changed.findings.spf.tree, changed.resolver);
  const addresses = new Set(window.sources.filter(isFailing).map(({ address }) => address));
  const own: string[] = [];
  for (const [i, address] of [...addresses].entries()) {
    if (i % ADDRESSES_PER_SLICE === 0) await slices.next();
    const matches = spf.matchesOf(address);
    if (matches.length > 0 && matches.every(({ records }) => records.length === 1)) own.push(address);
  }
  const sharedBy = await findSharedRanges(own, present.resolver);
  const senderOf = createSenderFinder({ domain, networkOf, spf, named, sharedBy });
  const alignment = alignmentOf(recordOf(domain, present));
  // What takes long is done in slices first, and remembered.
  for (const [i, source] of window.sources.entries()) {
    if (i % ADDRESSES_PER_SLICE === 0) await slices.next();
    senderOf(source);
  }
  const judged = classify(window.sources, { senderOf, decisions, alignment });
  await slices.next();
  const zone = { domain, spf, alignment };
  const replay = createReplay(zone, { domain, spf: changedSpf, alignment: alignmentOf(record) });
  const names = policies.sp === policies.np && !asked.startsWith('np=') ? [] : namesBelow(domain, judged);
  const verdict = judge({
    ...{ domain, asked, policies, to, window, judged, named },
    passes: replay.passes,
    exists: await existenceOf(names, changed.resolver),
    isSpfUnverified: changed.findings.spf.isUnverified || present.findings.spf.isUnverified,
  });
  await slices.next();
  const idle = await idleIncludes(question, named, senderOf);
  const days = daysBetween(from, to) + 1;
  const networkName = (address: string) => networkOf(address).name;
  const { services, left_out } = summarizeServices(judged, { networkName, decisions });
  await slices.next();
  const report: SendersReport = {
    domain,
    from,
    to,
    reports: window.reports,
    reporters: window.reporters.slice(0, MAX_REPORTERS).map((reporter) => ({
      name: shown(reporter.name),
      reports: reporter.reports,
      messages: reporter.messages,
      first_seen: reporter.firstDay,
      last_seen: reporter.lastDay,
      is_large: isLargeReceiver(reporter),
    })),
    messages: window.sources.reduce((sum, { messages }) => sum + messages, 0),
    verdict: describeVerdict({ ...verdict, reasons: [...verdict.reasons, ...idle] }, days),
    services,
    services_left_out: left_out,
    days: summarizeDays(judged),
  };
  return { report, judged };
}

const shown = (text: string) => cutText(visible(text));
const isFailing = ({ spfPassed, dkimPassed }: ReportShape) => !spfPassed && !dkimPassed;
/** There may be a hundred thousand addresses. */
const slices = new EventLoopSlices();
const ADDRESSES_PER_SLICE = 100;

function describeVerdict(verdict: Verdict, days: number): VerdictReport {
  const { policy, answer, reasons, refused, ownMessages } = verdict;
  return {
    policy,
    answer,
    text: shown(verdictText(verdict, days)),
    reasons: reasons.map((reason) => ({ ...showTexts(reason), text: shown(explainReason(reason, policy)) })),
    refused: refused
      .slice(0, MAX_REFUSED)
      .map(({ service, class: senderClass, messages }) => ({ service: shown(service), class: senderClass, messages })),
    own_messages: ownMessages,
  };
}

function showTexts<Reason extends VerdictReason>(reason: Reason): Reason {
  const fields = Object.entries(reason).map(([name, value]) => [
    name,
    typeof value === 'string' ? shown(value) : value,
  ]);
  return Object.fromEntries(fields) as Reason;
}

/** Of the domain itself: the policy of a parent is not the one that reports for this domain are about. */
function recordOf(domain: string, { findings }: CheckedZone): string {
  const { raw, record_domain } = findings.dmarc.report;
  return record_domain === domain ? raw : '';
}

function alignmentOf(raw: string): Alignment {
  const { dkimAlignment: adkim, spfAlignment: aspf } = parseDmarc(raw);
  return { adkim, aspf };
}

/** What the record would be with the policy that is asked about, in force for all mail. */
function policiesOf(raw: string, given: AskedPolicy | undefined): { asked: AskedPolicy; policies: Policies } {
  const list = parseTagList(raw, 'lowered');
  const published = (tag: string) => POLICIES.find((policy) => policy === tagValue(list, tag)?.toLowerCase());
  const asked = given ?? askedBy(published('p'), published('sp'));
  const [tag, value] = asked.includes('=') ? asked.split('=') : ['p', asked];
  const policyOf = (name: string) => (name === tag ? POLICIES.find((policy) => policy === value) : published(name));
  const p = policyOf('p') ?? 'none';
  const sp = policyOf('sp') ?? p;
  return { asked, policies: { p, sp, np: policyOf('np') ?? sp } };
}

const POLICIES: readonly DmarcPolicy[] = ['none', 'quarantine', 'reject'];

function askedBy(policy: DmarcPolicy | undefined, subdomains: DmarcPolicy | undefined): AskedPolicy {
  if (policy === 'reject' || policy === 'quarantine') return policy;
  return subdomains === 'reject' || subdomains === 'quarantine' ? `sp=${subdomains}` : 'reject';
}

function namedServices(tree: SpfNode): NamedService[] {
  const { services, unknown } = sendersIn(tree);
  const found = new Map<string, NamedService>();
  const add = (name: string, { via: term, lookups }: SpfNode, setup: string) =>
    found.set(name, { name, term, setup, lookups: lookups + (found.get(name)?.lookups ?? 0) });
  for (const { service, node } of services) add(service.name, node, service.setup);
  for (const node of unknown) add(node.name, node, '');
  return [...found.values()];
}

/** Names in From that are below the domain, those with the most messages. */
function namesBelow(domain: string, judged: readonly JudgedSource[]): string[] {
  const below = judged.filter(({ source }) => source.headerFrom.endsWith(`.${domain}`));
  const counted = below.map(({ source }) => [source.headerFrom, source.messages] as const);
  return mostMessages(counted, MAX_ASKED_NAMES).map(([name]) => name);
}

async function existenceOf(names: readonly string[], resolver: Resolver) {
  const answers = await Promise.all(names.map(async (name) => [name, await resolver.txt(name)] as const));
  const known = new Map(
    answers.flatMap(([name, { kind }]) => (kind === 'failure' ? [] : [[name, kind !== 'nxdomain'] as const])),
  );
  return (name: string) => known.get(name);
}

async function idleIncludes(
  { window, longSources }: SendersQuestion,
  named: readonly NamedService[],
  senderOf: SenderFinder,
): Promise<VerdictReason[]> {
  const without = (services: readonly NamedService[], sources: readonly DailySource[]) => {
    const senders = new Set(sources.map((source) => senderOf(source).name));
    return services.filter(({ name }) => !senders.has(name));
  };
  const idle = without(
    named.filter(({ lookups }) => lookups > 0),
    window.sources,
  );
  const sources = idle.length === 0 ? undefined : await longSources();
  if (sources === undefined) return [];
  return without(idle, sources).map(({ name, term, lookups }) => ({
    ...{ weight: 'note', code: 'include_idle' },
    ...{ service: name, term, lookups },
  }));
}

/**
 * Names the places of addresses that are judged alike under both zones: those of the same network and realm that the same
 * terms let pass. Addresses of the domain's own terms are judged one by one, because a service may share some of them.
 */
export async function createPlaces(
  networkOf: PlaceSources['networkOf'],
  ...zones: readonly CheckedZone[]
): Promise<(address: string) => string> {
  const all = await Promise.all(zones.map(({ findings, resolver }) => createSpfEvaluator(findings.spf.tree, resolver)));
  return (address) => {
    const { id, realm } = networkOf(address);
    const terms = all.map((spf) => {
      const matches = spf.matchesOf(address);
      const isOwn = matches.length > 0 && matches.every(({ records }) => records.length === 1);
      return `${isOwn ? address : matches.map(({ ownTerm, records }) => `${ownTerm} ${records}`)} ${spf.resultOf(address)}`;
    });
    return `${id} ${realm} ${terms}`;
  };
}

const MAX_SELECTORS_SEEN = 10;

/** Selectors that mail was signed with as the domain, those with the most messages: a check cannot guess them. */
export function selectorsSeen(domain: string, { sources }: Pick<ReportWindow<DailySource>, 'sources'>): string[] {
  const counted = sources.flatMap((source) =>
    ownSignatures(source)
      .filter(({ selector, domain: signer }) => signer === domain && selector !== '')
      .map(({ selector }) => [selector, source.messages] as const),
  );
  return mostMessages(counted, MAX_SELECTORS_SEEN).map(([selector]) => selector);
}
