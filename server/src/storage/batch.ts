/**
 * Statistics are added to what is stored, so a batch whose answer was lost must not be added again when it is repeated.
 * Each batch has a number, stored in the transaction that adds it. A repetition waits for the row of its writer while
 * the first attempt is still under way at the server, and then finds its number there.
 */
import type { RawBuilder } from 'kysely';
import type { Db } from './schema.ts';

/** Numbers of a writer grow; a batch that is repeated keeps its number and its content. */
export type Batch = { readonly writer: string; readonly number: number };

/** Runs `add` in a transaction, unless this batch, or a later one of its writer, is stored already. */
export async function addOnce(
  db: Db,
  now: RawBuilder<number>,
  { writer, number }: Batch,
  add: (transaction: Db) => Promise<void>,
): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    const claimed = await transaction
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
    if (claimed !== undefined) await add(transaction);
  });
}
