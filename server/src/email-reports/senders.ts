/**
 * Who sends as a domain, by its reports: what storage has of them is judged with the records that
 * DNS has now. A judgement is kept until an import, a decision, a record or the dataset changes;
 * storage is asked for the number of the last import or decision only.
 */

import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseAddress } from '@whence/dataset/address';
import type { Dataset } from '@whence/dataset/dataset';
import { formatPrefix } from '@whence/dataset/prefix';
import type { IpRecord } from '@whence/dataset/record';
import type { Resolver } from '@whence/email/dns';
import { policyKey } from '@whence/email/policies';
import type { SeenWindow, SenderDecision } from '@whence/email/reports';
import type { AskedPolicy, VerdictAnswer } from '@whence/email/reports/asked-policy';
import { type CheckedZone, type SenderNetwork, selectorsSeen } from '@whence/email/reports/judge';
import { judgedShapes } from '@whence/email/reports/judged-shapes';
import { dayAfter, daysBetween } from '@whence/email/reports/verdict';
import { isSelector } from '@whence/email/selectors';
import { dayOfMs } from '../day.ts';
import { type Measured, measuredBy, notJudged } from '../email-checks/check-details.ts';
import type { ReportedSenders } from '../email-checks/check-request.ts';
import { ApiError, isOverloaded } from '../http/errors.ts';
import { CostQueue, type Requester, type Slot } from '../limits/cost-classes.ts';
import { SharedWork } from '../limits/shared-work.ts';
import { StorageUnavailable } from '../storage/storage-unavailable.ts';
import type { CountedShape, RowLines } from '../storage/stores/report-store.ts';
import { REPORT_DAYS } from '../vocabulary.ts';
import {
  type Judgement,
  JudgementTooLarge,
  judgeInThread,
  type SendersAnswer,
} from './judgement.ts';
import { OTHER_NETWORKS } from './source-sums.ts';

export const MAX_DAYS = 400;
const LONG_DAYS = 90;
/** Some hundred bytes each. */
const MAX_NETWORKS = 10_000;
/** Judgements are some kB each. */
const MAX_JUDGEMENTS = 200;
/** What a check waits for a judgement. Millions of rows are judged in 5 s. */
const MAX_MEASURE_MS = 8_000;
/** A reporter that is silent for longer, after reports on most days of a period, has an event. */
export const SILENT_DAYS = 7;
const REGULAR_PERIOD_DAYS = 28;
/** Reports arrive daily. */
const RECENT_DAYS = 7;

/** Reports in storage. */
export type ReportSource = {
  window(domain: string, fromDay: string, toDay: string): Promise<SeenWindow>;
  shapes(domain: string, fromDay: string): Promise<ReadonlyMap<number, CountedShape>>;
  sources(domain: string): Promise<string[]>;
  rows(domain: string, fromDay: string, toDay: string): AsyncGenerator<RowLines[]>;
  reporterDays(
    domain: string,
    fromDay: string,
    regularTo: string,
  ): Promise<ReportedHistory['reporters']>;
  generation(domain: string): Promise<number>;
  decisions(
    domain: string,
  ): Promise<readonly { readonly service: string; readonly decision: SenderDecision }[]>;
};

/** What is asked about the senders of a domain. */
export type SendersAsked = {
  readonly days: number;
  readonly asked: AskedPolicy | undefined;
  /** Lists the rows of this service too. */
  readonly service?: string | undefined;
};
type Zones = { readonly present: CheckedZone; readonly changed?: CheckedZone };
/** A resolver for as long as a judgement may take. */
type ResolverFor = (
  domain: string,
  options: { readonly deadlineMs: number; readonly signal: AbortSignal },
) => Resolver;
/** What is compared from day to day. */
export type ReportedHistory = Pick<Judgement, 'history'> & {
  readonly verdict: VerdictAnswer;
  /** The last day with reports, counted from the first of the history; -1 without any. */
  readonly lastDay: number;
  readonly decided: readonly string[];
  /** `regularDays`: days with reports, of the four weeks before the last one. */
  readonly reporters: readonly {
    readonly name: string;
    readonly lastDay: string;
    readonly regularDays: number;
  }[];
};
/** Days up to today, and the reports that are stored. */
type Period = { readonly key: string; readonly from: string; readonly to: string };

