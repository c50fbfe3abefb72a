/**
 * `wh email reports import PATH…`: files, folders and mailboxes with aggregate and TLS reports, or
 * a message on standard input. One file, and of a mailbox one message, is in memory at a time. What
 * is read is stored in batches; each report is complete or absent.
 */
import { createReadStream, type Dirent } from 'node:fs';
import { opendir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Resolver } from '@whence/email/dns';
import { splitMbox } from '@whence/email/reports/mbox';
import { NOT_READ, type NotReadCode } from '@whence/email/reports/not-read';
import { isMbox, readMessage } from '@whence/email/reports/read';
import { Budget, MAX_PACKED_BYTES } from '@whence/email/reports/unpack';
import {
  itemOf,
  type ReadInputOptions,
  type ReadItem,
  readInput,
  withDns,
} from '../../email-reports/read-input.ts';
import { floodOf, PublishedSenders, sumFlood } from '../../email-reports/report-flood.ts';
import type { Config } from '../../settings/config.ts';
import type { PreparedReport } from '../../storage/prepared-report.ts';
import type { PreparedTlsReport } from '../../storage/prepared-tls-report.ts';
import type { Storage } from '../../storage/storage.ts';
import { tellUnknown } from '../../storage/storage-unavailable.ts';
import type { ReportStore } from '../../storage/stores/report-store.ts';
import { type AddedState, notKeptCode } from '../../storage/stores/reported-domain.ts';
import type { TlsReportStore } from '../../storage/stores/tls-report-store.ts';
import { type ExitCode, InputError, UsageError } from '../../terminal/exit.ts';
import { isSystemError } from '../../terminal/file-errors.ts';
import type { CommandStreams } from '../../terminal/output.ts';
import { ProgressBar } from '../../terminal/progress-bar.ts';
import { hanging, print, type Style } from '../../terminal/style.ts';
import { countIn, formatCount } from '../../terminal/table.ts';
import { withStorage } from '../command-storage.ts';

const STANDARD_INPUT = '-';
/**
 * Reports of one transaction, each of which waits for the disk; and their rows, for which others
 * wait.
 */
const BATCH_REPORTS = 50;
const BATCH_ROWS = 20_000;
/** Files that are not read and named; the others are counted. */
const MAX_NAMED = 20;
/** What a mailbox of reports has beside those that are read. */
const EXPECTED: readonly NotReadCode[] = [
  'failure_report',
  'too_old',
  'too_many_unproven',
  'too_many_tls',
];

type Settings = Pick<Config, 'storageLocation' | 'dnsServers' | 'reportsKeepDays'>;
type Stores = { readonly reports: ReportStore; readonly tlsReports: Pick<TlsReportStore, 'add'> };
type Options = { readonly json?: boolean; readonly new?: boolean };

/** Exit code 0 if nothing is unread but other kinds of reports, and old ones. */
export async function importReports(
  settings: Settings,
  paths: readonly string[],
  options: Options,
  streams: CommandStreams,
): Promise<ExitCode> {
  if (paths.includes(STANDARD_INPUT) && paths.length > 1)
    throw new UsageError('- is the only path, or none');
  for (const path of paths) if (path !== STANDARD_INPUT) await requireThere(path);
  const { dnsServers, reportsKeepDays: keepDays } = settings;
  const importInto = async (storage: Storage, resolverFor: (domain: string) => Resolver) => {
    const nowMs = Date.now();
    const reading: ReadInputOptions = { nowMs, keepDays, keyId: '', resolverFor };
    const batches = new Batches(storage, nowMs, resolverFor);
    const tally = new Tally(batches);
    const bar = new ProgressBar(streams.stderr);
    const isShown = streams.stderr.isTTY === true;
    try {
      for await (const item of itemsOf(paths, reading, streams)) {
        await tally.add(item);
        if (isShown) bar.show(`${formatCount(tally.items)} reports: ${item.name}`, undefined);
      }
      await batches.flush();
    } finally {
      bar.finish();
    }
    print(streams, options, tally.asJson(), (style) => tally.asText(style));
    if (tally.isEmpty) throw new InputError('no report could be read');
    return tally.hasUnexpected ? 1 : 0;
  };
  return withStorage(settings.storageLocation, options.new, (storage) =>
    withDns(dnsServers, (resolverFor) => importInto(storage, resolverFor)),
  );
}

