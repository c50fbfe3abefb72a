/**
 * Brings a database to the schema of this program, with Kysely's Migrator.
 *
 * During an upgrade, replicas of two versions share a database. A step that only adds (expand) leaves `oldest_program`
 * as it is: programs that do not know the step work on beside it. A step that takes away what they use (contract), in a
 * later release, raises it with `requireStep`, and programs that do not know the step named there refuse to start.
 */
import type { Migration } from 'kysely';
import { Migrator, SqliteAdapter, sql } from '../kysely.ts';
import type { Db } from '../schema.ts';
import { StorageUnavailable } from '../storage-unavailable.ts';
import { migrations } from './migrations.ts';

const [FIRST_STEP = ''] = Object.keys(migrations);

export type Steps = Readonly<Record<string, Migration>>;

/** Where the steps are recorded. Kysely's own name, which another application in the same database may use too. */
const USUAL_TABLE = 'kysely_migration';
/** Used if that table has steps of another application, and none of ours. */
const OWN_TABLE = 'whence_migration';

type SchemaState = {
  /** No step was ever taken. */
  readonly isEmpty: boolean;
  /** Steps that the database has not taken, in order. */
  readonly pending: readonly string[];
  /** Steps of newer programs, with which this one can work. */
  readonly newer: readonly string[];
};

/** Reads only. Throws for a schema with which this program cannot work. */
export async function schemaState(db: Db, databaseName: string, steps: Steps = migrations): Promise<SchemaState> {
  const tables = await tablesOf(db, await schemaOf(db));
  const taken = await stepsIn(db, tables, await stepTable(db, tables));
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
  const schema = await schemaOf(db);
  const migrationTableName = await stepTable(db, await tablesOf(db, schema));
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => ({ ...steps }) },
    migrationTableName,
    migrationLockTableName: `${migrationTableName}_lock`,
    ...(schema === undefined ? {} : { migrationTableSchema: schema }),
  });
  const { error, results = [] } = await migrator.migrateToLatest();
  if (error === undefined) return;
  const failed = results.find(({ status }) => status === 'Error')?.migrationName;
  const step = failed === undefined ? '' : ` at ${failed}`;
  throw new StorageUnavailable(`the schema could not be brought up to date${step}: ${(error as Error).message}`, {
    cause: error,
  });
}

/** The schema that statements use: a PostgreSQL database may have several. Undefined on SQLite, which has none. */
async function schemaOf(db: Db): Promise<string | undefined> {
  if (db.getExecutor().adapter instanceof SqliteAdapter) return undefined;
  const { rows } = await sql<{ schema: string }>`select current_schema() as schema`.execute(db);
  return rows[0]?.schema;
}

async function tablesOf(db: Db, schema: string | undefined): Promise<ReadonlySet<string>> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  return new Set(tables.filter((table) => schema === undefined || table.schema === schema).map(({ name }) => name));
}

async function stepsIn(db: Db, tables: ReadonlySet<string>, table: string): Promise<string[]> {
  if (!tables.has(table)) return [];
  const { rows } = await sql<{ name: string }>`select name from ${sql.table(table)}`.execute(db);
  return rows.map(({ name }) => name);
}

/** The first step of every Whence database has the same name. */
async function stepTable(db: Db, tables: ReadonlySet<string>): Promise<string> {
  const usual = await stepsIn(db, tables, USUAL_TABLE);
  const isForeign = usual.length > 0 && !usual.includes(FIRST_STEP);
  return isForeign ? OWN_TABLE : USUAL_TABLE;
}
