// Copies all data between two databases and compares the copy. Large tables come first, in parts;
// all others follow in one transaction, until which the target has the keys it had before. An
// interrupted copy starts anew.

import { sql } from 'kysely';
import type { Engine } from './engine.ts';
import type { Db } from './schema.ts';
import { contentOf, pagesOf, type Row, TABLE_NAMES, type TableName } from './tables.ts';

/** Processes report every ten seconds. */
const SEEN_MS = 30_000;
const LARGE_TABLES: readonly TableName[] = ['usage', 'report_rows'];

type CopiedTable = { readonly table: TableName; readonly rows: number };

type Step = 'copying' | 'comparing';
export type CopyProgress = (step: Step, table: TableName, rows: number) => void;

/** The copy differs from its source, because one of them changed during the copy. */
export class CopyMismatch extends Error {
  override name = 'CopyMismatch';
}

export async function copyStorage(
  source: Engine,
  target: Engine,
  progress: CopyProgress,
): Promise<CopiedTable[]> {
  const isLarge = (table: TableName) => LARGE_TABLES.includes(table);
  const copy = (into: Db, table: TableName) =>
    copyRows(source, { ...target, db: into }, table, (rows) => progress('copying', table, rows));
  for (const table of TABLE_NAMES.filter(isLarge)) {
    // Takes no longer with more rows. No trigger of this table has to see them.
    if (target.name === 'PostgreSQL') await sql`truncate ${sql.table(table)}`.execute(target.db);
    await copy(target.db, table);
  }
  await target.db.transaction().execute(async (transaction) => {
    for (const table of TABLE_NAMES.filter((name) => !isLarge(name)))
      await copy(transaction, table);
  });
  const copied: CopiedTable[] = [];
  for (const table of TABLE_NAMES) {
    const [before, after] = await Promise.all([
      contentOf(source.db, table, (rows) => progress('comparing', table, rows)),
      contentOf(target.db, table),
    ]);
    if (before.digest !== after.digest)
      throw new CopyMismatch(
        `${table}: ${before.rows} rows in ${source.place}, ${after.rows} in ${target.place}`,
      );
    copied.push({ table, rows: after.rows });
  }
  return copied;
}

async function copyRows(
  source: Engine,
  target: Engine,
  table: TableName,
  copied: (rows: number) => void,
): Promise<void> {
  await sql`delete from ${sql.table(table)}`.execute(target.db);
  let rows = 0;
  const pages = pagesOf(source.db, table);
  let next = pages.next();
  for (;;) {
    const { value: page, done } = await next;
    if (done === true) return;
    // The next page is read while this one is written.
    next = pages.next();
    // It is awaited in the next round, unless writing this page fails.
    next.catch(() => {});
    await insertPage(target, table, page);
    rows += page.length;
    copied(rows);
  }
}

/**
 * As JSON: a statement with a parameter for each value takes several times as long to make and to
 * send.
 */
async function insertPage(
  { name, db }: Engine,
  table: TableName,
  page: readonly Row[],
): Promise<void> {
  const columns = Object.keys(page[0] ?? {});
  const values =
    name === 'PostgreSQL'
      ? sql`select ${sql.join(columns.map((column) => sql.ref(column)))}
          from json_populate_recordset(null::${sql.table(table)}, ${JSON.stringify(page)})`
      : sql`select ${sql.join(columns.map((column) => sql`json_extract(value, ${sql.lit(`$."${column}"`)})`))}
          from json_each(${JSON.stringify(page)})`;
  const names = sql.join(columns.map((column) => sql.ref(column)));
  await sql`insert into ${sql.table(table)} (${names}) ${values}`.execute(db);
}

/** Ids of keys that only the target has: it belongs to another deployment. */
export async function foreignKeys(source: Engine, target: Engine): Promise<string[]> {
  const ids = async ({ db }: Engine) =>
    (await db.selectFrom('keys').select('id').execute()).map(({ id }) => id);
  const ours = new Set(await ids(source));
  return (await ids(target)).filter((id) => !ours.has(id));
}

/** Processes that have reported in the last 30 s, as `host, pid`. */
export async function processesUsing({ db, now }: Engine): Promise<string[]> {
  const rows = await db
    .selectFrom('processes')
    .select(['host', 'pid'])
    .where('stored_at', '>', sql<number>`${now} - ${sql.lit(SEEN_MS)}`)
    .execute();
  return rows.map(({ host, pid }) => `${host}, process ${pid}`);
}
