/** An open database. */
import type { RawBuilder } from 'kysely';
import type { ReadKeyChanges } from './key-changes.ts';
import type { LeaseChanges } from './leases/lease-changes.ts';
import type { Db } from './schema.ts';
import type { StatisticsChanges } from './statistics-changes.ts';

export type Engine = {
  readonly name: 'SQLite' | 'PostgreSQL';
  /** Location for messages, without a password. */
  readonly place: string;
  readonly db: Db;
  /** For changes of keys, which go ahead of other writes of this process. */
  readonly keyWrites: Db;
  /**
   * For reads of statistics, which may take seconds: a connection of its own (SQLite: a thread of its own), so that keys
   * and leases do not wait for them.
   */
  readonly statisticsReads: Db;
  /** The question on which every answer depends: it does not queue behind other statements. */
  readonly keyChanges: ReadKeyChanges;
  /** SQL for the milliseconds since 1970 on the clock of the database, which all processes share. */
  readonly now: RawBuilder<number>;
  /** The time on that clock; undefined where it is the clock of this machine. */
  nowMs(): number | undefined;
  /** By how much its last reading differs from that time, if it was refused because no other clock agrees with it. */
  refusedClockMs(): number | undefined;
  /** Lease operations. Each changes a lease and its day atomically: in one statement, or in a cheap transaction. */
  readonly leases: LeaseChanges;
  /** Adds to statistics, each batch once: in one statement, or in a cheap transaction. */
  readonly statistics: StatisticsChanges;
};
