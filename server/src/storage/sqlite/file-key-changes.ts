/**
 * Changes of keys in the SQLite file. A file that was opened again may be another one under the same name, and is the
 * same if no key has changed: SQLite opens its file again after each checkpoint, and forgetting all keys each time would
 * cost a query for each of them.
 */
import type { SelectQueryBuilder } from 'kysely';
import { MAX_CHANGED, type ReadKeyChanges } from '../key-changes.ts';
import { sql } from '../kysely.ts';
import type { Db, Schema } from '../schema.ts';

/** `generation` differs once the file has been opened again. */
export function fileKeyChanges(db: Db, generation: () => number): ReadKeyChanges {
  // The database as of the last look.
  let seen = { generation: generation(), change: '', database: 0 };
  const readRevision = async () => {
    const { keys, last } = await db
      .selectFrom('revisions')
      .select(['keys', (eb) => lastChange(eb.selectFrom('keys')).as('last')])
      .executeTakeFirstOrThrow();
    const change = `${keys} ${last}`;
    const isSame = seen.generation === generation() || seen.change === change;
    seen = { generation: generation(), change, database: seen.database + (isSame ? 0 : 1) };
    return `${seen.database}.${keys}`;
  };
  const changedSince = async (since: string) => {
    const [database, number] = since.split('.').map(Number);
    const changed = await db
      .selectFrom('keys')
      .select('hash')
      .where('revision', '>', number ?? 0)
      .limit(MAX_CHANGED + 1)
      .execute();
    // Compared afterwards: reading may have been what opened it again.
    const isSame = database === seen.database && seen.generation === generation();
    return isSame && changed.length <= MAX_CHANGED ? changed.map(({ hash }) => hash) : undefined;
  };
  return async (since) => {
    const revision = await readRevision();
    if (revision === since) return { revision, changed: [], isReplaced: false };
    const isReplaced = since !== '' && databaseOf(since) !== databaseOf(revision);
    return { revision, changed: since === '' || isReplaced ? undefined : await changedSince(since), isReplaced };
  };
}

const databaseOf = (revision: string) => revision.split('.')[0];

/** Of two copies of a database that went on separately, both may have the same number of changes, but not this. */
function lastChange(keys: SelectQueryBuilder<Schema, 'keys', object>) {
  return keys
    .select(sql<string>`id || ' ' || coalesce(revoked_at, 0) || ' ' || coalesce(change_token, '')`.as('change'))
    .orderBy('revision', 'desc')
    .limit(1);
}
