/** The composition root: builds everything that one process needs to answer requests, and closes it in reverse order. */
import { existsSync } from 'node:fs';
import type { AddressInfo, Server } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { dayOfMs } from '@whence/dataset/internal/data-age';
import { ownedByAnother } from '@whence/dataset/internal/io/ownership';
import { Accounts } from '../accounts/accounts.ts';
import { HostnameLookups } from '../address/hostname-lookups.ts';
import type { Registrations } from '../address/registration/registrations.ts';
import type { RpkiFile } from '../address/routing/rpki-file.ts';
import { AddressSections } from '../address/sections.ts';
import { Admission } from '../admission/admission.ts';
import { AuditLog } from '../audit/audit-log.ts';
import type { DashboardSettings } from '../dashboard/dependencies.ts';
import type { DnsServer } from '../dns-zone/dns-server.ts';
import { EmailChecks } from '../email-checks/email-checks.ts';
import type { PolicyNetwork } from '../email-checks/mta-sts-fetch.ts';
import { ReportImports } from '../email-reports/report-imports.ts';
import { Senders } from '../email-reports/senders.ts';
import { LiveGeoipFiles } from '../geoip-files/live-geoip-files.ts';
import { serverUrl, stopListening } from '../http/listening.ts';
import type { ReadMode } from '../http/paced-connections.ts';
import { chooseReadMode } from '../http/shared-buffer-check.ts';
import { Keys } from '../keys/keys.ts';
import { KnownKeys } from '../keys/known-keys.ts';
import { LimitAlerts } from '../keys/limit-alerts.ts';
import { clientAddress } from '../limits/client.ts';
import { Overload } from '../limits/overload.ts';
import type { Logger } from '../log/log.ts';
import { EventLoopSlices } from '../lookup/event-loop-slices.ts';
import { LiveDataset, type OpenedVersion, type VersionCheck } from '../lookup/live-dataset.ts';
import { LiveOverrides } from '../lookup/live-overrides.ts';
import { PrefixContents } from '../lookup/prefix-contents.ts';
import { Metrics, type MetricsSnapshot } from '../metrics/metrics.ts';
import { Quota } from '../quota/quota.ts';
import type { LiveRules } from '../rules/live-rules.ts';
import type { Config } from '../settings/config.ts';
import { defaultOverrides } from '../settings/data-folder.ts';
import { openStorage } from '../storage/open-storage.ts';
import type { Storage } from '../storage/storage.ts';
import { WriteProbe } from '../storage/write-probe.ts';
import { listenError } from '../terminal/setting-errors.ts';
import { StatisticsWriter } from '../usage/statistics-writer.ts';
import { TrafficRecorder } from '../usage/traffic.ts';
import { Usage } from '../usage/usage.ts';
import { DatasetDiffs } from '../versions/dataset-diffs.ts';
import { PastLookups } from '../versions/past-lookups.ts';
import { updateReports } from '../versions/update-report.ts';
import { startUpdate, updateCommand } from '../versions/updater.ts';
import { createApp } from './app.ts';
import { ClockCheck } from './clock-check.ts';
import { gaugesOf } from './gauges.ts';
import { startHousekeeping } from './housekeeping.ts';
import { processReporter, ReplicaVersions } from './process-reports.ts';
import { Stalls } from './stalls.ts';

/** How long requests in flight may take to finish when the server stops. */
const DRAIN_MS = 10_000;
/**
 * How long open connections are kept before and after the server stops listening, so that a request on its way is
 * answered, with `Connection: close`. Clients that just had an answer send the next within this time.
 */
const GRACE_MS = 500;
/** How long threads that read files may take to end. A disk that does not answer must not keep counts from being written. */
const THREADS_MS = 5_000;
/** Where the dashboard's build puts its files, in a clone and in the published package. */
const PAGES = fileURLToPath(new URL('../../dashboard-dist/', import.meta.url));
const BIN = fileURLToPath(new URL('../bin.js', import.meta.url));

export type RunningServer = {
  readonly url: string;
  metrics(): MetricsSnapshot;
  /** The same without gauges, which cost more to read. */
  counters(): MetricsSnapshot;
  /** From now on `/readyz` says that the server is stopping, and answers carry `Connection: close`. */
  announceStop(): void;
  checked(check: VersionCheck): void;
  /** Ends connections that still have requests in flight. */
  cut(): void;
  close(): Promise<void>;
};

