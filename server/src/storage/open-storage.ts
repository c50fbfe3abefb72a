/** Opens storage. Only this file chooses the engine. */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { makeFolder } from '@whence/dataset/io/files';
import type { Engine } from './engine.ts';
import { leaseStore } from './leases/lease-store.ts';
import { openSqlite } from './sqlite/open-sqlite.ts';
import { StorageUnavailable } from './storage-unavailable.ts';
import { accountStore } from './stores/account-store.ts';
import { alertStore } from './stores/alert-store.ts';
import { auditStore } from './stores/audit-store.ts';
import { keyListStore } from './stores/key-list-store.ts';
import { keyStore } from './stores/key-store.ts';
import { linkStore } from './stores/link-store.ts';
import { mailboxStore } from './stores/mailbox-store.ts';
import { maintenanceStore } from './stores/maintenance-store.ts';
import { processStore } from './stores/process-store.ts';
import { reportStore } from './stores/report-store.ts';
import { sessionStore } from './stores/session-store.ts';
import { tlsReportStore } from './stores/tls-report-store.ts';
import { updateChoiceStore } from './stores/update-choice-store.ts';
import { trafficStore, usageStore } from './stores/usage-store.ts';
import { watchStore } from './stores/watch-store.ts';

export type StorageOptions = {
  /** For commands that only read: they create neither a data directory nor tables. */
  readonly mustExist?: boolean;
  readonly leaseMs?: number;
  /** Opens PostgreSQL also while it cannot be reached. Its schema must be up to date. */
  readonly mayBeAway?: boolean;
  /** Does not wait for PostgreSQL that is starting: the caller tries again. */
  readonly failFast?: boolean;
  /** For copies of a complete database: a statement may take minutes. */
  readonly isBulk?: boolean;
  /**
   * How long a statement waits for a lock of SQLite, for commands that a person waits for; 2 s
   * without it.
   */
  readonly waitMs?: number;
  /**
   * For commands, whose statements follow each other: SQLite has one thread instead of two, which
   * take 0.05 s each to start.
   */
  readonly isSequential?: boolean;
};

/** `location` is a data directory, for the embedded engine, or the URL of a PostgreSQL database. */
export async function openStorage(location: string, options: StorageOptions = {}) {
  const engine = await openEngine(location, options);
  const { db, keyWrites, statistics, statisticsReads } = engine;
  return {
    engine: engine.name,
    /** The clock that all processes share; undefined if that is the clock of this machine. */
    nowMs: engine.nowMs,
    clockState: engine.clockState,
    keys: keyStore(db, keyWrites, engine.keyChanges),
    keyList: keyListStore(db),
    leases: leaseStore(engine, options.leaseMs),
    usage: usageStore(db, statistics, statisticsReads),
    accounts: accountStore(db),
    sessions: sessionStore(db),
    links: linkStore(db),
    alerts: alertStore(db),
    audit: auditStore(db, statisticsReads),
    traffic: trafficStore(db, statistics, statisticsReads),
    processes: processStore(engine),
    reports: reportStore(engine),
    tlsReports: tlsReportStore(engine),
    mailboxes: mailboxStore(db),
    watch: watchStore(engine),
    maintenance: maintenanceStore(db),
    updateChoice: updateChoiceStore(db),
    close: () => db.destroy(),
  };
}

/** Throws if the SQLite driver has no binary for this platform, before anything is created. */
export function requireDriver(location: string): void {
  if (isPostgresUrl(location)) return;
  const require = createRequire(import.meta.url);
  const folder = dirname(require.resolve('@photostructure/sqlite/package.json'));
  const platform = `${process.platform}-${process.arch}`;
  if (existsSync(join(folder, 'prebuilds', platform))) return;
  try {
    // It may have been compiled.
    require('@photostructure/sqlite');
  } catch {
    throw new StorageUnavailable(
      `the SQLite driver in ${folder} has no binary for ${platform}: compile it with npm rebuild @photostructure/sqlite, or set WHENCE_DATABASE_URL`,
    );
  }
}

export async function openEngine(
  location: string,
  {
    mustExist = false,
    mayBeAway = false,
    isBulk = false,
    failFast = false,
    waitMs,
    isSequential = false,
  }: StorageOptions = {},
): Promise<Engine> {
  if (isPostgresUrl(location)) {
    // Loaded only if it is used, to keep start-up fast.
    const { openPostgres } = await import('./postgres/open-postgres.ts');
    return openPostgres(location, { mustExist, mayBeAway, isBulk, failFast });
  }
  requireDriver(location);
  if (!mustExist) makeFolder(location, 0o700);
  return openSqlite(join(location, 'whence.sqlite'), { mustExist, waitMs, isSequential });
}

export function isPostgresUrl(location: string): boolean {
  return /^postgres(ql)?:\/\//.test(location);
}
