/** The tables that are copied and compared when storage moves, with their primary keys. */
import { createHash } from 'node:crypto';
import { sql } from './kysely.ts';
import type { Db } from './schema.ts';

/**
 * Left out are `processes` and `writers`, which describe running processes, `key_counts` and `key_changes`, which triggers keep,
 * `registrations`, which is a cache, and the tables of Kysely and of migrations, which belong to each database.
 */
const TABLES = {
  keys: ['id'],
  key_words: ['word', 'key_id'],
  revisions: ['id'],
  quota: ['key_id', 'day'],
  leases: ['key_id', 'day', 'owner'],
  recalls: ['number'],
  usage: ['key_id', 'day', 'endpoint', 'status_class'],
  accounts: ['id'],
  sessions: ['id'],
  links: ['id'],
  audit: ['id'],
  traffic: ['hour', 'counter'],
  networks: ['day', 'asn'],
  maintenance: ['id'],
} as const satisfies { readonly [Table: string]: readonly string[] };

export type TableName = keyof typeof TABLES;
export const TABLE_NAMES = Object.keys(TABLES) as TableName[];

type Row = Readonly<Record<string, string | number | null>>;

const ROWS_PER_PAGE = 500;

/** All rows in primary key order, a page at a time. */
export async function* pagesOf(db: Db, table: TableName): AsyncGenerator<Row[]> {
  const columns = TABLES[table].map((column) => sql.ref(column));
  let after: Row | undefined;
  for (;;) {
    const last = after;
    const isBeyond =
      last === undefined
        ? sql`true`
        : sql`(${sql.join(columns)}) > (${sql.join(TABLES[table].map((column) => typed(last[column])))})`;
    const { rows } = await sql<Row>`
      select * from ${sql.table(table)} where ${isBeyond} order by ${sql.join(columns)} limit ${sql.lit(ROWS_PER_PAGE)}
    `.execute(db);
    if (rows.length > 0) yield rows;
    if (rows.length < ROWS_PER_PAGE) return;
    after = rows.at(-1);
  }
}

/** In a row comparison, PostgreSQL would treat an untyped number as text. */
const typed = (value: Row[string] | undefined) =>
  typeof value === 'number' ? sql`cast(${value} as bigint)` : sql`${value}`;

export type Content = { readonly rows: number; readonly digest: string };

/** The digest does not depend on row order, which differs between engines because their collations differ. */
export async function contentOf(db: Db, table: TableName): Promise<Content> {
  let rows = 0;
  let sum = 0n;
  for await (const page of pagesOf(db, table)) {
    for (const row of page) {
      const text = JSON.stringify(Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1)));
      sum += BigInt(`0x${createHash('sha256').update(text).digest('hex')}`);
    }
    rows += page.length;
  }
  return { rows, digest: BigInt.asUintN(256, sum).toString(16) };
}
