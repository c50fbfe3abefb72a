// Brings a database to this program's schema, with Kysely's Migrator. Replicas of two versions
// share a database during an upgrade: a step that only adds leaves `oldest_program` in
// `compatibility` alone. A later step that takes away sets it to the oldest step that programs must
// know; those that do not know it refuse to start.
import { type Migration, Migrator, SqliteAdapter, sql } from 'kysely';
import type { Db } from '../schema.ts';
import { StorageUnavailable } from '../storage-unavailable.ts';
import { schema } from './0001-schema.ts';

type Steps = Readonly<Record<string, Migration>>;

/** In order. */
export const migrations: Steps = { '0001-schema': schema };

/**
 * Where the steps are recorded. Not under Kysely's usual name, which another application in the
 * same database may use.
 */
const STEP_TABLE = 'whence_migration';

type SchemaState = {
  /** No step was ever taken. */
  readonly isEmpty: boolean;
  readonly pending: readonly string[];
  readonly newer: readonly string[];
};

/** Reads only. Throws for a schema with which this program cannot work. */
export async function schemaState(
  db: Db,
  databaseName: string,
  steps: Steps = migrations,
): Promise<SchemaState> {
  const tables = await tablesOf(db, await schemaOf(db));
  const taken = await stepsIn(db, tables, STEP_TABLE);
  const newer = taken.filter((name) => !Object.hasOwn(steps, name));
  const pending = Object.keys(steps).filter((name) => !taken.includes(name));
  if (newer.length > 0 && (pending.length > 0 || !(await allows(db, steps)))) {
    throw new StorageUnavailable(
      `${databaseName} was written by a newer version of whence (its schema has ${newer.join(', ')}); ` +
        'run that version, or use another database',
    );
  }
  return { isEmpty: taken.length === 0, pending, newer };
}

async function allows(db: Db, steps: Steps): Promise<boolean> {
  const { oldest_program } = await db
    .selectFrom('compatibility')
    .select('oldest_program')
    .executeTakeFirstOrThrow();
  return Object.hasOwn(steps, oldest_program);
}

export async function migrate(db: Db, steps: Steps = migrations): Promise<void> {
  const schema = await schemaOf(db);
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => ({ ...steps }) },
    migrationTableName: STEP_TABLE,
    migrationLockTableName: `${STEP_TABLE}_lock`,
    ...(schema === undefined ? {} : { migrationTableSchema: schema }),
  });
  const { error, results = [] } = await migrator.migrateToLatest();
  if (error === undefined) return;
  const failed = results.find(({ status }) => status === 'Error')?.migrationName;
  const step = failed === undefined ? '' : ` at ${failed}`;
  throw new StorageUnavailable(
    `the schema could not be brought up to date${step}: ${(error as Error).message}`,
    {
      cause: error,
    },
  );
}

/**
 * The schema that statements use: a PostgreSQL database may have several. Undefined on SQLite,
 * which has none.
 */
async function schemaOf(db: Db): Promise<string | undefined> {
  if (db.getExecutor().adapter instanceof SqliteAdapter) return undefined;
  const { rows } = await sql<{ schema: string }>`select current_schema() as schema`.execute(db);
  return rows[0]?.schema;
}

async function tablesOf(db: Db, schema: string | undefined): Promise<ReadonlySet<string>> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  return new Set(
    tables
      .filter((table) => schema === undefined || table.schema === schema)
      .map(({ name }) => name),
  );
}

async function stepsIn(db: Db, tables: ReadonlySet<string>, table: string): Promise<string[]> {
  if (!tables.has(table)) return [];
  const { rows } = await sql<{ name: string }>`select name from ${sql.table(table)}`.execute(db);
  return rows.map(({ name }) => name);
}
