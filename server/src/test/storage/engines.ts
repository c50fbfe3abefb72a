/**
 * The storage engine of tests that must hold on each: SQLite, and PostgreSQL where
 * on-postgres.full.test.ts runs them.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NO_POSTGRES, PostgresServer } from '@whence/testing/servers/postgres-server';
import { openStorage, type StorageOptions } from '../../storage/open-storage.ts';
import type { Storage } from '../../storage/storage.ts';

type TestEngine = {
  readonly name: string;
  /** Why it cannot be tested here; false where it can. */
  readonly skip: string | false;
  /** The location of an empty database for `openStorage`. */
  newLocation(): Promise<string>;
  /** Removes all databases that were made. */
  close(): Promise<void>;
};

/** A busy machine may need longer for a write than the two seconds after which servers give up. */
const LOCK_WAIT_MS = 60_000;

let isOnPostgres = false;

/** For on-postgres.full.test.ts, before it imports the tests. */
export function testOnPostgres(): void {
  isOnPostgres = true;
}

/** Storage that waits for locks of SQLite: the limit of the wait is not what the test is about. */
export function openTestStorage(location: string, options: StorageOptions = {}): Promise<Storage> {
  return openStorage(location, { waitMs: LOCK_WAIT_MS, ...options });
}

export function testEngines(): TestEngine[] {
  return [isOnPostgres ? postgres() : sqlite()];
}

function sqlite(): TestEngine {
  const folders: string[] = [];
  return {
    name: 'SQLite',
    skip: false,
    async newLocation() {
      const folder = mkdtempSync(join(tmpdir(), 'whence-storage-'));
      folders.push(folder);
      return folder;
    },
    async close() {
      for (const folder of folders) rmSync(folder, { recursive: true, force: true });
    },
  };
}

function postgres(): TestEngine {
  let server: Promise<PostgresServer> | undefined;
  const drops: (() => Promise<void>)[] = [];
  return {
    name: 'PostgreSQL',
    skip: NO_POSTGRES,
    async newLocation() {
      server ??= PostgresServer.start();
      const { url, drop } = await (await server).createDatabase();
      drops.push(drop);
      return url;
    },
    async close() {
      for (const drop of drops) await drop();
      await (await server)?.stop();
    },
  };
}