export type ServerOptions = {
  /** Storage to use, which is closed with the server. */
  readonly opened?: Storage;
  readonly dataset?: Promise<OpenedVersion | undefined>;
  /** A worker that starts while storage does not answer waits until it does, or this resolves, before it listens. */
  readonly mustListen?: Promise<void>;
  /** Whether the first process checks versions of the dataset for this one. */
  readonly isWorker?: boolean;
  readonly readMode?: ReadMode;
  /** Instead of GRACE_MS; for tests that have no request on its way when they stop the server. */
  readonly graceMs?: number;
  /** Mail servers at addresses that are not public; for tests. */
  readonly smtpNetwork?: PolicyNetwork;
  readonly statisticsMs?: number;
  /** How long the clock must run before keys are revoked as scheduled; for tests that wait for it. */
  readonly steadyMs?: number;
};

/** Stalls in this time are not tracked further. */
const START_MS = 30_000;

export async function startServer(
  config: Config,
  log: Logger,
  machineMs: () => number,
  { opened, dataset, mustListen, isWorker = false, graceMs = GRACE_MS, ...options }: ServerOptions = {},
): Promise<RunningServer> {
  // Takes as long as storage takes to open.
  const findingReadMode = options.readMode ?? chooseReadMode(log);
  const storage = opened ?? (await openStorage(config.storageLocations, { mayBeAway: mustListen !== undefined }));
  const writes = new WriteProbe(() => storage.maintenance.probe(), {
    failed: (error) => log.error({ err: error }, 'storage cannot be written'),
    recovered: () => log.info('storage can be written again'),
  });
  const clock = new ClockCheck({
    storage,
    machineMs,
    steadyMs: options.steadyMs,
    changed: (differenceMs) => logClock(log, differenceMs),
  });
  const nowMs = () => clock.nowMs;
  const audit = new AuditLog(storage.audit);
  const accounts = new Accounts(storage, audit);
  const metrics = new Metrics();
  const usage = new Usage(storage.usage, (reason) => metrics.countKeyRefusal(reason));
  const traffic = new TrafficRecorder(metrics, storage.traffic);
  const statistics = new StatisticsWriter({ usage, traffic }, { everyMs: options.statisticsMs });
  const keys = new KnownKeys(storage.keys, {
    graceMs: config.storageGraceSeconds * 1000,
    nowMs,
    onRefused: (keyId, reason, address) => usage.countUnauthorized(keyId, reason, clientAddress(address), nowMs()),
    onReplaced: () => {
      log.warn('another database, or an older copy of it, has taken its place: known keys and leases are dropped');
      quota.leaveReplacedDatabase();
    },
  });
  const alerts = new LimitAlerts(storage.keys, audit);
  const quota: Quota = new Quota(storage.leases, {
    isStorageDown: () => keys.storageState !== 'ok',
    onTaken: (...taken) => alerts.taken(...taken),
  });
  const emailChecks = new EmailChecks(config.dnsServers, {
    ...(config.hasSmtpProbe && { smtp: { network: options.smtpNetwork ?? {} } }),
  });
  const rpki = await rpkiOf(config, log);
  const rules = await rulesOf(config, log);
  const addressSections = new AddressSections({
    hostnames: new HostnameLookups(() => emailChecks.dnsClient()),
    registrations: await registrationsOf(config, storage, nowMs, log),
    rpki,
  });
  const overload = new Overload();
  const slices = new EventLoopSlices();
  const stalls = new Stalls(({ route, ms, cpuMs }) => {
    metrics.countStall(route.name);
    log.warn({ route: route.name, path: route.path, stall_ms: ms, cpu_ms: cpuMs }, 'the event loop was blocked');
  }, START_MS);
  const lastUpdate = updateReports(config.dataDir);
  const today = () => dayOfMs(machineMs());
  const live = new LiveDataset(
    config.dataDir,
    {
      loaded: (version) => log.info({ version }, 'dataset loaded'),
      failed: (error) =>
        log.error(
          { err: error, ...ownerOf(error, config.dataDir) },
          'the current dataset could not be loaded; retrying',
        ),
      supplementFailed: (error) => log.error({ err: error }, 'the supplement of the dataset could not be loaded'),
      fellBack: (version) => log.warn({ version }, 'serving another version of the dataset instead'),
    },
    { isWorker, today, isPulled: () => config.datasetUrl === undefined || lastUpdate()?.succeeded_at !== undefined },
  );
  const databases = new LiveGeoipFiles(config.dataDir, today);
  const overrides = await overridesOf(config, live, log);
  const datasetDiffs = new DatasetDiffs(config.dataDir, {
    failed: (error, from, to) => log.error({ err: error, from, to }, 'datasets could not be compared'),
    tookTooLong: (from, to) => log.warn({ from, to }, 'comparing datasets took too long and was ended'),
  });
  const past = new PastLookups(config.dataDir, {
    failed: (reason) => log.error({ reason }, 'an earlier version of the dataset could not be read'),
    tookTooLong: () => log.warn('a lookup in earlier versions of the dataset took too long and was ended'),
  });
  const { checksum: settingsChecksum } = config;
  const checksums = () => ({ rules: rules?.checksum ?? '', overrides: overrides.checksum, settings: settingsChecksum });
  const reporter = processReporter(storage.processes, overload, live, checksums, clock);
  const replicas = new ReplicaVersions(storage.processes, nowMs);
  let isStopping = false;
  // A child, so that its level can be changed alone.
  const appLog = log.child({});
  const readMode = await findingReadMode;
  const admission = new Admission({ keys, quota, usage, overload, nowMs });
  const parts = {
    storage,
    writes,
    keys,
    emailChecks,
    rpki,
    rules,
    databases,
    overrides,
    checksums,
    live,
    lastUpdate,
    clock,
    nowMs,
    readMode,
    isStopping: () => isStopping,
  };
  const { app, fastPath } = await createApp({
    ...parts,
    admission,
    audit,
    accounts,
    metrics,
    reportImports: new ReportImports(
      storage.reports,
      { dnsServers: config.dnsServers, keepDays: config.reportsKeepDays },
      nowMs,
    ),
    senders: new Senders(storage.reports, nowMs),
    addressSections,
    slices,
    prefixContents: new PrefixContents(slices),
    datasetDiffs,
    past,
    reporter,
    log: appLog,
    trustProxy: config.trustProxy,
    corsOrigins: config.corsOrigins,
    stalls,
    settings: dashboardSettings(config, log),
  });

  live.start(await dataset);
  await databases.start();
  rpki?.start();
  overload.start();
  stalls.start();
  const stopHousekeeping = startHousekeeping({
    ...parts,
    managedKeys: new Keys(storage.keys, audit),
    alerts,
    quota,
    statistics,
    reporter,
    replicas,
    reportDays: config.reportsKeepDays,
    log,
  });
  await reporter.report().catch((error) => writes.failed(error));

  let dns: DnsServer | undefined;
  const cut = () => {
    fastPath.destroyAll();
    app.server.closeAllConnections();
  };
  const announceStop = () => {
    isStopping = true;
    fastPath.drain();
  };
  const close = async () => {
    announceStop();
    // Before the app: queued comparisons and lookups in earlier versions would take longer than requests in flight may.
    datasetDiffs.close();
    await Promise.race([past.close(), sleep(THREADS_MS, undefined, { ref: false })]);
    if ((await connectionCount(app.server)) > 0) await sleep(graceMs);
    const force = setTimeout(cut, DRAIN_MS).unref();
    const { ended } = await stopListening(app.server);
    // A client that connected at the last moment sends its request now.
    await Promise.race([ended, sleep(graceMs)]);
    await app.close();
    await ended;
    clearTimeout(force);
    dns?.close();
    stopHousekeeping();
    overload.stop();
    stalls.stop();
    live.stop();
    await rpki?.stop();
    await rules?.stop();
    await databases.stop();
    await overrides.stop();
    emailChecks.close();
    // Counts and unspent leases must not be lost with the process.
    for (const write of [() => quota.close(), () => statistics.writeAll(nowMs()), () => reporter.remove()]) {
      await write().catch((error) => writes.failed(error));
    }
    keys.close();
    await storage.close();
  };
  try {
    if (mustListen !== undefined) await Promise.race([keys.untilStorageAnswers(), mustListen]);
    // Before HTTP, whose port tells the first process that this one has started.
    dns = await dnsOf(config, { admission, served: () => live.current, metrics, log });
    // Fastify logs a line for every address it listens on; `wh serve` logs one for all processes.
    appLog.level = 'warn';
    await app.listen({ host: config.host, port: config.port });
    appLog.level = log.level;
  } catch (error) {
    await close();
    throw error;
  }
  const { port } = app.server.address() as AddressInfo;
  return {
    url: serverUrl(config.host, port),
    metrics: () => metrics.snapshot(gaugesOf({ ...parts, quota, overload, replicas }, nowMs())),
    counters: () => metrics.snapshot({}),
    announceStop,
    checked: (check) => void live.checked(check),
    cut,
    close,
  };
}

