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
import type { CheckedZone, JudgedSenders, SendersReport } from '@whence/email/internal/reports/judge-senders';
import type { DailySource, ReportWindow, SenderDecision } from '@whence/email/internal/reports/report';
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
/** Judgements are some kB each. Sources of a window are objects of some hundred bytes: 100 MB in all at most. */
const MAX_JUDGEMENTS = 200;
const MAX_SOURCES = 200_000;
/** Reports arrive daily. */
const RECENT_DAYS = 7;

/** Reports in storage. */
export type ReportSource = {
  window(domain: string, fromDay: string, toDay: string): Promise<ReportWindow<DailySource>>;
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
type Window = {
  readonly key: string;
  readonly from: string;
  readonly to: string;
  readonly window: ReportWindow<DailySource>;
};

export class Senders implements ReportedSenders {
  readonly #store: ReportSource;
  readonly #nowMs: () => number;
  /** In the order of use, the oldest first. */
  readonly #windows = new Map<string, ReportWindow<DailySource>>();
  readonly #judgements = new Map<string, SendersReport>();
  /** A dataset that is loaded, or overridden, is another object. */
  readonly #datasets = new WeakMap<Dataset, number>();
  #lastDataset = 0;

  constructor(store: ReportSource, nowMs: () => number) {
    this.#store = store;
    this.#nowMs = nowMs;
  }

  /** Selectors that its mail was signed with; none for a domain without reports. */
  async selectors(domain: string): Promise<string[]> {
    const found = await withStorage(() => this.#window(domain, DEFAULT_DAYS));
    if (found === undefined || found.window.reports === 0) return [];
    const { selectorsSeen } = await import('@whence/email/internal/reports/judge-senders');
    return selectorsSeen(domain, found.window).filter(isSelector);
  }

  /** `changed` are the records to replay the rows under. */
  async answer(
    domain: string,
    { days, asked, service }: SendersAsked,
    zones: Zones,
    dataset: Dataset | undefined,
  ): Promise<SendersAnswer> {
    const current = await this.#window(domain, days);
    const records = [zones.present, zones.changed ?? zones.present].map(recordsOf).join();
    const key = JSON.stringify([current.key, asked, dataset && this.#numberOf(dataset), records]);
    const known = this.#judgements.get(key);
    if (known !== undefined && service === undefined) return known;
    const networkOf = networkFinder(dataset);
    const { report, judged } = await this.#judge(domain, current, asked, zones, networkOf);
    keep(this.#judgements, key, report, () => 1, MAX_JUDGEMENTS);
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

  async #judge(
    domain: string,
    { from, to, window }: Window,
    asked: AskedPolicy | undefined,
    { present, changed }: Zones,
    networkOf: (address: string) => SenderNetwork,
  ): Promise<JudgedSenders> {
    const isLong = daysBetween(from, to) + 1 >= LONG_DAYS;
    const { window: longWindow } = isLong ? { window } : await this.#window(domain, LONG_DAYS);
    const decided = await this.#store.decisions(domain);
    const decisions = new Map<string, SenderDecision>(decided.map(({ service, decision }) => [service, decision]));
    const { judgeSenders } = await import('@whence/email/internal/reports/judge-senders');
    return judgeSenders({ domain, from, to, window, longWindow, decisions, asked, present, changed, networkOf });
  }

  #numberOf(dataset: Dataset): number {
    const number = this.#datasets.get(dataset) ?? ++this.#lastDataset;
    this.#datasets.set(dataset, number);
    return number;
  }

  async #window(domain: string, days: number): Promise<Window> {
    const to = dayAt(this.#nowMs()).text;
    const from = dayAfter(to, 1 - days);
    const key = `${domain} ${from} ${to} ${await this.#store.generation(domain)}`;
    const window = this.#windows.get(key) ?? (await this.#store.window(domain, from, to));
    keep(this.#windows, key, window, ({ sources }) => sources.length, MAX_SOURCES);
    return { key, from, to, window };
  }
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

/** The newest entry stays, whatever its size. */
function keep<Value>(
  entries: Map<string, Value>,
  key: string,
  value: Value,
  sizeOf: (value: Value) => number,
  limit: number,
): void {
  entries.delete(key);
  entries.set(key, value);
  let size = [...entries.values()].reduce((sum, one) => sum + sizeOf(one) + 1, 0);
  for (const [oldest, one] of entries) {
    if (size <= limit || oldest === key) return;
    entries.delete(oldest);
    size -= sizeOf(one) + 1;
  }
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