async function requireThere(path: string): Promise<void> {
  await stat(path).catch((error: Error) => {
    throw new InputError(`cannot read ${path}: ${error.message}`);
  });
}

async function* itemsOf(
  paths: readonly string[],
  reading: ReadInputOptions,
  { stdin }: CommandStreams,
): AsyncGenerator<ReadItem> {
  for (const path of paths)
    if (path === STANDARD_INPUT)
      yield* readInput('standard input', await collect(stdin()), reading);
    else yield* itemsAt(path, reading);
}

/** One byte more than is read, which says that it is too large. */
async function collect(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > MAX_PACKED_BYTES) break;
  }
  return Buffer.concat(chunks).subarray(0, MAX_PACKED_BYTES + 1);
}

/** A file, or all files below a folder. A link in a folder is not followed. */
async function* itemsAt(path: string, reading: ReadInputOptions): AsyncGenerator<ReadItem> {
  const stats = await stat(path);
  if (!stats.isDirectory()) {
    yield* itemsOfFile(path, reading);
    return;
  }
  for await (const entry of await opendir(path)) {
    const own = join(path, entry.name);
    if (entry.isDirectory()) yield* itemsAt(own, reading);
    else if (isData(entry)) yield* itemsOfFile(own, reading);
  }
}

const isData = (entry: Dirent) => entry.isFile() && !entry.name.startsWith('.');

async function* itemsOfFile(path: string, reading: ReadInputOptions): AsyncGenerator<ReadItem> {
  try {
    const bytes = await collect(createReadStream(path, { end: MAX_PACKED_BYTES }));
    if (!isMbox(bytes)) {
      yield* readInput(path, bytes, reading);
      return;
    }
    let number = 0;
    for await (const message of splitMbox(createReadStream(path)))
      for await (const found of readMessage(
        `${path} (${++number})`,
        message,
        reading,
        new Budget(),
      ))
        yield itemOf(found, reading);
  } catch (error) {
    if (!isSystemError(error)) throw error;
    yield { kind: 'not_read', name: path, code: 'unreadable_file' };
  }
}

/** Several reports in a transaction. */
class Batches {
  readonly #stores: Stores;
  readonly #nowMs: number;
  readonly #published: PublishedSenders;
  #waiting: PreparedReport[] = [];
  #waitingTls: PreparedTlsReport[] = [];
  #rows = 0;
  read = 0;
  repeated = 0;
  readonly notKept = new Map<NotReadCode, number>();

  constructor(stores: Stores, nowMs: number, resolverFor: (domain: string) => Resolver) {
    this.#stores = stores;
    this.#nowMs = nowMs;
    this.#published = new PublishedSenders(resolverFor);
  }

