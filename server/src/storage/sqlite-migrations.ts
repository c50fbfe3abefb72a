/** The schema of the embedded engine, as the steps that lead to it. `user_version` counts the steps a file has taken. */
import type Database from 'better-sqlite3';
import { StorageUnavailable } from './storage.ts';

const steps: readonly string[] = [
  `CREATE TABLE keys (
     id TEXT PRIMARY KEY,
     name TEXT NOT NULL,
     hash TEXT NOT NULL UNIQUE,
     masked TEXT NOT NULL,
     permissions TEXT NOT NULL,
     tier TEXT NOT NULL,
     created_at INTEGER NOT NULL,
     last_used_at INTEGER,
     revoked_at INTEGER,
     revoked_by TEXT
   ) STRICT;
   CREATE TABLE keys_revision (revision INTEGER NOT NULL) STRICT;
   INSERT INTO keys_revision VALUES (0);
   CREATE TABLE quota (
     key_id TEXT NOT NULL,
     day TEXT NOT NULL,
     granted INTEGER NOT NULL,
     PRIMARY KEY (key_id, day)
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE usage (
     key_id TEXT NOT NULL,
     day TEXT NOT NULL,
     endpoint TEXT NOT NULL,
     status_class INTEGER NOT NULL,
     requests INTEGER NOT NULL,
     PRIMARY KEY (key_id, day, endpoint, status_class)
   ) STRICT, WITHOUT ROWID;`,
  `CREATE TABLE recalls (
     number INTEGER PRIMARY KEY AUTOINCREMENT,
     key_id TEXT NOT NULL
   ) STRICT;`,
];

export function migrate(database: Database.Database): void {
  const upgrade = database.transaction(() => {
    const taken = database.pragma('user_version', { simple: true }) as number;
    if (taken > steps.length) {
      throw new StorageUnavailable(
        `${database.name} was written by a newer version of whence (schema ${taken}, this version knows ${steps.length}); run that version, or use another WHENCE_DATA_DIR`,
      );
    }
    for (const step of steps.slice(taken)) database.exec(step);
    database.pragma(`user_version = ${steps.length}`);
  });
  upgrade.immediate();
}
