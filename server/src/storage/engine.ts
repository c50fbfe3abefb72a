/** An open database. */
import type { RawBuilder } from 'kysely';
import type { LeaseChanges } from './lease-changes.ts';
import type { Db } from './schema.ts';

export type Engine = {
  readonly name: 'SQLite' | 'PostgreSQL';
  /** Where it is, for people: without a password. */
  readonly place: string;
  readonly db: Db;
  /** For questions that must not wait behind other statements. */
  readonly urgent: Db;
  /** Differs once the database was opened again: it may be another one under the same name. */
  generation(): number;
  /** SQL for the milliseconds since 1970 on the clock of the database, which all processes share. */
  readonly now: RawBuilder<number>;
  /** The time on that clock; undefined where it is the clock of this machine. */
  nowMs(): number | undefined;
  /** What changes a lease and the day it is from at once: one statement, or a transaction where that costs little. */
  readonly leases: LeaseChanges;
};
