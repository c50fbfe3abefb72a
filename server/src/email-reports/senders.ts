/**
 * Who sends as a domain, by its reports: what storage has of them is judged with the records that DNS has now. A judgement
 * is kept until an import, a decision, a record or the dataset changes; storage is asked for the number of the last import
 * or decision only.
 */
import { createHash } from 'node:crypto';
import { parseAddress } from '@whence/dataset/address';
import type { Dataset } from '@whence/dataset/internal/file/read';
import { formatPrefix } from '@whence/dataset/prefix';
import { isSelector } from '@whence/email/internal/dkim/selectors';
import type { WindowRows } from '@whence/email/internal/reports/group-rows';
import type { CheckedZone, JudgedSenders, SendersReport } from '@whence/email/internal/reports/judge-senders';
import type { SeenWindow, SenderDecision } from '@whence/email/internal/reports/report';
import type { SenderNetwork } from '@whence/email/internal/reports/sender-places';
import type { SenderRow } from '@whence/email/internal/reports/summarize';
import { type AskedPolicy, dayAfter, daysBetween } from '@whence/email/internal/reports/verdict';
import { dayAt } from '../day.ts';
import type { Measured } from '../email-checks/check-details.ts';
import type { ReportedSenders } from '../email-checks/check-request.ts';
import { StorageUnavailable } from '../storage/storage-unavailable.ts';

export const DEFAULT_DAYS = 35;
export const MAX_DAYS = 400;
const LONG_DAYS = 90;
/** Judgements are some kB each. */
const MAX_JUDGEMENTS = 200;
/** Reports arrive daily. */
const RECENT_DAYS = 7;

/** Reports in storage. */
export type ReportSource = {
  window(domain: string, fromDay: string, toDay: string): Promise<SeenWindow>;
  rows(domain: string, fromDay: string, toDay: string): Promise<WindowRows>;
  generation(domain: string): Promise<number>;
  decisions(domain: string): Promise<readonly { readonly service: string; readonly decision: SenderDecision }[]>;
};

/** What is asked about the senders of a domain. */
export type SendersAsked = {
  readonly days: number;
  readonly asked: AskedPolicy | undefined;
  /** Lists the rows of this service too. */
  readonly service?: string | undefined;
};
export type SendersAnswer = { [Field in keyof WithRows]: WithRows[Field] };
type WithRows = SendersReport & { rows?: SenderRow[] };
type Zones = { readonly present: CheckedZone; readonly changed?: CheckedZone };
/** Days up to today, and the reports that are stored. */
type Period = { readonly key: string; readonly from: string; readonly to: string };

export class Senders implements ReportedSenders {
  readonly #store: ReportSource;
  readonly #nowMs: () => number;
  /** In the order of use, the oldest first. */
  readonly #judgements = new Map<string, SendersReport>();
  readonly #selectors = new Map<string, string[]>();
  /** A dataset that is loaded, or overridden, is another object. */
  readonly #datasets = new WeakMap<Dataset, number>();
  #lastDataset = 0;

  constructor(store: ReportSource, nowMs: () => number) {
    this.#store = store;
    this.#nowMs = nowMs;
  }