type JudgementCounts = { countJudgement(outcome: string, seconds: number): void };

export class Senders implements ReportedSenders {
  readonly #store: ReportSource;
  readonly #nowMs: () => number;
  readonly #resolverFor: ResolverFor;
  readonly #counts: JudgementCounts | undefined;
  readonly #queue = new CostQueue('judgement');
  readonly #work = new SharedWork<Judgement>(this.#queue);
  /** In the order of use, the oldest first. */
  readonly #judgements = new Map<string, Judgement>();
  readonly #selectors = new Map<string, string[]>();
  /** A dataset that is loaded, or overridden, is another object. */
  readonly #datasets = new WeakMap<Dataset, number>();
  #lastDataset = 0;

  constructor(
    store: ReportSource,
    nowMs: () => number,
    resolverFor: ResolverFor,
    counts?: JudgementCounts,
  ) {
    this.#store = store;
    this.#nowMs = nowMs;
    this.#resolverFor = resolverFor;
    this.#counts = counts;
  }

  get running(): number {
    return this.#queue.held;
  }

  get waiting(): number {
    return this.#queue.waiting;
  }

  /** Selectors that its mail was signed with; none for a domain without reports. */
  async selectors(domain: string): Promise<string[]> {
    const found = await withStorage(async () => {
      const { key, from } = await this.#period(domain, REPORT_DAYS);
      const known = this.#selectors.get(key);
      if (known !== undefined) return known;
      const shapes = await this.#store.shapes(domain, from);
      const seen = selectorsSeen(domain, [...shapes.values()]).filter(isSelector);
      keep(this.#selectors, key, seen);
      return seen;
    });
    return found ?? [];
  }

  /** `changed` are the records to replay the rows under. */
  async answer(
    domain: string,
    asked: SendersAsked,
    zones: Zones,
    dataset: Dataset | undefined,
    requester: Requester,
  ): Promise<SendersAnswer> {
    return (await this.#judgement(domain, asked, zones, dataset, requester)).answer;
  }

  async #judgement(
    domain: string,
    asked: SendersAsked,
    zones: Zones,
    dataset: Dataset | undefined,
    requester: Requester,
  ): Promise<Judgement> {
    const period = await this.#period(domain, asked.days);
    const records = [zones.present, zones.changed ?? zones.present].map(recordsOf).join();
    const service = asked.service?.toLowerCase();
    const number = dataset && this.#numberOf(dataset);
    const key = JSON.stringify([period.key, asked.asked, service, number, records]);
    const known = this.#judgements.get(key);
    if (known !== undefined) return known;
    const judgement = await this.#work.run(
      key,
      requester,
      (slot) =>
        this.#timed(slot.signal, () =>
          this.#judge(domain, period, { ...asked, service }, zones, dataset, slot),
        ),
      () => {
        this.#counts?.countJudgement('refused', 0);
        throw new ApiError('QUEUE_FULL');
      },
    );
    // DNS may answer the next time.
    const { reasons } = judgement.answer.verdict;
    if (reasons.every(({ code }) => code !== 'spf_unverified'))
      keep(this.#judgements, key, judgement);
    return judgement;
  }

  replay(
    domain: string,
    zones: Zones,
    dataset: Dataset | undefined,
    requester: Requester,
    asked?: AskedPolicy,
  ): Promise<SendersAnswer> {
    return this.answer(domain, { days: REPORT_DAYS, asked }, zones, dataset, requester);
  }

