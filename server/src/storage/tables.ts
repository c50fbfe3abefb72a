/**
 * The tables that are copied and compared when storage moves, with their primary keys; pages of
 * their rows, and removal of old ones.
 */
import { sql } from 'kysely';
import { type Db, TABLES as SCHEMA } from './schema.ts';

type AnyTable = keyof typeof SCHEMA;
/** Rows of running processes, and the tables of migrations. */
const NOT_COPIED = ['processes', 'writers', 'compatibility'] as const;
export type TableName = Exclude<AnyTable, (typeof NOT_COPIED)[number]>;
const isCopied = (table: string): table is TableName =>
  !(NOT_COPIED as readonly string[]).includes(table);
export const TABLE_NAMES: readonly TableName[] = Object.keys(SCHEMA).filter(isCopied);

/** Columns that identify a row of a table without a primary key. */
const KEYS: { readonly [Table in AnyTable]?: readonly string[] } = {
  report_rows: ['report', 'shape', 'address'],
};

function keyOf(table: AnyTable): readonly string[] {
  const key = KEYS[table];
  if (key !== undefined) return key;
  const columns = Object.entries<string>(SCHEMA[table]);
  const [, listed] = columns.find(([name]) => name.endsWith('primary key')) ?? [];
  if (listed !== undefined) return listed.split(', ');
  return columns
    .filter(([, definition]) => definition.endsWith('primary key'))
    .map(([name]) => name);
}

export type Row = Readonly<Record<string, string | number | null>>;

/** A few hundred kilobytes. */
const ROWS_PER_PAGE = 5_000;

/** All rows in the order of their key, a page at a time. */
export async function* pagesOf(db: Db, table: TableName): AsyncGenerator<Row[], undefined> {
  const key = keyOf(table);
  const columns = key.map((column) => sql.ref(column));
  let after: Row | undefined;
  for (;;) {
    const last = after;
    const isBeyond =
      last === undefined
        ? sql`true`
        : sql`(${sql.join(columns)}) > (${sql.join(key.map((column) => typed(last[column])))})`;
    const { rows } = await sql<Row>`
      select * from ${sql.table(table)} where ${isBeyond} order by ${sql.join(columns)} limit ${sql.lit(ROWS_PER_PAGE)}
    `.execute(db);
    if (rows.length > 0) yield rows;
    if (rows.length < ROWS_PER_PAGE) return undefined;
    after = rows.at(-1);
  }
}

/** Removes rows whose `column` is less than a value, at most `limit`, and returns how many. */
export async function pruneRows(
  db: Db,
  table: TableName,
  column: string,
  before: string | number,
  limit: number,
): Promise<number> {
  const key = sql.join(keyOf(table).map((name) => sql.ref(name)));
  const { numAffectedRows = 0n } = await sql`
    delete from ${sql.table(table)} where (${key}) in (
      select ${key} from ${sql.table(table)} where ${sql.ref(column)} < ${before} limit ${sql.lit(limit)}
    )`.execute(db);
  return Number(numAffectedRows);
}

/** In a row comparison, PostgreSQL would treat an untyped number as text. */
const typed = (value: Row[string] | undefined) =>
  typeof value === 'number' ? sql`cast(${value} as bigint)` : sql`${value}`;

type Content = { readonly rows: number; readonly digest: string };

/**
 * Independent of row order, because collations differ. To find missing rows, not forged ones, 64
 * bits are enough.
 */
export async function contentOf(
  db: Db,
  table: TableName,
  progress: (rows: number) => void = () => {},
): Promise<Content> {
  let rows = 0;
  let low = 0;
  let high = 0;
  for await (const page of pagesOf(db, table)) {
    const columns = Object.keys(page[0] ?? {}).sort();
    for (const row of page) {
      const text = JSON.stringify(columns.map((column) => row[column]));
      // FNV-1a twice, from different offsets.
      let a = 0x811c9dc5;
      let b = 0x01000193;
      for (let i = 0; i < text.length; i++) {
        const unit = text.charCodeAt(i);
        a = Math.imul(a ^ unit, 0x01000193);
        b = Math.imul(b ^ unit, 0x85ebca6b) ^ (b >>> 13);
      }
      low = (low + a) | 0;
      high = (high + b) | 0;
    }
    rows += page.length;
    progress(rows);
  }
  return { rows, digest: `${rows} ${low} ${high}` };
}
