/** Opens storage: the one place that knows which engine it is. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { accountStore } from './account-store.ts';
import { auditStore } from './audit-store.ts';
import type { Engine } from './engine.ts';
import { keyStore } from './key-store.ts';
import { leaseStore } from './lease-store.ts';
import { linkStore } from './link-store.ts';
import { maintenanceStore } from './maintenance-store.ts';
import { networkStore } from './network-store.ts';
import { processStore } from './process-store.ts';
import { sessionStore } from './session-store.ts';
import { openSqlite } from './sqlite/open-sqlite.ts';
import type { Storage } from './storage.ts';
import { trafficStore } from './traffic-store.ts';
import { usageStore } from './usage-store.ts';

export type StorageOptions = {
  /** For commands that only look: they create neither a data directory nor tables. */
  readonly mustExist?: boolean;
  readonly leaseMs?: number;
};

/** `location` is a data directory, for the embedded engine, or the URL of a PostgreSQL database. */
export async function openStorage(location: string, options: StorageOptions = {}): Promise<Storage> {
  const engine = await openEngine(location, options);
  const { db, generation, urgent, now } = engine;
  const keys = keyStore(db, generation, urgent);
  return {
    engine: engine.name,
    nowMs: engine.nowMs,
    keys,
    leases: leaseStore(engine, options.leaseMs),
    usage: usageStore(db, now),
    accounts: accountStore(db),
    sessions: sessionStore(db),
    links: linkStore(db),
    audit: auditStore(db),
    traffic: trafficStore(db, now),
    networks: networkStore(db, now),
    processes: processStore(db),
    maintenance: maintenanceStore(db),
    async check() {
      await keys.revision();
    },
    close: () => db.destroy(),
  };
}

export async function openEngine(location: string, { mustExist = false }: StorageOptions = {}): Promise<Engine> {
  if (isPostgresUrl(location)) {
    // Loaded only where it is used.
    const { openPostgres } = await import('./postgres/open-postgres.ts');
    return openPostgres(location, { mustExist });
  }
  if (!mustExist) mkdirSync(location, { recursive: true, mode: 0o700 });
  return openSqlite(join(location, 'whence.sqlite'), { mustExist });
}

export function isPostgresUrl(location: string): boolean {
  return /^postgres(ql)?:\/\//.test(location);
}
