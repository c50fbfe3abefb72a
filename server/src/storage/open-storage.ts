/** Opens storage. Only this file chooses the engine. */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { makeFolder } from '@whence/dataset/internal/io/whole-file';
import type { Engine } from './engine.ts';
import { leaseStore } from './leases/lease-store.ts';
import { ownStatistics, statisticsStores } from './own-statistics.ts';
import { openSqlite } from './sqlite/open-sqlite.ts';
import { StorageUnavailable } from './storage-unavailable.ts';
import { accountStore } from './stores/account-store.ts';
import { auditStore } from './stores/audit-store.ts';
import { keyListStore } from './stores/key-list-store.ts';
import { keyStore } from './stores/key-store.ts';
import { linkStore } from './stores/link-store.ts';
import { maintenanceStore } from './stores/maintenance-store.ts';
import { processStore } from './stores/process-store.ts';
import { registrationStore } from './stores/registration-store.ts';
import { reportStore } from './stores/report-store.ts';
import { runStore } from './stores/run-store.ts';
import { sessionStore } from './stores/session-store.ts';

export type StorageOptions = {
  /** For commands that only read: they create neither a data directory nor tables. */
  readonly mustExist?: boolean;
  readonly leaseMs?: number;
  /** Opens PostgreSQL also while it cannot be reached. Its schema must be up to date. */
  readonly mayBeAway?: boolean;
  /** Does not wait for PostgreSQL that is starting: the caller tries again. */
  readonly failFast?: boolean;
  /** For copies of a whole database: a statement may take minutes. */
  readonly isBulk?: boolean;
  /** How long a statement waits for a lock of SQLite, for commands that a person waits for; 2 s without it. */
  readonly waitMs?: number;
};

/** A data directory, for the embedded engine, or the URL of a PostgreSQL database; or two, one of them for statistics. */
export type StorageLocation = string | { readonly keys: string; readonly statistics: string };

export async function openStorage(location: StorageLocation, options: StorageOptions = {}) {
  const places = typeof location === 'string' ? { keys: location, statistics: undefined } : location;
  const { statistics: ownPlace } = places;
  const engine = await openEngine(places.keys, options);
  const { db, keyWrites, statisticsReads } = engine;
  const own =
    ownPlace === undefined
      ? undefined
      : ownStatistics(() => openEngine(ownPlace, { failFast: true }), engine.statistics);
  const { usage, traffic } = own ?? statisticsStores(engine);
  const maintenance = maintenanceStore(db);
  return {
    engine: engine.name,
    /** The clock that all processes share; undefined if that is the clock of this machine. */
    nowMs: engine.nowMs,
    clockState: engine.clockState,
    keys: keyStore(db, keyWrites, engine.keyChanges),
    keyList: keyListStore(engine),
    leases: leaseStore(engine, options.leaseMs),
    usage,
    accounts: accountStore(db),
    sessions: sessionStore(db),
    links: linkStore(db),
    audit: auditStore(db, statisticsReads),
    traffic,
    processes: processStore(engine),
    registrations: registrationStore(db),
    reports: reportStore(engine),
    runs: runStore(db),
    maintenance:
      own === undefined
        ? maintenance
        : {
            ...maintenance,
            pruneWriters: async (beforeMs: number) => {
              await maintenance.pruneWriters(beforeMs);
              await own.pruneWriters(beforeMs);
            },
          },
    /** Whether the database that statistics have of their own does not answer; undefined if they have none. */
    isStatisticsAway: () => own?.isAway(),
    close: async () => {
      await own?.close();
      await db.destroy();
    },
  };
}

/** Throws if the SQLite driver has no binary (--ignore-scripts), before anything is created. */
export function requireDriver(location: string): void {
  if (isPostgresUrl(location)) return;
  const require = createRequire(import.meta.url);
  const folder = dirname(require.resolve('better-sqlite3/package.json'));
  if (existsSync(join(folder, 'build/Release/better_sqlite3.node'))) return;
  try {
    // It may be in another place.
    new (require('better-sqlite3'))(':memory:').close();
  } catch {
    throw new StorageUnavailable(
      `the SQLite driver in ${folder} has no binary, because its install script did not run: run npm rebuild better-sqlite3, or set WHENCE_DATABASE_URL`,
    );
  }
}

export async function openEngine(
  location: string,
  { mustExist = false, mayBeAway = false, isBulk = false, failFast = false, waitMs }: StorageOptions = {},
): Promise<Engine> {
  if (isPostgresUrl(location)) {
    // Loaded only if it is used, to keep start-up fast.
    const { openPostgres } = await import('./postgres/open-postgres.ts');
    return openPostgres(location, { mustExist, mayBeAway, isBulk, failFast });
  }
  requireDriver(location);
  if (!mustExist) makeFolder(location, 0o700);
  return openSqlite(join(location, 'whence.sqlite'), { mustExist, waitMs });
}

export function isPostgresUrl(location: string): boolean {
  return /^postgres(ql)?:\/\//.test(location);
}