  async add(given: PreparedReport): Promise<void> {
    const sameDay = this.#waiting.filter(
      ({ domainId, day }) => domainId === given.domainId && day === given.day,
    );
    const pendingRows = sameDay.reduce((sum, { others }) => sum + others.rows, 0);
    const flood = await floodOf(given, this.#stores.reports, pendingRows);
    const report = flood === undefined ? given : await sumFlood(flood, this.#published);
    this.#waiting.push(report);
    this.#rows += report.rowCount;
    if (this.#waiting.length >= BATCH_REPORTS || this.#rows >= BATCH_ROWS) await this.flush();
  }

  async addTls(report: PreparedTlsReport): Promise<void> {
    this.#waitingTls.push(report);
    if (this.#waitingTls.length >= BATCH_REPORTS) await this.flush();
  }

  async flush(): Promise<void> {
    const [reports, tlsReports] = [this.#waiting, this.#waitingTls];
    this.#waiting = [];
    this.#waitingTls = [];
    this.#rows = 0;
    const { reports: store, tlsReports: tlsStore } = this.#stores;
    await this.#store(reports, () => store.add(reports, this.#nowMs));
    await this.#store(tlsReports, () => tlsStore.add(tlsReports, this.#nowMs));
  }

  async #store(
    reports: readonly Pick<PreparedReport, 'unproven'>[],
    add: () => Promise<AddedState[]>,
  ): Promise<void> {
    if (reports.length === 0) return;
    const states = await add().catch(
      tellUnknown('the last reports were stored', 'import the same files again: none counts twice'),
    );
    for (const [i, state] of states.entries())
      if (state !== 'not_kept') this[state]++;
      else {
        const code = notKeptCode(reports[i]);
        this.notKept.set(code, (this.notKept.get(code) ?? 0) + 1);
      }
  }
}

class Tally {
  readonly #batches: Batches;
  readonly #notRead = new Map<NotReadCode, number>();
  readonly #named: { name: string; code: NotReadCode }[] = [];
  #unproven = 0;
  #unusable = 0;
  #messages = 0;
  items = 0;

  constructor(batches: Batches) {
    this.#batches = batches;
  }

  async add(item: ReadItem): Promise<void> {
    this.items++;
    if (item.kind === 'not_read') {
      this.#notRead.set(item.code, (this.#notRead.get(item.code) ?? 0) + 1);
      if (this.#named.length < MAX_NAMED && !EXPECTED.includes(item.code))
        this.#named.push({ name: item.name, code: item.code });
      return;
    }
    if (item.report.unproven !== undefined) this.#unproven++;
    if (!item.report.isUsable) this.#unusable++;
    if (item.kind === 'tls_report') {
      await this.#batches.addTls(item.report);
      return;
    }
    this.#messages += item.report.messages;
    await this.#batches.add(item.report);
  }

  /** Nothing was there, or none of what was there is a report of any kind. */
  get isEmpty(): boolean {
    const { read, repeated } = this.#batches;
    const isNone = read + repeated === 0;
    return isNone && [...this.#notRead.keys()].every((code) => !EXPECTED.includes(code));
  }

  get hasUnexpected(): boolean {
    return [...this.#unread().keys()].some((code) => !EXPECTED.includes(code));
  }

  /** Storage tells of some only when they are added. */
  #unread(): ReadonlyMap<NotReadCode, number> {
    return new Map([...this.#notRead, ...this.#batches.notKept]);
  }

  asJson(): object {
    const { read, repeated } = this.#batches;
    return {
      read,
      repeated,
      not_read: Object.fromEntries(this.#unread()),
      unproven: this.#unproven,
      unusable: this.#unusable,
      messages: this.#messages,
      files: this.#named.map(({ name, code }) => ({ name, reason: `${code}: ${NOT_READ[code]}` })),
    };
  }

  asText(style: Style): string {
    const { read, repeated } = this.#batches;
    const notRead = [...this.#unread().values()].reduce((sum, count) => sum + count, 0);
    const line = (text: string) => hanging('', 2, text, style);
    const unproven =
      'without a valid signature of their reporter: shown, and not used for verdicts';
    const unusable =
      'with a period of more than 48 hours or in the future: shown, and not used for verdicts';
    return [
      line(
        `read ${countIn(style, read, 'report')}, repeated ${formatCount(repeated)}, not read ${formatCount(notRead)}`,
      ),
      ...(this.#unproven > 0 ? [line(`  ${formatCount(this.#unproven)} ${unproven}`)] : []),
      ...(this.#unusable > 0 ? [line(`  ${formatCount(this.#unusable)} ${unusable}`)] : []),
      ...[...this.#unread()].map(([code, count]) =>
        line(`  not read ${formatCount(count)}: ${NOT_READ[code]}`),
      ),
      ...this.#named.map(({ name, code }) => line(`  ${name}: ${NOT_READ[code]}`)),
    ].join('');
  }
}
