/** The storage engines, for tests that must hold on each. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NO_POSTGRES, PostgresServer } from '@whence/testing/servers/postgres-server';

type TestEngine = {
  readonly name: string;
  /** Why it cannot be tested here; false where it can. */
  readonly skip: string | false;
  /** The location of an empty database for `openStorage`. */
  newLocation(): Promise<string>;
  /** Removes all databases that were made. */
  close(): Promise<void>;
};

export function testEngines(): TestEngine[] {
  return [sqlite(), postgres()];
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
