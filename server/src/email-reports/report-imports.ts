/** Posted reports: read in a thread, one body at a time, and stored. */
import { runThread, TookTooLong } from '@whence/dataset/io/thread';
import { UNPROVEN_REASONS } from '@whence/email/reports';
import { NOT_READ, type NotReadCode } from '@whence/email/reports/not-read';
import { type AllowedDomains, isAllowedDomain } from '../domains/allowed-domains.ts';
import { ApiError } from '../http/errors.ts';
import { CostQueue, type Requester } from '../limits/cost-classes.ts';
import type { PreparedReport } from '../storage/prepared-report.ts';
import type { PreparedTlsReport } from '../storage/prepared-tls-report.ts';
import type { ReportStore } from '../storage/stores/report-store.ts';
import { type AddedState, notKeptCode } from '../storage/stores/reported-domain.ts';
import type { TlsReportStore } from '../storage/stores/tls-report-store.ts';
import type { ThreadTask } from './import-thread.ts';
import type { ReadItem } from './read-input.ts';
import { type FloodTask, floodOf } from './report-flood.ts';

/** A report of an answer. Texts are empty and numbers 0 where they are not known. */
export type ImportedReport = {
  readonly kind: 'dmarc' | 'tls' | '';
  readonly reporter: string;
  readonly id: string;
  readonly domain: string;
  readonly begin: number;
  readonly end: number;
  readonly rows: number;
  readonly messages: number;
  readonly state: 'read' | 'repeated' | 'not_read';
  readonly reason: string;
};

/** What one message of a mailbox had. */
export type MailedReports = {
  readonly reports: readonly ImportedReport[];
  readonly hasReport: boolean;
};

export type MailImport = readonly MailedReports[] | 'overdue' | 'no_dns' | undefined;

/** Other mail in a mailbox of reports, and reports of other kinds. */
const OTHER_MAIL: readonly NotReadCode[] = [
  'not_a_report',
  'no_report',
  'broken_message',
  'failure_report',
];
const isWithoutReport = (item: ReadItem) =>
  item.kind === 'not_read' && OTHER_MAIL.includes(item.code);

const ACCEPTED =
  'an aggregate report as XML, a TLS report as JSON, either as gzip or zip, or a message with one';
const UNUSABLE =
  'unusable: its period is longer than 48 hours or in the future; shown, and not used for verdicts';

/** Some tens of milliseconds on the writer. */
const BATCH_REPORTS = 100;
const BATCH_ROWS = 20_000;

type Stores = {
  readonly reports: ReportStore;
  readonly tlsReports: Pick<TlsReportStore, 'add'>;
};
type ImportSettings = { readonly dnsServers: readonly string[]; readonly keepDays: number };

/** The key, or the account as statistics have it, and the domains that it may import reports of. */
type Importer = { readonly id: string; readonly allowedDomains: AllowedDomains };
type ReportCounts = { countReport(state: string): void };

export class ReportImports {
  readonly #stores: Stores;
  readonly #settings: ImportSettings;
  readonly #nowMs: () => number;
  readonly #counts: ReportCounts | undefined;
  readonly #queue = new CostQueue('report_import');

  constructor(
    stores: Stores,
    settings: ImportSettings,
    nowMs: () => number,
    counts?: ReportCounts,
  ) {
    this.#stores = stores;
    this.#settings = settings;
    this.#nowMs = nowMs;
    this.#counts = counts;
  }

