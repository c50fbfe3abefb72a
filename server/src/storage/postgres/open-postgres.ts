/** Opens PostgreSQL, which several machines can share. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Kysely, PostgresDialect, sql } from 'kysely';
import type { Engine } from '../engine.ts';
import { migrate, schemaState } from '../migrations/migrate.ts';
import type { Db, Schema } from '../schema.ts';
import { NoDatabase, StorageUnavailable } from '../storage-unavailable.ts';
import { tellWaiting } from '../waiting.ts';
import { checkedKeyChanges } from './checked-key-changes.ts';
import { type ClockReading, DatabaseClock } from './database-clock.ts';
import { readDatabaseUrl } from './database-url.ts';
import { Lineage } from './lineage.ts';
import { oneStatementLeases } from './one-statement-leases.ts';
import { oneStatementStatistics } from './one-statement-statistics.ts';
import { openFailure, passingReason } from './open-failure.ts';
import {
  lateAnswer,
  MIGRATION_CONNECTIONS,
  noAnswers,
  openPool,
  openTransaction,
  type Pool,
  type PoolOptions,
  type PoolTimeouts,
  STATEMENT_CONNECTIONS,
  STATISTICS_CONNECTIONS,
  URGENT_CONNECTIONS,
} from './pool.ts';
import { refuseTwoPrimaries, watchPrimaries } from './primaries.ts';
import { unavailableDialect } from './unavailable-dialect.ts';

const TIMEOUTS: PoolTimeouts = {
  connectMs: 2_000,
  statementMs: 2_000,
  lockMs: 2_000,
  queryMs: 3_000,
};

const STATISTICS_TIMEOUTS: PoolTimeouts = {
  connectMs: 10_000,
  statementMs: 20_000,
  lockMs: 2_000,
  queryMs: 25_000,
};

/**
 * A replica waits while another one migrates; a step on a large table can take minutes. So can a
 * copy of the database.
 */
const BULK_TIMEOUTS: PoolTimeouts = {
  connectMs: 10_000,
  statementMs: 600_000,
  lockMs: 60_000,
  queryMs: 660_000,
};

type Shared = Pick<PoolOptions, 'answers' | 'lineage'>;
/** What is known of the schema of a worker. */
const UP_TO_DATE = { isEmpty: false, pending: [] };

/** Between attempts to open it. */
const RETRY_MS = 250;
/** A schema takes 120 round trips and may be locked by another replica: minutes without a word. */
const LONG_MIGRATION_MS = 3_000;

const NOW = sql<number>`cast(extract(epoch from clock_timestamp()) * 1000 as bigint)`;

type PostgresOptions = {
  readonly mustExist: boolean;
  readonly isBulk?: boolean;
  readonly failFast?: boolean;
  /**
   * For a worker: its schema was brought up to date by the first process, and its port is open
   * while PostgreSQL is unreachable.
   */
  readonly mayBeAway?: boolean;
};

/**
 * Opens the database and, where steps are pending, brings its schema up to date, one process at a
 * time.
 */
