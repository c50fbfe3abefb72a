/** An open database. */
import type { RawBuilder } from 'kysely';
import type { ReadKeyChanges } from './key-changes.ts';
import type { LeaseChanges } from './leases/lease-changes.ts';
import type { Db } from './schema.ts';
import type { StatisticsChanges } from './statistics-changes.ts';

export type ClockState = {
  /**
   * By how much the clock of the database differs from the time in use, or from this machine while
   * no two clocks agree; or 0.
   */
  readonly differenceMs: number;
  readonly isAgreed: boolean;
  /** The day of that time, if they do and it is not recorded yet. */
  readonly newDay: string | undefined;
};

export type Engine = {
  readonly name: 'SQLite' | 'PostgreSQL';
  /** Location for messages, without a password. */
  readonly place: string;
  readonly db: Db;
  /** For changes of keys, which go ahead of other writes of this process. */
  readonly keyWrites: Db;
  /**
   * For statistics, which may take seconds to read: a connection or thread of its own, so that keys
   * do not wait.
   */
  readonly statisticsReads: Db;
  /** The question on which every answer depends: it does not queue behind other statements. */
  readonly keyChanges: ReadKeyChanges;
  /**
   * SQL for the milliseconds since 1970 on the clock of the database, which all processes share.
   */
  readonly now: RawBuilder<number>;
  /** The time on that clock; undefined where it is the clock of this machine. */
  nowMs(): number | undefined;
  /** Whether clocks agree on that time; undefined where there is only that of this machine. */
  clockState(): ClockState | undefined;
  /**
   * Lease operations. Each changes a lease and its day atomically: in one statement, or in a cheap
   * transaction.
   */
  readonly leases: LeaseChanges;
  /** Adds to statistics, each batch once: in one statement, or in a cheap transaction. */
  readonly statistics: StatisticsChanges;
};
