/**
 * One soak run: a server under load, the events of the time line, and a record of what was seen.
 */
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { useVersion } from '@whence/dataset/versions';
import { formatCount, loadAverage, print } from '@whence/testing/console-report';
import { openSession } from '@whence/testing/dashboard-session';
import { ANY_CORE, type PinnedProcesses } from '@whence/testing/pinned-processes';
import { freePort } from '@whence/testing/programs';
import { MetricsWatch } from '../metrics-watch.ts';
import { ServerUnderTest } from '../server-under-test.ts';
import { readKernelCounters } from './kernel-counters.ts';
import { DashboardClients } from './load/dashboard-clients.ts';
import { HalfClosingClients } from './load/half-closing-clients.ts';
import { NeverReadingClients } from './load/never-reading-clients.ts';
import { Load, type LoadTotals } from './load/start-load.ts';
import { ZoneClients } from './load/zone-clients.ts';
import type { SoakRecord } from './promises.ts';
import {
  LEASES_RETURNED_MS,
  type ProcessSample,
  readRemaining,
  sampleProcesses,
  untilAnswers,
} from './server-state.ts';
import type { SoakSetup } from './setup.ts';
import type { TimelineEvent } from './time-line.ts';

type RunOptions = {
  readonly minutes: number;
  readonly seed: number;
  readonly perSecond: number;
  readonly workers: number;
  readonly timeLine: readonly TimelineEvent[];
};

export type SoakRun = {
  readonly record: SoakRecord;
  readonly metrics: MetricsWatch;
  readonly server: ServerUnderTest;
};

const WATCH_EVERY_MS = 1_000;
const SETTLE_MS = 3_000;
/** How long after the load the server may take to drop connections that do not read. */
const DESCRIPTOR_GRACE_MS = 60_000;

/**
 * The server writes all the time: the lock is waited for longer than one of its statements would.
 */
const LOCK_TIMEOUT_MS = 20_000;
const LOCK_RETRY_MS = 5;
const SQLITE_BUSY = 5;

const epochMs = () => performance.timeOrigin + performance.now();
const today = () => new Date().toISOString().slice(0, 10);

/** Ends early, with all of its processes, when the signal aborts. */
export async function runSoak(
  processes: PinnedProcesses,
  setup: SoakSetup,
  options: RunOptions,
  signal: AbortSignal,
): Promise<SoakRun> {
  const dns = await processes.start(ANY_CORE, [
    fileURLToPath(import.meta.resolve('./dns/dns-server-process.js')),
  ]);
  const policyScript = fileURLToPath(import.meta.resolve('./policy/policy-host-process.js'));
  const policy = await processes.start(ANY_CORE, [policyScript, setup.dataDir]);
  // Printed by the script, hence the cast.
  const { port: policyPort, authorityFile } = JSON.parse(policy.firstLine) as {
    port: number;
    authorityFile: string;
  };
  const zonePort = await freePort();
  const settings = {
    WHENCE_WORKERS: String(options.workers),
    WHENCE_DNS_SERVERS: dns.firstLine,
    // Pages without an account, from the addresses that requests name.
    WHENCE_PUBLIC_LOOKUPS: 'on',
    WHENCE_TRUST_PROXY: '127.0.0.1',
    NODE_OPTIONS: `--import=${import.meta.resolve('./policy/redirect.js')}`,
    NODE_EXTRA_CA_CERTS: authorityFile,
    SOAK_POLICY_PORT: String(policyPort),
    WHENCE_DNS_LISTEN: `127.0.0.1:${zonePort}`,
  };
  const server = await ServerUnderTest.start(setup.dataDir, settings, signal);
  const run = new Run(server, zonePort, setup, options, signal);
  try {
    const record = await Promise.race([run.complete(), failIfEnded(server)]);
    return { record: { ...record, ending: await server.stop() }, metrics: run.metrics, server };
  } finally {
    run.cleanUp();
    await server.stop();
  }
}

async function failIfEnded(server: ServerUnderTest): Promise<never> {
  const ending = await server.ended;
  throw new Error(`the server ended with ${ending}: ${server.firstErrors.join('\n')}`);
}

