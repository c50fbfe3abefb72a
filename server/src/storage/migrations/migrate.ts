/**
 * Brings a database to the schema of this program, with Kysely's Migrator.
 *
 * During an upgrade, replicas of two versions share a database. A step that only adds (expand) leaves `oldest_program`
 * as it is: programs that do not know the step work on beside it. A step that takes away what they use (contract), in a
 * later release, raises it with `requireStep`, and programs that do not know the step named there refuse to start.
 */
import type { Migration } from 'kysely';
import { Migrator } from '../kysely.ts';
import type { Db } from '../schema.ts';
import { StorageUnavailable } from '../storage-unavailable.ts';
import { migrations } from './migrations.ts';

export type Steps = Readonly<Record<string, Migration>>;

export type SchemaState = {
  /** No step was ever taken. */
  readonly isEmpty: boolean;
  /** Steps that the database has not taken, in order. */
  readonly pending: readonly string[];
  /** Steps of newer programs, with which this one can work. */
  readonly newer: readonly string[];
};

/** Reads only. Throws for a schema with which this program cannot work. */
export async function schemaState(db: Db, databaseName: string, steps: Steps = migrations): Promise<SchemaState> {
  const tables = new Set(
    (await db.introspection.getTables({ withInternalKyselyTables: true })).map(({ name }) => name),
  );
  const rows = tables.has('kysely_migration') ? await db.selectFrom('kysely_migration').select('name').execute() : [];
  const taken = rows.map(({ name }) => name);
  const newer = taken.filter((name) => !Object.hasOwn(steps, name));
  const pending = Object.keys(steps).filter((name) => !taken.includes(name));
  if (newer.length > 0 && (pending.length > 0 || !(await allows(db, tables, steps)))) {
    throw new StorageUnavailable(
      `${databaseName} was written by a newer version of whence (its schema has ${newer.join(', ')}); ` +
        'run that version, or use another database',
    );
  }
  return { isEmpty: taken.length === 0, pending, newer };
}

async function allows(db: Db, tables: ReadonlySet<string>, steps: Steps): Promise<boolean> {
  if (!tables.has('compatibility')) return false;
  const row = await db.selectFrom('compatibility').select('oldest_program').executeTakeFirst();
  return row !== undefined && Object.hasOwn(steps, row.oldest_program);
}

export async function migrate(db: Db, steps: Steps = migrations): Promise<void> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => ({ ...steps }) } });
  const { error, results = [] } = await migrator.migrateToLatest();
  if (error === undefined) return;
  const failed = results.find(({ status }) => status === 'Error')?.migrationName;
  const step = failed === undefined ? '' : ` at ${failed}`;
  throw new StorageUnavailable(`the schema could not be brought up to date${step}: ${(error as Error).message}`, {
    cause: error,
  });
}
