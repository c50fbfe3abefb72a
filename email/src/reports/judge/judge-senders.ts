/**
 * Who sends as a domain, and whether a policy may be published: the rows of its reports, judged
 * with its records as they are, and replayed under the records that are asked about.
 */
import { rewriteDmarc } from '../../advice/dmarc-record.ts';
import { parseDmarc } from '../../dmarc/dmarc.ts';
import type { Resolver } from '../../dns/answer.ts';
import {
  ownDmarcRecord,
  type Policies as PublishedPolicies,
  publishedPolicy,
} from '../../policies/find-policies.ts';
import { sendersIn } from '../../readiness/readiness.ts';
import { parseTagList, tagValue } from '../../records/tag-list.ts';
import { zoneFileLine } from '../../records/zone-file.ts';
import type { DmarcPolicy } from '../../report.ts';
import type { SpfEvaluator } from '../../spf/evaluate.ts';
import type { SpfNode } from '../../spf/lookups.ts';
import { cutText, visible } from '../../visible-text.ts';
import { type Alignment, ownSignatures } from '../alignment.ts';
import { isLargeReceiver } from '../large-receivers.ts';
import type {
  DailySource,
  ReportShape,
  ReportWindow,
  SeenReporter,
  SenderDecision,
} from '../report.ts';
import type { AskedPolicy, VerdictAnswer } from './asked-policy.ts';
import { classify, type JudgedSource } from './classify.ts';
import { type NamedRecord, namedRecords, readFromNames } from './named-records.ts';
import { findProviderRanges } from './provider-ranges.ts';
import { createReplay } from './replay.ts';
import type { SenderClass } from './sender-class.ts';
import {
  createSenderFinder,
  type NamedService,
  otherOwner,
  type PlaceSources,
  type SenderNetwork,
  unitOf,
} from './sender-places.ts';
import {
  mostMessages,
  type SenderDay,
  type SenderService,
  summarizeDays,
  summarizeServices,
} from './summarize.ts';
import { daysBetween, judge, type Policies, replayMail } from './verdict.ts';
import {
  explainReason,
  type Verdict,
  type VerdictReason,
  type VerdictTotals,
  verdictText,
} from './verdict-text.ts';

export type { SenderNetwork } from './sender-places.ts';

/** A zone, as `findPolicies` or a check has found it. */
export type CheckedZone = {
  readonly findings: PublishedPolicies;
  readonly resolver: Resolver;
};
export type CompiledZone = CheckedZone & { readonly records: readonly NamedRecord[] };

export async function compileZone(zone: CheckedZone): Promise<CompiledZone> {
  return { ...zone, records: await namedRecords(zone.findings.spf.tree, zone.resolver) };
}

export type SendersQuestion = Pick<PlaceSources, 'networkOf'> & {
  readonly domain: string;
  readonly from: string;
  readonly to: string;
  readonly window: ReportWindow<DailySource>;
  /** Rows of the days before `from`, up to 90 days before `to`. */
  readonly earlier: readonly DailySource[];
  /** There are reports from 90 days ago, so that a sender without mail since then is idle. */
  readonly hasOlderReports: boolean;
  /** By the id of the sender, or of a part of it. */
  readonly decisions: ReadonlyMap<string, SenderDecision>;
  /** Undefined: what the changed record has, or `reject` if that is none. */
  readonly asked: AskedPolicy | undefined;
  readonly present: CompiledZone;
  /** The records to replay the rows under; the present ones unless given. */
  readonly changed?: CompiledZone | undefined;
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
  /** Reporters beyond those that are listed. */
  reporters_left_out: number;
  days: SenderDay[];
};
export type VerdictReport = {
  policy: AskedPolicy;
  answer: VerdictAnswer;
  text: string;
  reasons: ReasonReport[];
  refused: { service: string; class: SenderClass; messages: number }[];
  totals: { -readonly [Name in keyof VerdictTotals]: number };
  /** The line to publish where the answer is yes; empty otherwise. */
  record: string;
  /** Messages of the domain that the verdict is about. */
  own_messages: number;
};
/** The fields of all reasons, each where it applies. */
export type ReasonReport = Pick<VerdictReason, 'weight' | 'code'> & { text: string } & {
  -readonly [Name in FieldOf<VerdictReason>]?: Extract<VerdictReason, Record<Name, unknown>>[Name];
};
type FieldOf<Union> = Union extends unknown ? keyof Union : never;

export type JudgedSenders = {
  readonly report: SendersReport;
  /**
   * As the first step, where reports do not show enough for `reject`: it needs fewer days of them.
   */
  readonly quarantine: VerdictReport | undefined;
  readonly judged: readonly JudgedSource[];
  /** Judges rows of the same mail, added up otherwise. */
  readonly judgeSource: (source: DailySource) => JudgedSource;
};

const MAX_REPORTERS = 50;
const MAX_REFUSED = 50;
/** Where no address may send, this one may not. */
const ANY_ADDRESS = '192.0.2.1';