  /** Selectors that its mail was signed with; none for a domain without reports. */
  async selectors(domain: string): Promise<string[]> {
    const found = await withStorage(async () => {
      const { key, from, to } = await this.#period(domain, DEFAULT_DAYS);
      const known = this.#selectors.get(key);
      if (known !== undefined) return known;
      const rows = await this.#store.rows(domain, from, to);
      const [{ groupRows }, { selectorsSeen }] = await judging();
      const seen = selectorsSeen(domain, { sources: await groupRows(rows, () => '') }).filter(isSelector);
      keep(this.#selectors, key, seen);
      return seen;
    });
    return found ?? [];
  }

  /** `changed` are the records to replay the rows under. */
  async answer(
    domain: string,
    { days, asked, service }: SendersAsked,
    zones: Zones,
    dataset: Dataset | undefined,
  ): Promise<SendersAnswer> {
    const period = await this.#period(domain, days);
    const records = [zones.present, zones.changed ?? zones.present].map(recordsOf).join();
    const key = JSON.stringify([period.key, asked, dataset && this.#numberOf(dataset), records]);
    const known = this.#judgements.get(key);
    if (known !== undefined && service === undefined) return known;
    const networkOf = networkFinder(dataset);
    const { report, judged } = await this.#judge(domain, period, asked, zones, networkOf, service?.toLowerCase());
    keep(this.#judgements, key, report);
    if (service === undefined) return report;
    const { rowsOfService } = await import('@whence/email/internal/reports/summarize');
    return { ...report, rows: rowsOfService(judged, service.toLowerCase(), (address) => networkOf(address).name) };
  }

  replay(domain: string, zones: Zones, dataset: Dataset | undefined): Promise<SendersReport> {
    return this.answer(domain, { days: DEFAULT_DAYS, asked: undefined }, zones, dataset);
  }

  /** What reports show about the obstacles to a stricter policy; undefined for a domain without proven ones. */
  async measure(domain: string, present: CheckedZone, dataset: Dataset | undefined): Promise<Measured | undefined> {
    const asked = { days: DEFAULT_DAYS, asked: 'reject' } as const;
    const report = await withStorage(() => this.answer(domain, asked, { present }, dataset));
    if (report === undefined || report.reports === 0) return undefined;
    const { verdict, services, reporters, to, messages, days } = report;
    const { policy, answer, text, reasons } = verdict;
    const refused = reasons.filter(({ code }) => code === 'mail_refused');
    return {
      line: { policy, answer, text, messages, passed: days.reduce((sum, { passes }) => sum + passes, 0) },
      measured: {
        areArriving: reporters.some(({ last_seen }) => daysBetween(last_seen, to) < RECENT_DAYS),
        passing: services.filter(({ messages, passed }) => messages === passed).map(({ name }) => name),
        refused: refused.map(({ service = '', messages = 0 }) => ({ service, messages })),
      },
    };
  }

  /** The addresses of `service` are judged one by one; those of others by their place. */
  async #judge(
    domain: string,
    { from, to }: Period,
    asked: AskedPolicy | undefined,
    { present, changed = present }: Zones,
    networkOf: (address: string) => SenderNetwork,
    service: string | undefined,
  ): Promise<JudgedSenders> {
    const [window, rows, decided] = await Promise.all([
      this.#store.window(domain, from, to),
      this.#store.rows(domain, from, to),
      this.#store.decisions(domain),
    ]);
    const decisions = new Map<string, SenderDecision>(decided.map(({ service: id, decision }) => [id, decision]));
    const [{ groupRows }, { createPlaces, judgeSenders }] = await judging();
    const placeOf = await createPlaces(networkOf, present, ...(changed === present ? [] : [changed]));
    const longSources = async () => {
      const longFrom = dayAfter(to, 1 - LONG_DAYS);
      // Reports of some days are missing: one of the week before is enough.
      const { days } = await this.#store.window(domain, dayAfter(longFrom, 1 - RECENT_DAYS), longFrom);
      if (days.length === 0) return undefined;
      return groupRows(await this.#store.rows(domain, longFrom, to), placeOf);
    };
    const judgeBy = async (place: (address: string) => string) => {
      const sources = await groupRows(rows, place);
      const question = { domain, from, to, decisions, asked, present, changed, networkOf, longSources };
      return judgeSenders({ ...question, window: { ...window, sources } });
    };
    const judged = await judgeBy(placeOf);
    if (service === undefined) return judged;
    const places = judged.judged
      .filter(({ sender }) => sender.id === service)
      .map(({ source }) => placeOf(source.address));
    const detailed = new Set(places);
    return judgeBy((address) => (detailed.has(placeOf(address)) ? address : placeOf(address)));
  }

  #numberOf(dataset: Dataset): number {
    const number = this.#datasets.get(dataset) ?? ++this.#lastDataset;
    this.#datasets.set(dataset, number);
    return number;
  }

  async #period(domain: string, days: number): Promise<Period> {
    const to = dayAt(this.#nowMs()).text;
    const from = dayAfter(to, 1 - days);
    return { key: `${domain} ${from} ${to} ${await this.#store.generation(domain)}`, from, to };
  }
}

/** Loaded when reports are first asked for. */
const judging = () =>
  Promise.all([
    import('@whence/email/internal/reports/group-rows'),
    import('@whence/email/internal/reports/judge-senders'),
  ]);

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
function recordsOf({ findings: { spf, dmarc } }: CheckedZone): string {
  return createHash('sha256')
    .update(JSON.stringify([spf.tree, spf.isUnverified, dmarc.report.raw, dmarc.report.record_domain]))
    .digest('base64');
}

/** Networks whose addresses belong to one organization: elsewhere the neighbours of an address are other customers. */
const OF_ONE_ORGANIZATION: readonly string[] = ['business', 'education'];

function networkFinder(dataset: Dataset | undefined): (address: string) => SenderNetwork {
  const known = new Map<string, SenderNetwork>();
  const find = (text: string): SenderNetwork => {
    const address = parseAddress(text);
    if (address === undefined) return { id: text, name: text, realm: text };
    const block = formatPrefix(address, address.version === 4 ? 24 : 48);
    const match = dataset?.find(address) ?? 0;
    if (dataset === undefined || match === 0) return { id: block, name: block, realm: block };
    const { asn, asn_name, connection_type } = dataset.record(address, match);
    const id = `as${asn}`;
    const isOfOne = OF_ONE_ORGANIZATION.includes(connection_type);
    return { id, name: `AS${asn} ${asn_name}`.trim(), realm: isOfOne ? id : block };
  };
  return (address) => {
    const network = known.get(address) ?? find(address);
    known.set(address, network);
    return network;
  };
}
