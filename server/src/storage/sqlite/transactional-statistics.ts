/** Statistics on SQLite: a batch and its number in one transaction. */
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../schema.ts';
import {
  type Batch,
  HOUR_CHANGES,
  hourRows,
  KEY_USE_CHANGES,
  type KeyUse,
  keyUseRow,
  type StatisticsChanges,
  usageRows,
} from '../statistics-changes.ts';

/** Rows of one statement: eleven parameters each at most, and SQLite takes 32,766. */
const ROWS_PER_STATEMENT = 500;

export function transactionalStatistics(db: Db, now: RawBuilder<number>): StatisticsChanges {
  const addOnce = (batch: Batch, add: (transaction: Db) => Promise<void>) =>
    db.transaction().execute(async (transaction) => {
      if (await claim(transaction, now, batch)) await add(transaction);
    });
  return {
    async addUsage(batch, rows, uses) {
      await addOnce(batch, async (transaction) => {
        const key = ['key_id', 'day', 'endpoint', 'status_class'];
        await addRows(transaction, 'usage', usageRows(rows), key, increase('usage', 'requests'));
        for (const part of inParts([...uses])) await addUses(transaction, part);
        await addRows(
          transaction,
          'key_hours',
          hourRows(uses),
          ['key_id', 'hour', 'reason'],
          HOUR_CHANGES,
        );
      });
    },
    async addTraffic(batch, rows) {
      await addOnce(batch, (transaction) =>
        addRows(transaction, 'traffic', rows, ['hour', 'counter'], increase('traffic', 'count')),
      );
    },
  };
}

const increase = (table: string, column: string) =>
  `${column} = ${table}.${column} + excluded.${column}`;

/** A row whose key is in the table changes that row. */
async function addRows(
  db: Db,
  table: string,
  rows: readonly Readonly<Record<string, unknown>>[],
  key: readonly string[],
  changes: string,
): Promise<void> {
  for (const part of inParts(rows)) {
    const columns = Object.keys(part[0] ?? {});
    const values = part.map((row) => sql`(${sql.join(columns.map((column) => row[column]))})`);
    await sql`
      insert into ${sql.raw(table)} (${sql.raw(columns.join(', '))}) values ${sql.join(values)}
      on conflict (${sql.raw(key.join(', '))}) do update set ${sql.raw(changes)}`.execute(db);
  }
}

/** False if this batch or a later one of its writer is already stored. */
async function claim(db: Db, now: RawBuilder<number>, { writer, number }: Batch): Promise<boolean> {
  const claimed = await db
    .insertInto('writers')
    .values({ id: writer, last_batch: number, written_at: now })
    .onConflict((conflict) =>
      conflict
        .column('id')
        .doUpdateSet({ last_batch: number, written_at: now })
        .where('writers.last_batch', '<', number),
    )
    .returning('id')
    .executeTakeFirst();
  return claimed !== undefined;
}

async function addUses(
  db: Db,
  uses: readonly (readonly [id: string, use: KeyUse])[],
): Promise<void> {
  const rows = uses.map(([id, use]) => keyUseRow(id, use));
  const columns = Object.keys(rows[0] ?? {});
  const values = rows.map((row) => sql`(${sql.join(Object.values(row))})`);
  await sql`
    with seen (${sql.raw(columns.join(', '))}) as (values ${sql.join(values)})
    update keys set ${sql.raw(KEY_USE_CHANGES)} from seen where keys.id = seen.id`.execute(db);
}

function* inParts<Row>(rows: readonly Row[]): Generator<Row[]> {
  for (let i = 0; i < rows.length; i += ROWS_PER_STATEMENT)
    yield rows.slice(i, i + ROWS_PER_STATEMENT);
}