export async function judgeSenders(question: SendersQuestion): Promise<JudgedSenders> {
  const { domain, from, to, window, decisions, present, changed = present } = question;
  const record = ownDmarcRecord(changed.findings);
  const { asked, policies } = policiesOf(record, question.asked);
  const sources = [...question.earlier, ...window.sources];
  const names = await readFromNames(domain, sources, present.resolver);
  const recordsOf = (zone: CompiledZone) => [...zone.records, ...names.records];
  const records = recordsOf(present);
  const changedRecords = recordsOf(changed);
  const named = records.flatMap(({ tree }) => namedServices(tree));
  const alignment = alignmentOf(ownDmarcRecord(present.findings));
  const now = { spf: evaluated(records), alignment };
  const spf = evaluated(changedRecords);
  const inForce = spf.get(domain);
  const replay = createReplay(now.spf, { spf, alignment: alignmentOf(record) });
  const replayNow = changed === present ? replay : createReplay(now.spf, now);
  const providerOf = sources.some((source) => isFailing(source) || !replay.passes(source))
    ? await findProviderRanges(present.resolver)
    : () => undefined;
  const places = { networkOf: question.networkOf, named, providerOf };
  const senderOf = createSenderFinder({ ...places, records });
  const { judged: all, judgeSource } = classify(sources, { senderOf, decisions, alignment });
  const common = {
    domain,
    from,
    to,
    window,
    named,
    judged: all,
    passes: replay.passes,
    passesNow: replayNow.passes,
    sendsNothing: inForce?.ranges.length === 0 && inForce.resultOf(ANY_ADDRESS) === 'fail',
    stateOf: (name: string) => names.states.get(name),
    isOwn: (address: string) => isOwnAddress(changedRecords, address),
    isSpfUnverified:
      names.isUnverified ||
      [...records, ...changedRecords, changed.findings.spf, present.findings.spf].some(
        (read) => read.isUnverified,
      ),
    namesLeftOut: names.leftOut,
    hasOlderReports: question.hasOlderReports,
  };
  const describe = (verdict: Verdict) =>
    describeVerdict(
      verdict,
      daysBetween(from, to) + 1,
      recordLine(domain, record, verdict.policy, changed),
    );
  const asking = { ...common, asked, policies };
  const replayed = replayMail(asking);
  const verdict = judge(asking, replayed);
  let quarantine: VerdictReport | undefined;
  const isFirstStep = publishedPolicy(domain, changed.findings) === 'none';
  if (isFirstStep && asked === 'reject' && verdict.answer === 'not_enough') {
    quarantine = describe(judge({ ...common, ...policiesOf(record, 'quarantine') }, replayed));
  }
  const judged = all.slice(question.earlier.length);
  const networkName = (address: string) => question.networkOf(address).name;
  const { services, left_out } = summarizeServices(judged, { networkName, decisions });
  const report: SendersReport = {
    domain,
    from,
    to,
    reports: window.reports,
    reporters: listedReporters(window.reporters).map((reporter) => ({
      name: shown(reporter.name),
      reports: reporter.reports,
      messages: reporter.messages,
      first_seen: reporter.firstDay,
      last_seen: reporter.lastDay,
      is_large: isLargeReceiver(reporter),
    })),
    messages: window.sources.reduce((sum, { messages }) => sum + messages, 0),
    verdict: describe(verdict),
    services,
    services_left_out: left_out,
    reporters_left_out: Math.max(0, window.reporters.length - MAX_REPORTERS),
    days: summarizeDays(judged),
  };
  return { report, quarantine, judged, judgeSource };
}

/** By name, the record that receivers evaluate: the first one. */
function evaluated(records: readonly NamedRecord[]): ReadonlyMap<string, SpfEvaluator> {
  return new Map(records.toReversed().map(({ tree, spf }) => [tree.name, spf]));
}

function isOwnAddress(records: readonly NamedRecord[], address: string): boolean {
  return records.some(({ spf }) =>
    spf.matchesOf(address).some(({ qualifier }) => qualifier === '+'),
  );
}

/** Anyone can report under any number of names, which must not hide the large receivers. */
function listedReporters(reporters: readonly SeenReporter[]): SeenReporter[] {
  const byWeight = reporters.toSorted(
    (a, b) => Number(isLargeReceiver(b)) - Number(isLargeReceiver(a)) || b.messages - a.messages,
  );
  return byWeight.slice(0, MAX_REPORTERS);
}

const shown = (text: string) => cutText(visible(text));
const isFailing = ({ spfPassed, dkimPassed }: ReportShape) => !spfPassed && !dkimPassed;