export async function openPostgres(url: string, options: PostgresOptions): Promise<Engine> {
  const { mustExist, mayBeAway = false, isBulk = false, failFast = false } = options;
  const { name: place, ...read } = readDatabaseUrl(url);
  const waitMs = mayBeAway || failFast ? 0 : read.waitMs;
  const shared = { answers: noAnswers(), lineage: new Lineage() };
  const mainTimeouts = isBulk ? BULK_TIMEOUTS : TIMEOUTS;
  const mainPool = openPool(url, { max: STATEMENT_CONNECTIONS, timeouts: mainTimeouts, ...shared });
  // Never behind other statements.
  const urgentPool = openPool(url, { max: URGENT_CONNECTIONS, timeouts: TIMEOUTS, ...shared });
  const statisticsPool = openPool(url, {
    max: STATISTICS_CONNECTIONS,
    timeouts: STATISTICS_TIMEOUTS,
    ...shared,
  });
  const main = databaseOf(mainPool, mainTimeouts);
  const urgent = databaseOf(urgentPool, TIMEOUTS);
  const statisticsReads = databaseOf(statisticsPool, STATISTICS_TIMEOUTS);
  const clock = new DatabaseClock(async () => {
    const { rows } = await sql<{
      now: number;
      day: string | null;
      records: ClockReading['records'] | null;
    }>`
      select ${NOW} as now, agreed_day as day, (
        select json_agg(record) from (
          select distinct on (host) machine_at as "machineMs", stored_at as "storedMs" from processes
          where machine_at is not null order by host, stored_at desc
        ) as record
      ) as records from maintenance`.execute(urgent);
    const { now = Number.NaN, day, records } = rows[0] ?? {};
    return { databaseMs: now, recordedDay: day ?? undefined, records: records ?? [] };
  });
  const stopWatching = watchPrimaries(url, shared.lineage);
  const destroy = main.destroy.bind(main);
  main.destroy = async () => {
    clock.stop();
    stopWatching();
    await Promise.all([urgent.destroy(), statisticsReads.destroy(), destroy()]);
  };
  try {
    await whilePassing(place, waitMs, async () => {
      const { isEmpty, pending } = mayBeAway ? UP_TO_DATE : await schemaState(main, place);
      await refuseTwoPrimaries(url);
      if (isEmpty && mustExist)
        throw new NoDatabase(`${place} has no Whence tables: is it the right database?`);
      if (pending.length > 0) await migrateAlone(url, place, shared);
      await clock.start({ mayFail: mayBeAway }).catch(async (error) => {
        const late = lateAnswer(error, await answersOn(main), shared.answers);
        throw late === error ? error : new StorageUnavailable(late.message, { cause: late });
      });
    });
  } catch (error) {
    await main.destroy();
    throw openFailure(error, place, waitMs);
  }
  const reconnect = () => {
    for (const pool of [mainPool, urgentPool, statisticsPool]) pool.renew();
  };
  const keyChanges = checkedKeyChanges(urgent, reconnect, shared.lineage);
  return {
    name: 'PostgreSQL',
    place,
    db: main,
    // Connections do not queue behind statistics there.
    keyWrites: main,
    statisticsReads,
    keyChanges: async (since) => {
      // Until then, requests would count for the day of this machine.
      if (clock.nowMs() === undefined)
        throw new StorageUnavailable('the time of the database is not known yet');
      return keyChanges(since);
    },
    now: NOW,
    nowMs: () => clock.nowMs(),
    clockState: () => clock.state(),
    leases: oneStatementLeases(main, NOW),
    statistics: oneStatementStatistics(main, NOW),
  };
}

const answersOn = (db: Db) =>
  sql`select 1`.execute(db).then(
    () => true,
    () => false,
  );

async function whilePassing(
  place: string,
  waitMs: number,
  work: () => Promise<void>,
): Promise<void> {
  const deadlineMs = performance.now() + waitMs;
  let isTold = false;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const reason = passingReason(error);
      if (reason === undefined || performance.now() + RETRY_MS > deadlineMs) throw error;
      if (!isTold) tellWaiting(`waiting up to ${waitMs / 1000} s for ${place}: ${reason}`);
      isTold = true;
    }
    await sleep(RETRY_MS);
  }
}

/** Uses separate connections, with the timeouts for migrations. */
async function migrateAlone(url: string, place: string, shared: Shared): Promise<void> {
  const tell = () => tellWaiting(`the schema of ${place} is being brought up to date`);
  const timer = setTimeout(tell, LONG_MIGRATION_MS);
  const db = databaseOf(
    openPool(url, { max: MIGRATION_CONNECTIONS, timeouts: BULK_TIMEOUTS, ...shared }),
    BULK_TIMEOUTS,
  );
  try {
    await migrate(db);
  } finally {
    clearTimeout(timer);
    await db.destroy();
  }
}

function databaseOf(pool: Pool, timeouts: PoolTimeouts): Db {
  const dialect = new PostgresDialect({ pool });
  return new Kysely<Schema>({ dialect: unavailableDialect(dialect, openTransaction(timeouts)) });
}
