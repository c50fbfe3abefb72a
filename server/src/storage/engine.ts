/** An open database. */
import type { Db } from './schema.ts';

export type Engine = {
  readonly name: 'SQLite' | 'PostgreSQL';
  readonly db: Db;
  /** Differs once another database was opened under the same name. */
  generation(): number;
};
