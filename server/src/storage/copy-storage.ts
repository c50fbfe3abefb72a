/**
 * Copies all data between two databases, of either engine, and compares the copy. The target changes in one transaction
 * that replaces its content, so a copy can be repeated.
 */

import type { Engine } from './engine.ts';
import { sql } from './kysely.ts';
import { type Content, contentOf, pagesOf, TABLE_NAMES, type TableName } from './tables.ts';

/** With at most 35 columns per row, this stays far below the parameter limit of both engines. */
const ROWS_PER_STATEMENT = 250;
/** Processes report every ten seconds. */
const SEEN_MS = 30_000;

type CopiedTable = { readonly table: TableName; readonly rows: number };

/** The copy differs from its source, because one of them changed during the copy. */
export class CopyMismatch extends Error {
  override name = 'CopyMismatch';
}

export async function copyStorage(source: Engine, target: Engine): Promise<CopiedTable[]> {
  await target.db.transaction().execute(async (transaction) => {
    for (const table of TABLE_NAMES) {
      await sql`delete from ${sql.table(table)}`.execute(transaction);
      for await (const page of pagesOf(source.db, table)) {
        for (let i = 0; i < page.length; i += ROWS_PER_STATEMENT) {
          await transaction
            .insertInto(table)
            // Both tables have the same columns, which TypeScript cannot infer.
            .values(page.slice(i, i + ROWS_PER_STATEMENT) as never)
            .execute();
        }
      }
    }
  });
  const copied: CopiedTable[] = [];
  for (const table of TABLE_NAMES) {
    const [before, after]: [Content, Content] = [await contentOf(source.db, table), await contentOf(target.db, table)];
    if (before.digest !== after.digest) {
      throw new CopyMismatch(`${table}: ${before.rows} rows in ${source.place}, ${after.rows} in ${target.place}`);
    }
    copied.push({ table, rows: after.rows });
  }
  return copied;
}

/** Ids of keys that only the target has: it belongs to another deployment. */
export async function foreignKeys(source: Engine, target: Engine): Promise<string[]> {
  const ids = async ({ db }: Engine) => (await db.selectFrom('keys').select('id').execute()).map(({ id }) => id);
  const ours = new Set(await ids(source));
  return (await ids(target)).filter((id) => !ours.has(id));
}

/** Processes that have reported in the last 30 s, as `host, pid`. */
export async function processesUsing({ db, now }: Engine): Promise<string[]> {
  const rows = await db
    .selectFrom('processes')
    .select(['host', 'pid'])
    .where('seen_at', '>', sql<number>`${now} - ${sql.lit(SEEN_MS)}`)
    .execute();
  return rows.map(({ host, pid }) => `${host}, process ${pid}`);
}
