/**
 * Changes of keys on PostgreSQL, in one statement: a process never knows that keys have changed
 * without knowing which. The statement, a function of the database, also shows whether this is the
 * database of the last answer. A restore and a failover may put an older copy in its place, with
 * fewer changes, as many, or more once it has gone on. It is another database if
 *
 * - it is another one by its identifier, a promoted standby or restored archive by its timeline, or a restored dump by
 *   the numbers of database and table;
 * - its write-ahead log has become shorter: the files were restored from a snapshot;
 * - the change with the revision that is known here is missing or another one: see `key-changes`.
 *
 * A server that is read-only may be a standby, or a primary that was replaced: its answers are
 * refused. So are those of an earlier timeline.
 */

import { sql } from 'kysely';
import {
  changesSince,
  type KeyChangesAnswer,
  knownNumber,
  MAX_CHANGED,
  type ReadKeyChanges,
} from '../key-changes.ts';
import type { Db } from '../schema.ts';
import { ReadOnlyStorage, StorageUnavailable } from '../storage-unavailable.ts';
import { isWithheld, type Lineage } from './lineage.ts';

type Answer = KeyChangesAnswer & { wal_bytes: number; is_standby: boolean; is_read_only: boolean };

/**
 * `reconnect` is called for an answer that must not be used, and is to open other connections, to
 * another server if there is one.
 */
export function checkedKeyChanges(db: Db, reconnect: () => void, lineage: Lineage): ReadKeyChanges {
  // Services that refuse the functions for it are asked without: `key_changes` and the table alone
  // tell.
  let withPlace = true;
  let walBytes = 0;
  const ask = async (number: number) => {
    try {
      return await readChanges(db, number, withPlace);
    } catch (error) {
      if (!withPlace || !isWithheld(codeOf(error))) throw error;
      const answer = await readChanges(db, number, false);
      withPlace = false;
      return answer;
    }
  };
  return async (since) => {
    // As of the question: answers to several that are sent at the same time may arrive in another
    // order.
    const knownWalBytes = walBytes;
    const answer = await ask(knownNumber(since));
    if (typeof answer?.database !== 'string' || !Number.isSafeInteger(answer.keys)) {
      // Remembered as the revision, it would make every later question invalid.
      reconnect();
      throw new StorageUnavailable(
        'PostgreSQL, or a pooler in front of it, answered another question',
      );
    }
    if (answer.is_standby || answer.is_read_only) {
      reconnect();
      throw new ReadOnlyStorage(answer.is_standby);
    }
    try {
      lineage.enter(answer.database);
    } catch (error) {
      reconnect();
      throw new StorageUnavailable((error as Error).message);
    }
    const isShorter = answer.wal_bytes < knownWalBytes;
    walBytes = isShorter ? answer.wal_bytes : Math.max(walBytes, answer.wal_bytes);
    const changes = changesSince(since, answer);
    return isShorter && since !== ''
      ? { ...changes, changed: undefined, isReplaced: true }
      : changes;
  };
}

async function readChanges(db: Db, since: number, withPlace: boolean): Promise<Answer | undefined> {
  const { rows } = await sql<Answer>`
    select keys, coalesce(token, '') as token, coalesce(known_token, '') as known_token, database, wal_bytes,
      is_standby, is_read_only, changed
    from whence_key_changes(${since}, ${MAX_CHANGED + 1}, ${withPlace})`.execute(db);
  return rows[0];
}

const codeOf = (error: unknown) => ((error as Error).cause as { code?: string } | undefined)?.code;
