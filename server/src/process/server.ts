/**
 * The composition root: builds everything that one process needs to answer requests, and closes it
 * in reverse order.
 */
import type { AddressInfo, Server, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { HostnameLookups } from '../address/hostname-lookups.ts';
import { AddressSections } from '../address/sections.ts';
import { Admission } from '../admission/admission.ts';
import type { DashboardSettings } from '../dashboard/dependencies.ts';
import type { DnsServer } from '../dns-zone/dns-server.ts';
import { AcceptWait } from '../http/server/accept-wait.ts';
import { serverUrl, startListening, stopListening } from '../http/server/listening.ts';
import type { ReadMode } from '../http/server/paced-connections.ts';
import { chooseReadMode } from '../http/server/shared-buffer-check.ts';
import { PAGES } from '../installation.ts';
import { Keys } from '../keys/keys.ts';
import { Overload } from '../limits/overload.ts';
import type { Logger } from '../log/log.ts';
import { EventLoopSlices } from '../lookup/event-loop-slices.ts';
import type { OpenedVersion, VersionCheck } from '../lookup/live-dataset.ts';
import { PrefixContents } from '../lookup/prefix-contents.ts';
import type { Metrics, MetricsSnapshot } from '../metrics/metrics.ts';
import type { Config } from '../settings/config.ts';
import type { Storage } from '../storage/storage.ts';
import { listenError } from '../terminal/setting-errors.ts';
import type { UpdateReport } from '../versions/update-report.ts';
import { startUpdate, updateCommand } from '../versions/updater.ts';
import { createApp } from './app.ts';
import { gaugesOf } from './gauges.ts';
import { startHousekeeping } from './housekeeping.ts';
import { createMailParts, type MailNetworks } from './mail-parts.ts';
import { processReporter, ReplicaVersions } from './process-reports.ts';
import { openServedData } from './served-data.ts';
import { isWaiting, Stalls } from './stalls.ts';
import { openStoredState } from './stored-state.ts';

/** How long requests in flight may take to finish when the server stops. */
const DRAIN_MS = 10_000;
/**
 * How long open connections are kept before and after the server stops listening, so that a request
 * on its way is answered, with `Connection: close`. Clients that just had an answer send the next
 * within this time.
 */
const GRACE_MS = 500;
/**
 * How long threads that read files may take to end. A disk that does not answer must not keep
 * counts from being written.
 */
const THREADS_MS = 5_000;
/** Stalls in this time are not tracked further. */
const START_MS = 30_000;
const BIN = fileURLToPath(new URL('../bin.js', import.meta.url));

export type RunningServer = {
  readonly url: string;
  metrics(): MetricsSnapshot;
  /** The same without gauges, which cost more to read. */
  counters(): MetricsSnapshot;
  /**
   * From now on `/readyz` says that the server is stopping, and answers carry `Connection: close`.
   */
  announceStop(): void;
  checked(check: VersionCheck): void;
  updated(report: UpdateReport): void;
  /** Ends connections that still have requests in flight. */
  cut(): void;
  close(): Promise<void>;
};

export type ServerOptions = {
  /** Storage to use, which is closed with the server. */
  readonly opened?: Storage;
  readonly dataset?: Promise<OpenedVersion | undefined>;
  /**
   * A worker that starts while storage does not answer waits until it does, or this resolves,
   * before it listens.
   */
  readonly mustListen?: Promise<void>;
  /** The port, if the first process holds it. */
  readonly inherited?: Socket | undefined;
  /** Whether the first process checks versions of the dataset for this one. */
  readonly isWorker?: boolean;
  readonly readMode?: ReadMode;
  /** Not in tests that block the event loop of their own server. */
  readonly measuresWait?: boolean;
  /** Instead of GRACE_MS; for tests that have no request on its way when they stop the server. */
  readonly graceMs?: number;
  readonly statisticsMs?: number;
  /**
   * How long the clock must run before keys are revoked as scheduled; for tests that wait for it.
   */
  readonly steadyMs?: number;
} & MailNetworks;

type App = Awaited<ReturnType<typeof createApp>>;

export async function startServer(
  config: Config,
  log: Logger,
  machineMs: () => number,
  {
    opened,
    dataset,
    mustListen,
    isWorker = false,
    graceMs = GRACE_MS,
    ...options
  }: ServerOptions = {},
): Promise<RunningServer> {
  // Takes as long as storage takes to open.
  const findingReadMode = options.readMode ?? chooseReadMode(log);
  const stored = await openStoredState(config, log, {
    opened,
    mayBeAway: mustListen !== undefined,
    machineMs,
    statisticsMs: options.statisticsMs,
    steadyMs: options.steadyMs,
  });
  const { storage, clock, nowMs, audit, metrics, usage, keys, quota } = stored;
  const data = await openServedData(config, log, { isWorker, machineMs });
  const acceptWait = new AcceptWait();
  const overload = new Overload(acceptWait);
  const slices = new EventLoopSlices();
  const stalls = watchedStalls(metrics, log);
  const reporter = processReporter(storage.processes, overload, data.live, data.checksums, clock);
  const replicas = new ReplicaVersions(storage.processes, nowMs);
  const admission = new Admission({ keys, quota, usage, overload, nowMs });
  const mail = createMailParts(config, stored, options, {
    dataset: () => data.live.current?.dataset,
    mayRun: () => keys.storageState === 'ok' && !admission.refusesQueuedWork,
    log,
  });
  const { emailChecks } = mail.parts;
  let isStopping = false;
  const parts = {
    ...stored,
    ...data,
    ...mail.parts,
    acceptWait,
    overload,
    reporter,
    replicas,
    readMode: await findingReadMode,
    isStopping: () => isStopping,
  };
  // A child, so that its level can be changed alone.
  const appLog = log.child({});
  const running = await createApp({
    ...parts,
    admission,
    addressSections: new AddressSections({
      hostnames: new HostnameLookups(() => emailChecks.dnsClient()),
      rpki: data.rpki,
      locations: data.locations,
    }),
    slices,
    prefixContents: new PrefixContents(slices),
    log: appLog,
    trustProxy: config.trustProxy,
    corsOrigins: config.corsOrigins,
    stalls,
    settings: dashboardSettings(config, log),
  });

  const { app, fastPath } = running;
  await data.start(await dataset);
  overload.start();
  stalls.start();
  const stopHousekeeping = startHousekeeping({
    ...parts,
    managedKeys: new Keys(storage.keys, audit),
    reportDays: config.reportsKeepDays,
    log,
  });
  await reporter.report().catch((error) => stored.writes.failed(error));

  let dns: DnsServer | undefined;
  const announceStop = () => {
    isStopping = true;
    fastPath.drain();
  };
  const close = async () => {
    announceStop();
    acceptWait.stop();
    // Before the app: queued lookups in earlier versions would take longer than requests in flight
    // may.
    await Promise.race([data.past.close(), sleep(THREADS_MS, undefined, { ref: false })]);
    await closeApp(running, graceMs);
    dns?.close();
    stopHousekeeping();
    await mail.stop();
    overload.stop();
    stalls.stop();
    await data.stop();
    emailChecks.close();
    await stored.close(() => reporter.remove());
  };
  try {
    if (mustListen !== undefined) await Promise.race([keys.untilStorageAnswers(), mustListen]);
    // Before HTTP, whose port tells the first process that this one has started.
    dns = await listenForDns(config, { admission, served: () => data.live.current, metrics, log });
    // Fastify logs a line for every address it listens on; `wh serve` logs one for all processes.
    appLog.level = 'warn';
    await startListening(app, config, options.inherited);
    appLog.level = log.level;
  } catch (error) {
    await close();
    throw error;
  }
  const address = app.server.address() as AddressInfo;
  if (options.measuresWait !== false) acceptWait.start(config.host, address);
  return {
    url: serverUrl(config.host, address.port),
    metrics: () => metrics.snapshot(gaugesOf({ ...parts, quota }, nowMs())),
    counters: () => metrics.snapshot({}),
    announceStop,
    checked: (check) => void data.live.checked(check),
    updated: data.updated,
    cut: () => cutConnections(running),
    close,
  };
}

function watchedStalls(metrics: Metrics, log: Logger): Stalls {
  return new Stalls((stall) => {
    const { route, ms, cpuMs } = stall;
    metrics.countStall(route.name);
    log[isWaiting(stall) ? 'debug' : 'warn'](
      { route: route.name, path: route.path, stall_ms: ms, cpu_ms: cpuMs },
      'the event loop was blocked',
    );
  }, START_MS);
}

async function listenForDns(
  { dnsListen: listen, dnsAllow: allow, dnsZone: zone }: Config,
  parts: Pick<Parameters<typeof DnsServer.start>[0], 'admission' | 'served' | 'metrics' | 'log'>,
): Promise<DnsServer | undefined> {
  if (listen === undefined) return undefined;
  const { DnsServer } = await import('../dns-zone/dns-server.ts');
  try {
    return await DnsServer.start({ listen, allow, zone, ...parts });
  } catch (error) {
    const { address: host, port } = listen;
    throw listenError(error, {
      host,
      port,
      hostSetting: 'WHENCE_DNS_LISTEN',
      portSetting: 'WHENCE_DNS_LISTEN',
    });
  }
}

function cutConnections({ app, fastPath }: App): void {
  fastPath.destroyAll();
  app.server.closeAllConnections();
}

/** Ends once requests in flight are answered, or DRAIN_MS have passed. */
async function closeApp(running: App, graceMs: number): Promise<void> {
  const { app } = running;
  if ((await connectionCount(app.server)) > 0) await sleep(graceMs);
  const force = setTimeout(() => cutConnections(running), DRAIN_MS).unref();
  const { ended } = await stopListening(app.server);
  // A client that connected at the last moment sends its request now.
  await Promise.race([ended, sleep(graceMs)]);
  await app.close();
  // Fastify closes idle connections only if it has opened the port itself.
  app.server.closeIdleConnections();
  await ended;
  clearTimeout(force);
}

function connectionCount(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.getConnections((error, count) => (error === null ? resolve(count) : reject(error)));
  });
}

function dashboardSettings(config: Config, log: Logger): DashboardSettings {
  const {
    publicUrl,
    dataDir,
    inForce,
    datasetUrl,
    isUpdateSet,
    updateSeconds,
    hasPublicLookups,
    memberKeysPerDay,
    provider,
  } = config;
  return {
    publicUrl,
    dataDir,
    inForce,
    hasPublicLookups,
    memberKeysPerDay,
    provider,
    pagesFolder: PAGES,
    updates: {
      kind: datasetUrl === undefined ? 'build' : 'pull',
      isUpdateSet,
      updateSeconds,
      start: () => startUpdate({ command: updateCommand(BIN, dataDir), dataDir, log }),
    },
  };
}
