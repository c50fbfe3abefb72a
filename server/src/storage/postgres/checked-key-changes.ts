/**
 * Changes of keys on PostgreSQL, in one statement: a process never knows that keys have changed without knowing which.
 * The statement also shows whether this is the database of the last answer. A restore and a failover may put an older
 * copy in its place, with fewer changes, as many, or more once it has gone on. It is another database if
 *
 * - it is another one by its identifier, a promoted standby or restored archive by its timeline, or a restored dump by
 *   the numbers of database and table;
 * - its write-ahead log has become shorter: the files were restored from a snapshot;
 * - the change with the revision that is known here is missing or another one. `key_changes` gives each a random token.
 *
 * A server that is read-only may be a standby, or a primary that was replaced: its answers are refused.
 */
import type { RawBuilder } from 'kysely';
import { MAX_CHANGED, type ReadKeyChanges } from '../key-changes.ts';
import { sql } from '../kysely.ts';
import type { Db } from '../schema.ts';
import { ReadOnlyStorage } from '../storage-unavailable.ts';

type Answer = {
  keys: number;
  token: string;
  known_token: string;
  database: string;
  wal_bytes: number;
  is_standby: boolean;
  is_read_only: boolean;
  changed: string[] | null;
};

type Place = { readonly database: RawBuilder<string>; readonly walBytes: RawBuilder<number> };

const TABLE = sql`(select oid from pg_database where datname = current_database()) || '/' || 'revisions'::regclass::oid`;

const PLACE: Place = {
  database: sql`(select system_identifier from pg_control_system()) || '/' || case when pg_is_in_recovery() then ''
    else substr(pg_walfile_name(pg_current_wal_flush_lsn()), 1, 8) end || '/' || ${TABLE}`,
  walBytes: sql`case when pg_is_in_recovery() then 0
    else cast(pg_wal_lsn_diff(pg_current_wal_flush_lsn(), '0/0') as bigint) end`,
};

/** For services that refuse the functions above: `key_changes` and the table alone tell. */
const PLACE_WITHOUT_WAL: Place = { database: TABLE as RawBuilder<string>, walBytes: sql`cast(0 as bigint)` };
/** `feature_not_supported`, `insufficient_privilege`, `undefined_function`. */
const REFUSALS = ['0A000', '42501', '42883'];

/** Higher than any revision. */
const NONE = Number.MAX_SAFE_INTEGER;

/** `onReadOnly` is to connect to another server. */
export function checkedKeyChanges(db: Db, onReadOnly: () => void): ReadKeyChanges {
  let place = PLACE;
  let walBytes = 0;
  const ask = async (number: number) => {
    try {
      return await readChanges(db, place, number);
    } catch (error) {
      if (place !== PLACE || !REFUSALS.includes(codeOf(error))) throw error;
      place = PLACE_WITHOUT_WAL;
      return readChanges(db, place, number);
    }
  };
  return async (since) => {
    const [database, number = NONE, token] = since === '' ? [] : since.split(' ');
    const answer = await ask(Number(number));
    if (answer.is_standby || answer.is_read_only) {
      onReadOnly();
      throw new ReadOnlyStorage(answer.is_standby);
    }
    const isShorter = answer.wal_bytes < walBytes;
    walBytes = answer.wal_bytes;
    const revision = `${answer.database} ${answer.keys} ${answer.token}`;
    if (since === '') return { revision, changed: undefined, isReplaced: false };
    const isReplaced = isShorter || answer.database !== database || answer.known_token !== token;
    const changed = answer.changed ?? [];
    return { revision, changed: isReplaced || changed.length > MAX_CHANGED ? undefined : changed, isReplaced };
  };
}

async function readChanges(db: Db, { database, walBytes }: Place, known: number): Promise<Answer> {
  const number = sql`cast(${known} as bigint)`;
  const { rows } = await sql<Answer>`
    select r.keys, coalesce(latest.token, '') as token, coalesce(earlier.token, '') as known_token,
      ${database} as database, ${walBytes} as wal_bytes, pg_is_in_recovery() as is_standby,
      current_setting('transaction_read_only') = 'on' as is_read_only,
      (select json_agg(hash) from (select hash from keys where revision > ${number} limit ${MAX_CHANGED + 1}) as changes)
        as changed
    from revisions r left join key_changes latest on latest.number = r.keys
    left join key_changes earlier on earlier.number = ${number}`.execute(db);
  return rows[0] as Answer;
}

const codeOf = (error: unknown) => ((error as Error).cause as { code?: string } | undefined)?.code ?? '';
