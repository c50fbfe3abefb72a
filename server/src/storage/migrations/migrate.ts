/** Brings a database to the schema of this program, with Kysely's Migrator. */
import { Migrator } from '../kysely.ts';
import type { Db } from '../schema.ts';
import { StorageUnavailable } from '../storage-unavailable.ts';
import { migrations } from './migrations.ts';

/** Steps that the database has not taken. Reads only. Throws for a schema that is newer than this program. */
export async function pendingMigrations(db: Db, databaseName: string): Promise<string[]> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  const isRecorded = tables.some(({ name }) => name === 'kysely_migration');
  const rows = isRecorded ? await db.selectFrom('kysely_migration').select('name').execute() : [];
  const taken = rows.map(({ name }) => name);
  const unknown = taken.filter((name) => !Object.hasOwn(migrations, name));
  if (unknown.length > 0) {
    throw new StorageUnavailable(
      `${databaseName} was written by a newer version of whence (its schema has ${unknown.join(', ')}); ` +
        'run that version, or use another database',
    );
  }
  return Object.keys(migrations).filter((name) => !taken.includes(name));
}

export async function migrate(db: Db): Promise<void> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => ({ ...migrations }) } });
  const { error, results = [] } = await migrator.migrateToLatest();
  if (error === undefined) return;
  const failed = results.find(({ status }) => status === 'Error')?.migrationName;
  const step = failed === undefined ? '' : ` at ${failed}`;
  throw new StorageUnavailable(`the schema could not be brought up to date${step}: ${(error as Error).message}`, {
    cause: error,
  });
}