  /**
   * What reports show about the next step of the policy; undefined for a domain without proven
   * ones. A check does not fail because they could not be judged in time.
   */
  async measure(
    domain: string,
    present: CheckedZone,
    dataset: Dataset | undefined,
    requester: Requester,
  ): Promise<Measured | undefined> {
    const window = await this.#recentReports(domain);
    if (window === undefined) return undefined;
    const measured = this.#measureNow(domain, present, dataset, requester).catch((error) => {
      if (isOverloaded(error)) return notJudged(window);
      throw error;
    });
    // A command waits as long as a judgement takes.
    if (requester.deadlineMs === undefined) return measured;
    const answered = new AbortController();
    const late = sleep(MAX_MEASURE_MS, notJudged(window), { signal: answered.signal });
    // Goes on after it is late: the next check has its result.
    return Promise.race([measured, late]).finally(() => answered.abort());
  }

  async hasReports(domain: string): Promise<boolean> {
    return (await this.#recentReports(domain)) !== undefined;
  }

  /** Undefined without proven ones. */
  async #recentReports(domain: string): Promise<SeenWindow | undefined> {
    const { from, to } = periodOf(this.#nowMs());
    const window = await withStorage(() => this.#store.window(domain, from, to));
    return window?.reports === 0 ? undefined : window;
  }

  /** Undefined while storage does not answer. */
  async history(
    domain: string,
    present: CheckedZone,
    dataset: Dataset | undefined,
    requester: Requester,
  ): Promise<ReportedHistory | undefined> {
    const asked = { days: REPORT_DAYS, asked: 'reject' } as const;
    return withStorage(async () => {
      const { answer, quarantine, history } = await this.#judgement(
        domain,
        asked,
        { present },
        dataset,
        requester,
      );
      const { from, to, days, services, verdict } = answer;
      const regularTo = dayAfter(to, -1 - SILENT_DAYS);
      const reporters = await this.#store.reporterDays(
        domain,
        dayAfter(regularTo, 1 - REGULAR_PERIOD_DAYS),
        regularTo,
      );
      const last = days.at(-1)?.day;
      return {
        history,
        reporters,
        verdict: (quarantine?.answer === 'yes' ? quarantine : verdict).answer,
        lastDay: last === undefined ? -1 : daysBetween(from, last),
        decided: services.filter(({ decision }) => decision !== undefined).map(({ id }) => id),
      };
    });
  }

  async #measureNow(
    domain: string,
    present: CheckedZone,
    dataset: Dataset | undefined,
    requester: Requester,
  ): Promise<Measured | undefined> {
    const asked = { days: REPORT_DAYS, asked: 'reject' } as const;
    // The same judgement as that of the page of senders.
    const judgement = await withStorage(() =>
      this.#judgement(domain, asked, { present }, dataset, requester),
    );
    if (judgement === undefined || judgement.answer.reports === 0) return undefined;
    const { answer, quarantine } = judgement;
    return measuredBy(quarantine?.answer === 'yes' ? { ...answer, verdict: quarantine } : answer);
  }

  async #judge(
    domain: string,
    { from, to }: Period,
    { asked, service }: SendersAsked,
    { present, changed }: Zones,
    dataset: Dataset | undefined,
    { signal, leftMs }: Pick<Slot, 'signal' | 'leftMs'>,
  ): Promise<Judgement> {
    const store = this.#store;
    const longFrom = dayAfter(to, 1 - LONG_DAYS);
    // Reports of some days are missing: one of the week before is enough.
    const oldestFrom = dayAfter(longFrom, 1 - RECENT_DAYS);
    const [window, older, decided, senders] = await Promise.all([
      store.window(domain, from, to),
      store.window(domain, oldestFrom, dayAfter(from, -1)),
      store.decisions(domain),
      store.sources(domain),
    ]);
    const firstDay = older.days[0]?.day;
    const shapes = await store.shapes(domain, from < longFrom ? from : longFrom);
    const resolver = this.#resolverFor(domain, { deadlineMs: leftMs(), signal });
    const task = {
      domain,
      from,
      to,
      earlierFrom: firstDay === undefined || from <= longFrom ? undefined : longFrom,
      hasOlderReports: firstDay !== undefined && firstDay <= longFrom,
      window,
      // Rows of a service are shown as they were reported.
      shapes: service === undefined ? judgedShapes(shapes) : shapes,
      senders,
      decisions: new Map(decided.map(({ service: id, decision }) => [id, decision])),
      asked,
      present: findingsOf(present),
      changed: changed && findingsOf(changed),
      service,
    };
    const sources = {
      rows: (first: string, last: string) => store.rows(domain, first, last),
      networkOf: networkFinder(dataset),
      resolvers: { present: resolver, changed: changed?.resolver ?? resolver },
    };
    try {
      return await judgeInThread(task, sources, signal);
    } catch (error) {
      if (error instanceof JudgementTooLarge) throw tooLarge();
      // Its deadline, not the client. It may have passed while storage was read.
      if (signal.aborted && leftMs() <= 0) throw new ApiError('QUEUE_FULL');
      throw error;
    }
  }

  async #timed(signal: AbortSignal, judge: () => Promise<Judgement>): Promise<Judgement> {
    const startedMs = performance.now();
    let outcome = 'failed';
    try {
      const judgement = await judge();
      outcome = 'answered';
      return judgement;
    } catch (error) {
      if (signal.aborted) outcome = 'abandoned';
      throw error;
    } finally {
      this.#counts?.countJudgement(outcome, (performance.now() - startedMs) / 1_000);
    }
  }

  #numberOf(dataset: Dataset): number {
    const number = this.#datasets.get(dataset) ?? ++this.#lastDataset;
    this.#datasets.set(dataset, number);
    return number;
  }

  async #period(domain: string, days: number): Promise<Period> {
    const { from, to } = periodOf(this.#nowMs(), days);
    return { key: `${domain} ${from} ${to} ${await this.#store.generation(domain)}`, from, to };
  }
}