function describeVerdict(verdict: Verdict, days: number, record: string): VerdictReport {
  const { policy, answer, reasons, refused, totals, ownMessages } = verdict;
  return {
    policy,
    answer,
    text: shown(verdictText(verdict, days)),
    reasons: reasons.map((reason) => ({
      ...showTexts(reason),
      text: shown(explainReason(reason, policy)),
    })),
    refused: refused
      .slice(0, MAX_REFUSED)
      .map((sender) => ({ ...sender, service: shown(sender.service) })),
    totals: { ...totals },
    record: answer === 'yes' ? record : '',
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

function alignmentOf(raw: string): Alignment {
  const { dkimAlignment: adkim, spfAlignment: aspf } = parseDmarc(raw);
  return { adkim, aspf };
}

/** What the record would be with the policy that is asked about, in force for all mail. */
function policiesOf(
  raw: string,
  given: AskedPolicy | undefined,
): { asked: AskedPolicy; policies: Policies } {
  const published = publishedTags(raw);
  const asked = given ?? askedBy(published);
  const [tag, value] = tagOf(asked);
  const policyOf = (name: string) => (name === tag ? value : published(name));
  const p = policyOf('p') ?? 'none';
  const sp = policyOf('sp') ?? p;
  return { asked, policies: { p, sp, np: policyOf('np') ?? sp } };
}

/**
 * The record with what was asked about, for all mail; empty where the domain has none of its own.
 */
function recordLine(
  domain: string,
  raw: string,
  asked: AskedPolicy,
  { findings }: CheckedZone,
): string {
  const [own] = findings.dmarc.steps;
  if (raw === '' || own?.alias !== undefined) return '';
  const [tag, policy] = tagOf(asked);
  const inForce = publishedTags(raw)('p') ?? 'none';
  const others = parseTagList(raw, 'lowered').tags.filter(({ name }) => name !== tag);
  const text =
    tag === 'p'
      ? rewriteDmarc(raw, { policy, inForce, isFull: true }).text
      : [...others.map((other) => other.raw), `${tag}=${policy}`].join('; ');
  return zoneFileLine({ name: `_dmarc.${domain}`, type: 'TXT', text });
}

function tagOf(asked: AskedPolicy): [tag: string, policy: DmarcPolicy] {
  const policy = asked.endsWith('quarantine') ? 'quarantine' : 'reject';
  return [asked.includes('=') ? asked.slice(0, 2) : 'p', policy];
}

const POLICIES: readonly DmarcPolicy[] = ['none', 'quarantine', 'reject'];

function publishedTags(raw: string): (tag: string) => DmarcPolicy | undefined {
  const list = parseTagList(raw, 'lowered');
  return (tag) => POLICIES.find((policy) => policy === tagValue(list, tag)?.toLowerCase());
}

/** The first tag that has a policy. */
function askedBy(published: (tag: string) => DmarcPolicy | undefined): AskedPolicy {
  for (const tag of ['p', 'sp', 'np'] as const) {
    const policy = published(tag);
    if (policy === 'reject' || policy === 'quarantine')
      return tag === 'p' ? policy : `${tag}=${policy}`;
  }
  return 'reject';
}

function namedServices(tree: SpfNode): NamedService[] {
  const { services, unknown } = sendersIn(tree);
  const found = new Map<string, NamedService>();
  const add = (name: string, { via: term, lookups: more }: SpfNode, setup: string) => {
    const lookups = more + (found.get(name)?.lookups ?? 0);
    found.set(name, { name, record: tree.name, term, setup, lookups });
  };
  for (const { service, node } of services) add(service.name, node, service.setup);
  for (const node of unknown) add(node.name, node, '');
  return [...found.values()];
}

/** `isNamed`: some record names the address, or a person has decided about it. */
export type Places = {
  readonly placeOf: (address: string) => string;
  readonly isNamed: (address: string) => boolean;
};

/**
 * Names the places of addresses that are judged alike under all these records: those of one
 * provider that the same terms let pass. Other addresses are judged one by one, IPv6 by /64.
 */
export function createPlaces(
  networkOf: (address: string) => SenderNetwork,
  decisions: SendersQuestion['decisions'],
  ...zones: readonly Pick<CompiledZone, 'records'>[]
): Places {
  /** The ends of their ids. */
  const decided = new Set([...decisions.keys()].map((id) => /[^/]+(?:::\/64)?$/.exec(id)?.[0]));
  const all = zones.flatMap(({ records }) => records.map(({ spf }) => spf));
  const placeOf = (address: string) => {
    const found = all.map((spf) => spf.matchesOf(address)).filter(({ length }) => length > 0);
    const isOwn = found.some((matches) => matches.every((match) => !otherOwner(match)));
    const terms = found.flat().map(({ ownTerm, records }) => `${ownTerm} ${records}`);
    const place = isOwn || found.length === 0 ? unitOf(address) : terms;
    return `${networkOf(address).id} ${place} ${all.map((spf) => spf.resultOf(address))}`;
  };
  const isNamed = (address: string) =>
    decided.has(unitOf(address)) || all.some((spf) => spf.matchesOf(address).length > 0);
  return { placeOf, isNamed };
}

const MAX_SELECTORS_SEEN = 10;

/**
 * Selectors that mail was signed with as the domain, those with the most messages: a check cannot
 * guess them.
 */
export function selectorsSeen(
  domain: string,
  sources: readonly (ReportShape & { readonly messages: number })[],
): string[] {
  const counted = sources.flatMap((source) =>
    ownSignatures(source)
      .filter(({ selector, domain: signer }) => signer === domain && selector !== '')
      .map(({ selector }) => [selector, source.messages] as const),
  );
  return mostMessages(counted, MAX_SELECTORS_SEEN).map(([selector]) => selector);
}
