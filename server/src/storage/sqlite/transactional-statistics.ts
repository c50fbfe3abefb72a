/** Statistics on SQLite: a batch and its number in one transaction. */
import type { RawBuilder } from 'kysely';
import { sql } from '../kysely.ts';
import type { Db } from '../schema.ts';
import {
  type Batch,
  KEY_USE_CHANGES,
  type KeyUse,
  keyUseRow,
  REFUSAL_CHANGES,
  refusalRows,
  type StatisticsChanges,
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
        for (const part of inParts(rows)) {
          await transaction
            .insertInto('usage')
            .values(
              part.map(({ keyId, day, endpoint, statusClass, requests }) => ({
                key_id: keyId,
                day,
                endpoint,
                status_class: statusClass,
                requests,
              })),
            )
            .onConflict((conflict) =>
              conflict
                .columns(['key_id', 'day', 'endpoint', 'status_class'])
                .doUpdateSet({ requests: sql<number>`usage.requests + excluded.requests` }),
            )
            .execute();
        }
        for (const part of inParts([...uses])) await addUses(transaction, part);
        for (const part of inParts(refusalRows(uses))) await addRefusals(transaction, part);
      });
    },
    async addTraffic(batch, rows) {
      await addOnce(batch, async (transaction) => {
        for (const part of inParts(rows)) {
          await transaction
            .insertInto('traffic')
            .values(part.map((row) => ({ ...row })))
            .onConflict((conflict) =>
              conflict.columns(['hour', 'counter']).doUpdateSet({ count: sql<number>`traffic.count + excluded.count` }),
            )
            .execute();
        }
      });
    },
    async addNetworks(batch, rows) {
      await addOnce(batch, async (transaction) => {
        for (const part of inParts(rows)) {
          await transaction
            .insertInto('networks')
            .values(part.map(({ day, asn, lookups }) => ({ day, asn, look_ups: lookups })))
            .onConflict((conflict) =>
              conflict
                .columns(['day', 'asn'])
                .doUpdateSet({ look_ups: sql<number>`networks.look_ups + excluded.look_ups` }),
            )
            .execute();
        }
      });
    },
  };
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

async function addUses(db: Db, uses: readonly (readonly [id: string, use: KeyUse])[]): Promise<void> {
  const rows = uses.map(([id, use]) => keyUseRow(id, use));
  const columns = Object.keys(rows[0] ?? {});
  const values = rows.map((row) => sql`(${sql.join(Object.values(row))})`);
  await sql`
    with seen (${sql.raw(columns.join(', '))}) as (values ${sql.join(values)})
    update keys set ${sql.raw(KEY_USE_CHANGES)} from seen where keys.id = seen.id`.execute(db);
}

async function addRefusals(db: Db, rows: ReturnType<typeof refusalRows>): Promise<void> {
  const columns = Object.keys(rows[0] ?? {});
  const values = rows.map((row) => sql`(${sql.join(Object.values(row))})`);
  await sql`
    insert into key_refusals (${sql.raw(columns.join(', '))}) values ${sql.join(values)}
    on conflict (key_id, hour, reason) do update set ${sql.raw(REFUSAL_CHANGES)}`.execute(db);
}

function* inParts<Row>(rows: readonly Row[]): Generator<Row[]> {
  for (let i = 0; i < rows.length; i += ROWS_PER_STATEMENT) yield rows.slice(i, i + ROWS_PER_STATEMENT);
}