/** Days up to today. */
export function periodOf(nowMs: number, days = REPORT_DAYS): { from: string; to: string } {
  const to = dayOfMs(nowMs);
  return { from: dayAfter(to, 1 - days), to };
}

/** A check needs no storage: without it, it says nothing about reports. */
async function withStorage<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof StorageUnavailable) return undefined;
    throw error;
  }
}

function keep<Value>(entries: Map<string, Value>, key: string, value: Value): void {
  entries.delete(key);
  entries.set(key, value);
  const [oldest] = entries.keys();
  if (entries.size > MAX_JUDGEMENTS && oldest !== undefined) entries.delete(oldest);
}

/** All records that a judgement depends on. */
function recordsOf({ findings }: CheckedZone): string {
  return createHash('sha256')
    .update(JSON.stringify(policyKey(findings)))
    .digest('base64');
}

/**
 * Networks whose addresses belong to one organization: elsewhere the neighbours of an address are
 * other customers.
 */
const OF_ONE_ORGANIZATION: readonly string[] = ['business', 'education'];

function networkFinder(dataset: Dataset | undefined): (address: string) => SenderNetwork {
  /** Many addresses share one, and to read a record takes longer than to find it. */
  const known = new Map<string, SenderNetwork>();
  return (text) => {
    if (text === OTHER_NETWORKS) return OTHERS;
    const address = parseAddress(text);
    if (address === undefined) return { id: text, name: text, realm: text, isOfOne: false };
    const block = formatPrefix(address, address.version === 4 ? 24 : 48);
    const match = dataset?.find(address) ?? 0;
    if (dataset === undefined || match === 0)
      return { id: block, name: block, realm: block, isOfOne: false };
    const key = `${match} ${block}`;
    let network = known.get(key);
    if (network === undefined) {
      network = networkIn(block, dataset.record(address, match));
      if (known.size === MAX_NETWORKS) known.clear();
      known.set(key, network);
    }
    return network;
  };
}

function networkIn(
  block: string,
  { asn, asn_name, connection_type }: Pick<IpRecord, 'asn' | 'asn_name' | 'connection_type'>,
): SenderNetwork {
  const id = `as${asn}`;
  const isOfOne = OF_ONE_ORGANIZATION.includes(connection_type);
  return { id, name: `AS${asn} ${asn_name}`.trim(), realm: isOfOne ? id : block, isOfOne };
}

const OTHERS: SenderNetwork = {
  id: 'other networks',
  name: 'other networks',
  realm: 'other networks',
  isOfOne: false,
};

/** What a thread gets: only what a judgement reads, which is plain data. */
const findingsOf = ({ findings: { spf, dmarc } }: CheckedZone): CheckedZone['findings'] => ({
  spf: { tree: spf.tree, isUnverified: spf.isUnverified },
  dmarc: { steps: dmarc.steps },
});

/** Later, there may be fewer addresses in the period. */
const tooLarge = () => new ApiError('QUEUE_FULL', { retryAfterSeconds: 60 });