/** Whose the file is, if that is why it cannot be read. */
function ownerOf(error: unknown, dataDir: string): { reason?: string } {
  const { path } = error as NodeJS.ErrnoException;
  const reason = path === undefined ? undefined : ownedByAnother(path, dataDir);
  return reason === undefined ? {} : { reason };
}

function logClock(log: Logger, differenceMs: number): void {
  if (differenceMs === 0) log.info('the clock can be used again');
  else
    log.error(
      { difference_seconds: Math.round(differenceMs / 1000) },
      'a clock is wrong: no rows are removed and no keys are revoked as scheduled until it is right',
    );
}

async function rpkiOf({ rpkiSource, ...config }: Config, log: Logger): Promise<RpkiFile | undefined> {
  if (rpkiSource === undefined) return undefined;
  const { openRpki } = await import('../address/routing/rpki-file.ts');
  return openRpki(rpkiSource, config, {
    loaded: (roas, builtAtMs) =>
      log.info({ roas, built_at: new Date(builtAtMs).toISOString() }, 'validated ROA payloads loaded'),
    failed: (reason) => log.error({ reason }, 'validated ROA payloads (WHENCE_RPKI) could not be read'),
    expired: (builtAtMs) =>
      log.error({ built_at: new Date(builtAtMs).toISOString() }, 'validated ROA payloads are too old and not used'),
  });
}

