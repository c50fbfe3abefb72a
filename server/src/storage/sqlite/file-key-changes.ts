/** Changes of keys in the SQLite file, in one statement: a process never knows that keys have changed without knowing which. */
import { changesSince, knownNumber, MAX_CHANGED, type ReadKeyChanges } from '../key-changes.ts';
import { sql } from '../kysely.ts';
import type { Db } from '../schema.ts';

export function fileKeyChanges(db: Db): ReadKeyChanges {
  return async (since) => {
    const known = knownNumber(since);
    const token = (number: unknown) =>
      sql<string>`coalesce((select token from key_changes where number = ${number}), '')`;
    const { changed, ...answer } = await db
      .selectFrom('revisions')
      .select([
        'keys',
        token(sql.ref('revisions.keys')).as('token'),
        token(known).as('known_token'),
        token(-1).as('database'),
        sql<string>`(
          select json_group_array(hash) from (select hash from keys where revision > ${known} limit ${MAX_CHANGED + 1})
        )`.as('changed'),
      ])
      .executeTakeFirstOrThrow();
    return changesSince(since, { ...answer, changed: JSON.parse(changed) as string[] });
  };
}
