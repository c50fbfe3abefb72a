/** Opens storage. Only this file chooses the engine. */
import { join } from 'node:path';
import { makeFolder } from '@whence/dataset/internal/io/whole-file';
import type { Engine } from './engine.ts';
import { leaseStore } from './leases/lease-store.ts';
import { openSqlite } from './sqlite/open-sqlite.ts';
import type { Storage } from './storage.ts';
import { accountStore } from './stores/account-store.ts';
import { auditStore } from './stores/audit-store.ts';
import { keyListStore } from './stores/key-list-store.ts';
import { keyStore } from './stores/key-store.ts';
import { linkStore } from './stores/link-store.ts';
import { maintenanceStore } from './stores/maintenance-store.ts';
import { networkStore } from './stores/network-store.ts';
import { processStore } from './stores/process-store.ts';
import { registrationStore } from './stores/registration-store.ts';
import { sessionStore } from './stores/session-store.ts';
import { trafficStore } from './stores/traffic-store.ts';
import { usageStore } from './stores/usage-store.ts';

export type StorageOptions = {
  /** For commands that only read: they create neither a data directory nor tables. */
  readonly mustExist?: boolean;
  readonly leaseMs?: number;
  /** Opens PostgreSQL also while it cannot be reached. Its schema must be up to date. */
  readonly mayBeAway?: boolean;
  /** How long a statement waits for a lock of SQLite, for commands that a person waits for; 2 s without it. */
  readonly waitMs?: number;
};

/** `location` is a data directory, for the embedded engine, or the URL of a PostgreSQL database. */
export async function openStorage(location: string, options: StorageOptions = {}): Promise<Storage> {
  const engine = await openEngine(location, options);
  const { db, keyWrites, statistics, statisticsReads } = engine;
  return {
    engine: engine.name,
    nowMs: engine.nowMs,
    refusedClockMs: engine.refusedClockMs,
    keys: keyStore(db, keyWrites, engine.keyChanges),
    keyList: keyListStore(engine),
    leases: leaseStore(engine, options.leaseMs),
    usage: usageStore(db, statistics, statisticsReads),
    accounts: accountStore(db),
    sessions: sessionStore(db),
    links: linkStore(db),
    audit: auditStore(db, statisticsReads),
    traffic: trafficStore(db, statistics, statisticsReads),
    networks: networkStore(db, statistics, statisticsReads),
    processes: processStore(db),
    registrations: registrationStore(db),
    maintenance: maintenanceStore(db),
    close: () => db.destroy(),
  };
}

export async function openEngine(
  location: string,
  { mustExist = false, mayBeAway = false, waitMs }: StorageOptions = {},
): Promise<Engine> {
  if (isPostgresUrl(location)) {
    // Loaded only if it is used, to keep start-up fast.
    const { openPostgres } = await import('./postgres/open-postgres.ts');
    return openPostgres(location, { mustExist, mayBeAway });
  }
  if (!mustExist) makeFolder(location, 0o700);
  return openSqlite(join(location, 'whence.sqlite'), { mustExist, waitMs });
}

export function isPostgresUrl(location: string): boolean {
  return /^postgres(ql)?:\/\//.test(location);
}
