/** Posted reports: read in a thread, one body at a time, and stored. */
import { runThread, TookTooLong } from '@whence/dataset/internal/io/run-thread';
import { NOT_READ } from '@whence/email/internal/reports/unreadable';
import { ApiError } from '../http/errors.ts';
import { CostQueue, type Requester } from '../limits/cost-classes.ts';
import type { ReportStore } from '../storage/stores/report-store.ts';
import type { ImportTask } from './import-thread.ts';
import type { ReadItem } from './read-input.ts';

/** A report of an answer. Texts are empty and numbers 0 where they are not known. */
export type ImportedReport = {
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

export const ACCEPTED = 'an aggregate report as XML, gzip or zip, or a message with one';
const UNPROVEN =
  'unproven: its message has no valid signature of the reporter’s domain; shown, and not used for verdicts';
const UNUSABLE = 'unusable: its period is longer than 48 hours or in the future; shown, and not used for verdicts';

export type ImportSettings = { readonly dnsServers: readonly string[]; readonly keepDays: number };

export class ReportImports {
  readonly #store: ReportStore;
  readonly #settings: ImportSettings;
  readonly #nowMs: () => number;
  readonly #queue = new CostQueue('report_import');

  constructor(store: ReportStore, settings: ImportSettings, nowMs: () => number) {
    this.#store = store;
    this.#settings = settings;
    this.#nowMs = nowMs;
  }

  /** Throws an ApiError if the queue is full, or the body is something else. */
  async import(bytes: Buffer, keyId: string, requester: Requester): Promise<ImportedReport[]> {
    const imported = await this.#queue.run(
      requester,
      () => this.#import(bytes, keyId, requester.signal),
      () => undefined,
    );
    if (imported === undefined) throw new ApiError('QUEUE_FULL');
    return imported;
  }

  async #import(bytes: Buffer, keyId: string, signal: AbortSignal): Promise<ImportedReport[]> {
    const nowMs = this.#nowMs();
    const items = await readInThread({ ...this.#settings, bytes, keyId, nowMs }, signal);
    if (items.every((item) => item.kind === 'not_read' && item.code === 'not_a_report'))
      throw new ApiError('UNSUPPORTED_MEDIA_TYPE', { extra: { details: { expected: ACCEPTED } } });
    const imported: ImportedReport[] = [];
    for (const item of items) imported.push(await this.#add(item, nowMs));
    return imported;
  }

  async #add(item: ReadItem, nowMs: number): Promise<ImportedReport> {
    if (item.kind === 'not_read')
      return { ...NOTHING, state: 'not_read', reason: `${item.code}: ${NOT_READ[item.code]}` };
    const { report } = item;
    const [state = 'read'] = await this.#store.add([report], nowMs);
    return {
      reporter: report.reporter,
      id: report.reportId,
      domain: report.domain,
      begin: report.beginMs / 1000,
      end: report.endMs / 1000,
      rows: report.rowCount,
      messages: report.messages,
      state,
      reason: !report.isProven ? UNPROVEN : report.isUsable ? '' : UNUSABLE,
    };
  }
}

const NOTHING = { reporter: '', id: '', domain: '', begin: 0, end: 0, rows: 0, messages: 0 };

async function readInThread(task: ImportTask, signal: AbortSignal): Promise<ReadItem[]> {
  try {
    return await runThread<ReadItem[]>(new URL('./import-thread.js', import.meta.url), task, signal);
  } catch (error) {
    const isOutOfBounds =
      error instanceof TookTooLong || (error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY';
    if (!isOutOfBounds) throw error;
    return [{ kind: 'not_read', name: '', code: 'took_too_long' }];
  }
}
