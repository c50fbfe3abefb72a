/** Leases out of the table of the embedded engine. The write lock is taken before the count is read, so no two processes read the same. */
import { guarded, type SqliteDatabase } from '../storage/sqlite.ts';
import type { LeaseStore } from './quota.ts';

/** Recalls hold for a moment; those before these have been seen by everybody who lives. */
const KEPT_RECALLS = 1_000;

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
  const recall = database.prepare('INSERT INTO recalls (key_id) VALUES (?)');
  const forgetRecalls = database.prepare('DELETE FROM recalls WHERE number < ?');
  const lastRecall = database.prepare<[], number>('SELECT max(number) FROM recalls').pluck();
  const recalledSince = database.prepare<[number], { number: number; key_id: string }>(
    'SELECT number, key_id FROM recalls WHERE number > ?',
  );
  const dataVersion = database.prepare<[], number>('PRAGMA data_version').pluck();
  let seenDataVersion = dataVersion.get();
  let seenRecall = lastRecall.get() ?? 0;
  return {
    take: guarded((keyId: string, day: string, wanted: number, limit: number) => {
      // A key that is used up is the one that is asked for most; it needs no write lock to be told so.
      if ((read.get(keyId, day) ?? 0) >= limit) return { granted: 0, left: 0 };
      return take.immediate(keyId, day, wanted, limit);
    }),
    giveBack: guarded((keyId: string, day: string, unspent: number) => {
      giveBack.run(unspent, keyId, day);
    }),
    recall: guarded((keyId: string) => {
      const { lastInsertRowid } = recall.run(keyId);
      forgetRecalls.run(Number(lastInsertRowid) - KEPT_RECALLS);
    }),
    recalled: guarded(() => {
      const current = dataVersion.get();
      if (current === seenDataVersion) return [];
      seenDataVersion = current;
      const rows = recalledSince.all(seenRecall);
      seenRecall = rows.at(-1)?.number ?? seenRecall;
      return rows.map(({ key_id }) => key_id);
    }),
  };
}