  /**
   * Throws an ApiError if the queue is full, the deadline passes, or the body is something else.
   */
  async import(bytes: Buffer, importer: Importer, requester: Requester): Promise<ImportedReport[]> {
    const imported = await this.#queue.run(
      requester,
      ({ signal }) => this.#import(bytes, importer, signal),
      () => undefined,
    );
    if (imported === undefined) throw new ApiError('QUEUE_FULL');
    return imported;
  }

  async #import(
    bytes: Buffer,
    { id: keyId, allowedDomains }: Importer,
    signal: AbortSignal,
  ): Promise<ImportedReport[]> {
    const nowMs = this.#nowMs();
    const items = await readInThread({ ...this.#settings, bytes, keyId, nowMs }, signal);
    if (items.every((item) => item.kind === 'not_read' && item.code === 'not_a_report'))
      throw new ApiError('UNSUPPORTED_MEDIA_TYPE', { extra: { details: { expected: ACCEPTED } } });
    return this.#addAll(items, allowedDomains, nowMs, signal);
  }

  /**
   * Messages of a mailbox, each of which must prove its reporter. Nothing is stored without DNS, by
   * which they do. Undefined if other imports use the time: the same messages can be tried again.
   */
  async importMessages(
    messages: readonly Buffer[],
    maxMessageBytes: number,
    requester: Requester,
  ): Promise<MailImport> {
    return this.#queue.run(
      requester,
      async ({ signal }) => {
        const nowMs = this.#nowMs();
        const task = { ...this.#settings, messages, maxMessageBytes, keyId: '', nowMs };
        const items = await inThread<ReadItem[][] | 'no_dns'>(task, signal);
        if (items === undefined) return 'overdue';
        if (items === 'no_dns') return items;
        const imported: MailedReports[] = [];
        for (const each of items) {
          const reports = await this.#addAll(each, undefined, nowMs, signal);
          imported.push({ reports, hasReport: !each.every(isWithoutReport) });
        }
        return imported;
      },
      (reason) => (reason === 'overdue' ? 'overdue' : undefined),
    );
  }

  async #addAll(
    items: readonly ReadItem[],
    allowedDomains: AllowedDomains,
    nowMs: number,
    signal: AbortSignal,
  ): Promise<ImportedReport[]> {
    const imported: ImportedReport[] = [];
    for (const batch of batchesOf(items)) {
      // Reports that are stored already are `repeated` when the body is sent again.
      signal.throwIfAborted();
      const isAllowed = (item: ReadItem) =>
        item.kind === 'not_read' || isAllowedDomain(item.report.domain, allowedDomains);
      const added = await this.#addBatch(batch.filter(isAllowed), nowMs, signal);
      for (const item of batch) {
        const report = added.get(item) ?? refusedDomain(item);
        const isUnproven = report.state === 'read' && report.reason.startsWith('unproven');
        this.#counts?.countReport(isUnproven ? 'unproven' : report.state);
        imported.push(report);
      }
    }
    return imported;
  }

  async #addBatch(
    items: readonly ReadItem[],
    nowMs: number,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<ReadItem, ImportedReport>> {
    const added = new Map<ReadItem, ImportedReport>();
    for (const item of items)
      if (item.kind === 'not_read') added.set(item, { ...NOTHING, ...notRead(item.code) });
    const tls = items.filter((item) => item.kind === 'tls_report');
    const tlsStates = await this.#stores.tlsReports.add(
      tls.map(({ report }) => report),
      nowMs,
    );
    for (const [i, item] of tls.entries()) {
      const { rowCount: rows, sessions: messages } = item.report;
      const outcome = outcomeOf(item.report, tlsStates[i] ?? 'read');
      added.set(item, { kind: 'tls', ...outcome, rows, messages });
    }
    const dmarc = items.filter((item) => item.kind === 'report');
    const reports = await this.#withoutFloods(
      dmarc.map(({ report }) => report),
      signal,
    );
    const states = await this.#stores.reports.add(reports, nowMs);
    for (const [i, item] of dmarc.entries()) {
      const { rowCount: rows, messages } = item.report;
      const outcome = outcomeOf(item.report, states[i] ?? 'read');
      added.set(item, { kind: 'dmarc', ...outcome, rows, messages });
    }
    return added;
  }

  /** In one thread, which finds the domain's senders once. */
  async #withoutFloods(
    reports: readonly PreparedReport[],
    signal: AbortSignal,
  ): Promise<readonly PreparedReport[]> {
    const pendingRows = new Map<string, number>();
    const floods: FloodTask[] = [];
    for (const report of reports) {
      const day = `${report.domainId} ${report.day}`;
      const pending = pendingRows.get(day) ?? 0;
      const flood = await floodOf(report, this.#stores.reports, pending);
      if (flood !== undefined) floods.push(flood);
      pendingRows.set(day, pending + Math.min(report.others.rows, flood?.room ?? Infinity));
    }
    if (floods.length === 0) return reports;
    const { dnsServers } = this.#settings;
    const summed = await runTask<PreparedReport[]>({ floods, dnsServers }, signal);
    const byReport = new Map(floods.map(({ report }, i) => [report, summed[i]]));
    return reports.map((report) => byReport.get(report) ?? report);
  }
}

/** What is stored in one transaction, and passed to a thread at once. */
function* batchesOf(items: readonly ReadItem[]): Generator<ReadItem[]> {
  let batch: ReadItem[] = [];
  let rows = 0;
  for (const item of items) {
    batch.push(item);
    rows += item.kind === 'not_read' ? 0 : item.report.rowCount;
    if (batch.length < BATCH_REPORTS && rows < BATCH_ROWS) continue;
    yield batch;
    batch = [];
    rows = 0;
  }
  if (batch.length > 0) yield batch;
}

function refusedDomain(item: ReadItem): ImportedReport {
  const domain = item.kind === 'not_read' ? '' : item.report.domain;
  return { ...NOTHING, domain, ...notRead('domain_not_allowed') };
}

function outcomeOf(
  report: PreparedReport | PreparedTlsReport,
  state: AddedState,
): Omit<ImportedReport, 'kind' | 'rows' | 'messages'> {
  return {
    reporter: report.reporter,
    id: report.reportId,
    domain: report.domain,
    begin: report.beginMs / 1000,
    end: report.endMs / 1000,
    ...(state === 'not_kept' ? notRead(notKeptCode(report)) : { state, reason: reasonFor(report) }),
  };
}

function notRead(code: NotReadCode): Pick<ImportedReport, 'state' | 'reason'> {
  return { state: 'not_read', reason: `${code}: ${NOT_READ[code]}` };
}

function reasonFor({ unproven, isUsable }: Pick<PreparedReport, 'unproven' | 'isUsable'>): string {
  if (unproven !== undefined)
    return `unproven: ${UNPROVEN_REASONS[unproven]}; counted, and not used for verdicts`;
  return isUsable ? '' : UNUSABLE;
}

const NOTHING = {
  kind: '',
  reporter: '',
  id: '',
  domain: '',
  begin: 0,
  end: 0,
  rows: 0,
  messages: 0,
} as const;

const runTask = <T>(task: ThreadTask, signal: AbortSignal): Promise<T> =>
  runThread<T>(new URL('./import-thread.js', import.meta.url), task, signal);

async function readInThread(task: ThreadTask, signal: AbortSignal): Promise<ReadItem[]> {
  const read = await inThread<ReadItem[]>(task, signal);
  return read ?? [{ kind: 'not_read', name: '', code: 'took_too_long' }];
}

/** Undefined if it takes too long or too much memory. */
async function inThread<T>(task: ThreadTask, signal: AbortSignal): Promise<T | undefined> {
  try {
    return await runTask<T>(task, signal);
  } catch (error) {
    const isOutOfBounds =
      error instanceof TookTooLong ||
      (error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY';
    if (!isOutOfBounds) throw error;
    return undefined;
  }
}
