/** Leases out of the table of the embedded engine. The write lock is taken before the count is read, so no two processes read the same. */
import { guarded, type SqliteDatabase } from '../storage/sqlite.ts';
import type { LeaseStore } from './quota.ts';

export function sqliteLeases(database: SqliteDatabase): LeaseStore {
  const read = database
    .prepare<[string, string], number>('SELECT granted FROM quota WHERE key_id = ? AND day = ?')
    .pluck();
  const grant = database.prepare(
    `INSERT INTO quota (key_id, day, granted) VALUES (?, ?, ?)
     ON CONFLICT (key_id, day) DO UPDATE SET granted = granted + excluded.granted`,
  );
  const giveBack = database.prepare('UPDATE quota SET granted = granted - ? WHERE key_id = ? AND day = ?');
  const take = database.transaction((keyId: string, day: string, wanted: number, limit: number) => {
    const left = limit - (read.get(keyId, day) ?? 0);
    const granted = Math.max(0, Math.min(wanted, left));
    if (granted > 0) grant.run(keyId, day, granted);
    return { granted, left: left - granted };
  });
  return {
    take: guarded((keyId: string, day: string, wanted: number, limit: number) => {
      // A key that is used up is the one that is asked for most; it needs no write lock to be told so.
      if ((read.get(keyId, day) ?? 0) >= limit) return { granted: 0, left: 0 };
      return take.immediate(keyId, day, wanted, limit);
    }),
    giveBack: guarded((keyId: string, day: string, unspent: number) => {
      giveBack.run(unspent, keyId, day);
    }),
  };
}
