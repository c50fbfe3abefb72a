/** One soak run: a server under load, the events of the time line, and a record of what was seen. */
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { useVersion } from '@whence/dataset/publish';
import { formatCount } from '../../../server/dist/terminal/table.js';
import { ANY_CORE, type PinnedProcesses } from '../http/pinned-processes.ts';
import { load as loadAverage, say } from '../report.ts';
import { askWhatIsLeft, LEASES_RETURNED_MS } from './free-keys-left.ts';
import type { SoakRecord } from './judge.ts';
import { NeverReadingClients } from './load/never-reading-clients.ts';
import { Load } from './load/start-load.ts';
import { MetricsWatch } from './metrics-watch.ts';
import { type ProcessSample, sampleProcesses } from './process-watch.ts';
import { ServerUnderTest } from './server-under-test.ts';
import type { SoakSetup } from './setup.ts';
import type { TimelineEvent } from './time-line.ts';
import { takeWriteLock } from './write-lock.ts';

export type RunOptions = {
  readonly minutes: number;
  readonly seed: number;
  readonly perSecond: number;
  readonly workers: number;
  readonly timeLine: readonly TimelineEvent[];
};

export type SoakRun = { readonly record: SoakRecord; readonly metrics: MetricsWatch; readonly server: ServerUnderTest };

const WATCH_EVERY_MS = 1_000;
const SETTLE_MS = 3_000;
/** How long after the load the server may take to drop connections that do not read. */
const DESCRIPTOR_GRACE_MS = 60_000;

const epochMs = () => performance.timeOrigin + performance.now();
const today = () => new Date().toISOString().slice(0, 10);

/** Ends early, with all of its processes, when the signal aborts. */
export async function runSoak(
  processes: PinnedProcesses,
  setup: SoakSetup,
  options: RunOptions,
  signal: AbortSignal,
): Promise<SoakRun> {
  const dns = await processes.start(ANY_CORE, [fileURLToPath(import.meta.resolve('./dns/dns-server-process.js'))]);
  const settings = { WHENCE_WORKERS: String(options.workers), WHENCE_DNS_SERVERS: dns.firstLine };
  const server = await ServerUnderTest.start(setup.dataDir, settings, signal);
  const run = new Run(server, setup, options, signal);
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
  readonly #samples: ProcessSample[] = [];
  readonly #kills: number[] = [];
  readonly #swaps: { beganMs: number; atMs: number; version: number }[] = [];
  #lock = { fromMs: 0, toMs: 0 };
  #locking: Promise<void> | undefined;
  readonly #signal: AbortSignal;
  #load: Load | undefined;
  #watching: NodeJS.Timeout | undefined;

  constructor(server: ServerUnderTest, setup: SoakSetup, options: RunOptions, signal: AbortSignal) {
    this.#server = server;
    this.#setup = setup;
    this.#options = options;
    this.#signal = signal;
    this.metrics = new MetricsWatch(server.metricsUrl);
    this.#clients = new NeverReadingClients(server.port, setup.keys.enterprise[0] ?? '', setup.addresses);
  }

  async complete(): Promise<Omit<SoakRecord, 'ending'>> {
    const { keys, versions, addresses } = this.#setup;
    const { minutes, seed, perSecond, workers } = this.#options;
    const url = `http://127.0.0.1:${this.#server.port}/v1/ip/${addresses[0]}`;
    await fetch(url, { headers: { 'X-API-Key': keys.enterprise[0] ?? '' } });
    await this.#pause(SETTLE_MS);
    const before = sampleProcesses(this.#server, epochMs())?.descriptors ?? Number.NaN;

    const startDay = today();
    const fromMs = epochMs();
    this.#swaps.push({ beganMs: fromMs, atMs: fromMs, version: versions[1] });
    const load = new Load({ ...this.#setup, port: this.#server.port, seed, perSecond }, this.#signal);
    this.#load = load;
    this.#watching = setInterval(() => void this.#watch(), WATCH_EVERY_MS);
    await this.#playTimeLine(fromMs, fromMs + minutes * 60_000);
    const toMs = epochMs();
    await load.stop();
    clearInterval(this.#watching);

    await this.#pause(LEASES_RETURNED_MS);
    const freeKeys = await askWhatIsLeft(url, keys.free, load.totals.freeKeys, () => today() === startDay);
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
    };
  }

  cleanUp(): void {
    clearInterval(this.#watching);
    this.#clients.closeAll();
  }

  async #playTimeLine(fromMs: number, toMs: number): Promise<void> {
    const tenthMs = (toMs - fromMs) / 10;
    const reports = Array.from({ length: 9 }, (_, i) => ({ kind: 'report', atMs: (i + 1) * tenthMs }) as const);
    const steps = [...this.#options.timeLine, ...reports].sort((a, b) => a.atMs - b.atMs);
    for (const step of steps) {
      await this.#pause(Math.max(0, fromMs + step.atMs - epochMs()));
      if (step.kind === 'report') this.#sayProgress(step.atMs);
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
    const giveUp = await takeWriteLock(this.#setup.dataDir);
    const fromMs = epochMs();
    this.#lock = { fromMs, toMs: fromMs + lengthMs };
    try {
      await this.#pause(lengthMs);
    } finally {
      await giveUp();
    }
    this.#lock = { fromMs, toMs: epochMs() };
  }

  async #watch(): Promise<void> {
    const sample = sampleProcesses(this.#server, epochMs());
    if (sample !== undefined) this.#samples.push(sample);
    await this.metrics.scrape(epochMs());
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

  #sayProgress(atMs: number): void {
    const { sent = 0, faults = [] } = this.#load?.totals ?? {};
    const { residentBytes = 0, descriptors = 0 } = this.#samples.at(-1) ?? {};
    say(
      `  ${(atMs / 1000).toFixed(0)} s: ${formatCount(sent)} requests, ${formatCount(faults.length)} without the usual ` +
        `answer, ${(residentBytes / 1e6).toFixed(0)} MB, ${descriptors} descriptors; ${this.#kills.length} kills, ` +
        `${this.#swaps.length - 1} swaps, ${this.#clients.opened} never-reading clients; ${loadAverage()}`,
    );
  }
}