/** Loaded only where it is configured. */
async function rulesOf({ rules: path }: Config, log: Logger): Promise<LiveRules | undefined> {
  if (path === undefined) return undefined;
  const { LiveRules } = await import('../rules/live-rules.ts');
  const rules = new LiveRules(path, {
    loaded: ({ sets, lists }) => log.info({ sets: [...sets.keys()], lists: [...lists.keys()] }, 'rules loaded'),
    refused: (reason) =>
      log.error({ reason }, 'the rules (WHENCE_RULES) were refused; the last valid ones, if any, stay in use'),
  });
  await rules.start();
  return rules;
}

async function dnsOf(
  { dnsListen: listen, dnsAllow: allow, dnsZone: zone }: Config,
  parts: Pick<Parameters<typeof DnsServer.start>[0], 'admission' | 'served' | 'metrics' | 'log'>,
): Promise<DnsServer | undefined> {
  if (listen === undefined) return undefined;
  const { DnsServer } = await import('../dns-zone/dns-server.ts');
  try {
    return await DnsServer.start({ listen, allow, zone, ...parts });
  } catch (error) {
    const { address: host, port } = listen;
    throw listenError(error, { host, port, hostSetting: 'WHENCE_DNS_LISTEN', portSetting: 'WHENCE_DNS_LISTEN' });
  }
}

async function overridesOf(
  { overrides: path, dataDir }: Config,
  live: LiveDataset,
  log: Logger,
): Promise<LiveOverrides> {
  const overrides = new LiveOverrides(path ?? defaultOverrides(dataDir), path === undefined, {
    loaded: (content) => {
      live.override(content);
      if (content !== undefined) log.info({ entries: content.source.records }, 'overrides loaded');
    },
    refused: (reason) => log.error({ reason }, 'the overrides were refused; the last valid ones, if any, stay in use'),
  });
  await overrides.start();
  return overrides;
}

async function registrationsOf(
  { hasRdap, contact, proxies }: Config,
  { registrations: store }: Storage,
  nowMs: () => number,
  log: Logger,
): Promise<Registrations | undefined> {
  if (!hasRdap) return undefined;
  const { Registrations } = await import('../address/registration/registrations.ts');
  const bootstrapFailed = (reason: string) => log.warn({ reason }, 'the list of registries could not be fetched');
  const options = { store, contact, proxies, nowMs, bootstrapFailed };
  const registrations = new Registrations(options);
  void registrations.start().catch((error) => log.warn({ err: error }, 'the list of registries could not be read'));
  return registrations;
}

function connectionCount(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.getConnections((error, count) => (error === null ? resolve(count) : reject(error)));
  });
}

function dashboardSettings(config: Config, log: Logger): DashboardSettings {
  const { publicUrl, dataDir, inForce, datasetUrl, updateSeconds, hasPublicLookups, memberKeysPerDay, provider } =
    config;
  return {
    publicUrl,
    dataDir,
    inForce,
    hasPublicLookups,
    memberKeysPerDay,
    provider,
    pagesFolder: existsSync(join(PAGES, 'index.html')) ? PAGES : undefined,
    updates: {
      kind: datasetUrl === undefined ? 'build' : 'pull',
      intervalSeconds: updateSeconds,
      start: (retry) => startUpdate({ command: updateCommand(BIN, dataDir), dataDir, log }, retry),
    },
  };
}