class Run {
  readonly metrics: MetricsWatch;
  readonly #server: ServerUnderTest;
  readonly #setup: SoakSetup;
  readonly #options: RunOptions;
  readonly #clients: NeverReadingClients;
  readonly #halfClosing: HalfClosingClients;
  readonly #zone: ZoneClients;
  #dashboard: DashboardClients | undefined;
  readonly #samples: ProcessSample[] = [];
  readonly #kills: number[] = [];
  readonly #swaps: { beganMs: number; atMs: number; version: number }[] = [];
  #lock = { fromMs: 0, toMs: 0 };
  #locking: Promise<void> | undefined;
  readonly #signal: AbortSignal;
  #load: Load | undefined;
  #watching: NodeJS.Timeout | undefined;
  #isScraping = false;

  constructor(
    server: ServerUnderTest,
    zonePort: number,
    setup: SoakSetup,
    options: RunOptions,
    signal: AbortSignal,
  ) {
    this.#server = server;
    this.#setup = setup;
    this.#options = options;
    this.#signal = signal;
    this.metrics = new MetricsWatch(server.metricsUrl);
    const [key = ''] = setup.keys.enterprise;
    this.#clients = new NeverReadingClients(server.port, key, setup.addresses);
    this.#halfClosing = new HalfClosingClients(server.port, key, setup.addresses[0] ?? '');
    this.#zone = new ZoneClients(zonePort, setup.zoneQuestions);
  }

