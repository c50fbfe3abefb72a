/** Runs of domain checks in the dashboard: the list of each, and what was found out about its domains so far. */
import { fromRow, type Stored, toRow } from '../rows.ts';
import type { Db } from '../schema.ts';

/** The oldest run of an account goes when there are more. */
export const MAX_RUNS = 20;
/** For a page that has claimed a domain to ask for its check, unless it is left before. */
const CLAIM_MS = 10_000;
/** Longer than a check takes, with its wait. A process that ends during a check releases its claim this way. */
const CHECK_MS = 60_000;
/** Runs that one call of `prune` removes, each of up to a thousand domains. */
const PRUNED_RUNS = 50;

export type StoredRun = Stored<'domain_runs'>;
/** `result`: JSON, absent while the domain is not checked. */
export type RunDomain = { readonly domain: string; readonly result: string | undefined };

export function runStore(db: Db) {
  const removeAll = async (on: Db, ids: readonly string[]) => {
    if (ids.length === 0) return;
    await on.deleteFrom('run_domains').where('run_id', 'in', ids).execute();
    await on.deleteFrom('domain_runs').where('id', 'in', ids).execute();
  };
  const ofAccount = (on: Db, accountId: string) =>
    on.selectFrom('domain_runs').selectAll().where('account_id', '=', accountId).orderBy('created_at', 'desc');
  const at = (on: Db, runId: string, position?: number) =>
    on
      .selectFrom('run_domains')
      .select(['domain', 'result'])
      .where('run_id', '=', runId)
      .$if(position !== undefined, (query) => query.where('position', '=', position ?? 0));
  const change = (on: Db, runId: string, position: number) =>
    on.updateTable('run_domains').where('run_id', '=', runId).where('position', '=', position);
  const count = (on: Db, runId: string, added: number) =>
    on
      .updateTable('domain_runs')
      .set((eb) => ({ checked: eb('checked', '+', added) }))
      .where('id', '=', runId)
      .execute();

  return {
    insert: (run: StoredRun, domains: readonly string[]): Promise<void> =>
      db.transaction().execute(async (transaction) => {
        await transaction.insertInto('domain_runs').values(toRow<'domain_runs'>(run)).execute();
        const rows = domains.map((domain, position) => ({ run_id: run.id, position, domain, claimed_until: 0 }));
        await transaction.insertInto('run_domains').values(rows).execute();
        const old = await ofAccount(transaction, run.accountId).limit(MAX_RUNS).offset(MAX_RUNS).execute();
        await removeAll(
          transaction,
          old.map(({ id }) => id),
        );
      }),
    /** The latest first. */
    async list(accountId: string): Promise<StoredRun[]> {
      const rows = await ofAccount(db, accountId).limit(MAX_RUNS).execute();
      return rows.map(fromRow<'domain_runs'>);
    },
    async find(accountId: string, id: string): Promise<StoredRun | undefined> {
      const row = await ofAccount(db, accountId).where('id', '=', id).executeTakeFirst();
      return row && fromRow<'domain_runs'>(row);
    },
    async domains(runId: string): Promise<RunDomain[]> {
      const rows = await at(db, runId).orderBy('position').execute();
      return rows.map(({ domain, result }) => ({ domain, result: result ?? undefined }));
    },
    async domain(runId: string, position: number): Promise<RunDomain | undefined> {
      const row = await at(db, runId, position).executeTakeFirst();
      return row && { domain: row.domain, result: row.result ?? undefined };
    },
    /** The position of the next domain without a result, for one caller only; undefined if all have one or are claimed. */
    async claim(runId: string, now: Date): Promise<number | undefined> {
      for (;;) {
        const next = await db
          .selectFrom('run_domains')
          .select('position')
          .where('run_id', '=', runId)
          .where('result', 'is', null)
          .where('claimed_until', '<=', now.getTime())
          .orderBy('position')
          .limit(1)
          .executeTakeFirst();
        if (next === undefined) return undefined;
        const { numUpdatedRows } = await change(db, runId, next.position)
          .set({ claimed_until: now.getTime() + CLAIM_MS })
          .where('claimed_until', '<=', now.getTime())
          .executeTakeFirst();
        // Otherwise another caller was faster.
        if (numUpdatedRows === 1n) return next.position;
      }
    },
    /** False if another page has begun: its claim ended while this one waited. */
    async begin(runId: string, position: number, now: Date): Promise<boolean> {
      const { numUpdatedRows } = await change(db, runId, position)
        .set({ claimed_until: now.getTime() + CHECK_MS })
        .where('claimed_until', '<=', now.getTime() + CLAIM_MS)
        .executeTakeFirst();
      return numUpdatedRows === 1n;
    },
    /** For a check that failed: the domain is the next again. */
    async release(runId: string, position: number): Promise<void> {
      await change(db, runId, position).set({ claimed_until: 0 }).execute();
    },
    /** The first result of a domain stays. */
    save: (runId: string, position: number, result: string): Promise<void> =>
      db.transaction().execute(async (transaction) => {
        const { numUpdatedRows } = await change(transaction, runId, position)
          .set({ result })
          .where('result', 'is', null)
          .executeTakeFirst();
        await count(transaction, runId, Number(numUpdatedRows));
      }),
    /** Forgets results that begin with this text. */
    forget: (runId: string, beginning: string): Promise<void> =>
      db.transaction().execute(async (transaction) => {
        const { numUpdatedRows } = await transaction
          .updateTable('run_domains')
          .set({ result: null, claimed_until: 0 })
          .where('run_id', '=', runId)
          .where('result', 'like', `${beginning}%`)
          .executeTakeFirst();
        await count(transaction, runId, -Number(numUpdatedRows));
      }),
    remove: (id: string): Promise<void> => db.transaction().execute((transaction) => removeAll(transaction, [id])),
    /** Removes runs from before this time, and returns how many. */
    prune: (before: Date): Promise<number> =>
      db.transaction().execute(async (transaction) => {
        const old = await transaction
          .selectFrom('domain_runs')
          .select('id')
          .where('created_at', '<', before.getTime())
          .limit(PRUNED_RUNS)
          .execute();
        await removeAll(
          transaction,
          old.map(({ id }) => id),
        );
        return old.length;
      }),
  };
}

export type RunStore = ReturnType<typeof runStore>;