  async complete(): Promise<Omit<SoakRecord, 'ending'>> {
    const { keys, versions, addresses } = this.#setup;
    const { minutes, seed, perSecond, workers } = this.#options;
    const url = `http://127.0.0.1:${this.#server.port}/v1/ip/${addresses[0]}`;
    await fetch(url, { headers: { 'X-API-Key': keys.enterprise[0] ?? '' } });
    const session = await openSession(this.#server.port, this.#setup.administrator);
    this.#dashboard = new DashboardClients(this.#server.port, session, this.#setup.usageRows);
    await this.#pause(SETTLE_MS);
    const before = sampleProcesses(this.#server, epochMs())?.descriptors ?? Number.NaN;

    const startDay = today();
    const kernelBefore = readKernelCounters();
    const fromMs = epochMs();
    this.#swaps.push({ beganMs: fromMs, atMs: fromMs, version: versions[1] });
    const load = new Load(
      { ...this.#setup, port: this.#server.port, seed, perSecond },
      this.#signal,
    );
    this.#load = load;
    this.#zone.start();
    this.#watching = setInterval(() => void this.#watch(), WATCH_EVERY_MS);
    await this.#playTimeLine(fromMs, fromMs + minutes * 60_000);
    const toMs = epochMs();
    await Promise.all([
      load.stop(),
      this.#halfClosing.settle(),
      this.#zone.settle(),
      this.#dashboard?.settle(),
    ]);
    this.#addClients(load.totals);
    clearInterval(this.#watching);
    const kernel = { before: kernelBefore, after: readKernelCounters() };

    await untilAnswers(url, keys.enterprise[0] ?? '', (ms) => this.#pause(ms));
    await this.#pause(LEASES_RETURNED_MS);
    const freeKeys = await readRemaining(
      url,
      keys.free,
      load.totals.freeKeys,
      () => today() === startDay,
    );
    const after = await this.#settledDescriptors(before);
    await this.metrics.scrape(epochMs());
    return {
      fromMs,
      toMs,
      kills: this.#kills,
      lock: this.#lock,
      swaps: this.#swaps,
      load: load.totals,
      samples: this.#samples,
      processes: workers + 1,
      descriptors: { before, after },
      metrics: this.metrics,
      freeKeys,
      kernel,
      zone: this.#zone,
    };
  }

  /** What the clients beside the generator saw. */
  #addClients({ faults, answers }: LoadTotals): void {
    faults.push(...this.#halfClosing.faults, ...(this.#dashboard?.faults ?? []));
    answers['half-closed'] = this.#halfClosing.answered;
    for (const [kind, count] of Object.entries(this.#dashboard?.answers ?? {}))
      answers[`dashboard ${kind}`] = count;
  }

  cleanUp(): void {
    clearInterval(this.#watching);
    this.#clients.closeAll();
    this.#zone.stop();
  }

  async #playTimeLine(fromMs: number, toMs: number): Promise<void> {
    const tenthMs = (toMs - fromMs) / 10;
    const reports = Array.from(
      { length: 9 },
      (_, i) => ({ kind: 'report', atMs: (i + 1) * tenthMs }) as const,
    );
    const steps = [...this.#options.timeLine, ...reports].sort((a, b) => a.atMs - b.atMs);
    for (const step of steps) {
      await this.#pause(Math.max(0, fromMs + step.atMs - epochMs()));
      if (step.kind === 'report') this.#printProgress(step.atMs);
      else this.#play(step);
    }
    await this.#pause(Math.max(0, toMs - epochMs()));
    await this.#locking;
  }

  #play(event: TimelineEvent): void {
    switch (event.kind) {
      case 'swap':
        this.#swap();
        break;
      case 'kill':
        this.#kill(event.pick);
        break;
      case 'hostile zone':
        this.#load?.askHostileZone(event.zone, event.number);
        break;
      case 'never-reading client':
        this.#clients.open();
        break;
      case 'half-closing client':
        this.#halfClosing.open();
        break;
      case 'statistics export':
        this.#dashboard?.exportUsage();
        break;
      case '/8 summaries':
        this.#dashboard?.summarizePrefixes();
        break;
      case 'lock':
        this.#locking = this.#holdLock(event.lengthMs);
        // Awaited at the end of the time line; until then this avoids an unhandled rejection.
        this.#locking.catch(() => {});
    }
  }

  #swap(): void {
    const [first, second] = this.#setup.versions;
    const version = this.#swaps.at(-1)?.version === first ? second : first;
    const beganMs = epochMs();
    useVersion(this.#setup.dataDir, version);
    this.#swaps.push({ beganMs, atMs: epochMs(), version });
  }

  #kill(pick: number): void {
    const workers = this.#server.workers();
    const pid = workers[pick % workers.length];
    if (pid === undefined) return;
    this.#kills.push(epochMs());
    process.kill(pid, 'SIGKILL');
  }

  async #holdLock(lengthMs: number): Promise<void> {
    const database = await this.#takeWriteLock();
    const fromMs = epochMs();
    this.#lock = { fromMs, toMs: fromMs + lengthMs };
    try {
      await this.#pause(lengthMs);
    } finally {
      database.close();
    }
    this.#lock = { fromMs, toMs: epochMs() };
  }

  /**
   * The write lock of the server's database, as a backup or another program would hold it; closing
   * the database releases it. SQLite itself would wait synchronously, and nothing would be watched
   * meanwhile.
   */
  async #takeWriteLock(): Promise<DatabaseSyncInstance> {
    const database = new DatabaseSync(join(this.#setup.dataDir, 'whence.sqlite'));
    const deadlineMs = performance.now() + LOCK_TIMEOUT_MS;
    for (;;) {
      try {
        database.exec('begin immediate');
        return database;
      } catch (error) {
        const isBusy = (error as { errcode?: number }).errcode === SQLITE_BUSY;
        if (!isBusy || performance.now() > deadlineMs) {
          database.close();
          throw error;
        }
        await this.#pause(LOCK_RETRY_MS);
      }
    }
  }

  async #watch(): Promise<void> {
    const sample = sampleProcesses(this.#server, epochMs());
    if (sample !== undefined) this.#samples.push(sample);
    // Not two at a time: their answers could be compared in the wrong order.
    if (this.#isScraping) return;
    this.#isScraping = true;
    await this.metrics.scrape(epochMs());
    this.#isScraping = false;
  }

  /** Rejects when the run is to end early. */
  #pause(ms: number): Promise<void> {
    return sleep(ms, undefined, { signal: this.#signal });
  }

  /** Waits until there are no more than before, but not for ever. */
  async #settledDescriptors(before: number): Promise<number> {
    const startedMs = performance.now();
    let now = Number.NaN;
    while (!(now <= before) && performance.now() - startedMs < DESCRIPTOR_GRACE_MS) {
      await this.#pause(WATCH_EVERY_MS);
      now = sampleProcesses(this.#server, epochMs())?.descriptors ?? now;
    }
    return now;
  }

  #printProgress(atMs: number): void {
    const { sent = 0, faults = [] } = this.#load?.totals ?? {};
    const { residentBytes = 0, descriptors = 0 } = this.#samples.at(-1) ?? {};
    print(
      `  ${(atMs / 1000).toFixed(0)} s: ${formatCount(sent)} requests, ${formatCount(faults.length)} without the usual ` +
        `answer, ${(residentBytes / 1e6).toFixed(0)} MB, ${descriptors} descriptors; ${this.#kills.length} kills, ` +
        `${this.#swaps.length - 1} swaps, ${this.#clients.opened} never-reading clients; ${loadAverage()}`,
    );
  }
}
