/** Accounts of the dashboard in storage. Roles are text here; their rules are in `accounts/`. */
import { findAll, findFirst, type Stored, toRow } from '../rows.ts';
import type { Db } from '../schema.ts';

/** `nameKey` is the name in the form in which it must be unique. */
export type StoredAccount = Stored<'accounts'>;

type ChangeOutcome = 'changed' | 'unknown' | 'last of its role';

export function accountStore(db: Db) {
  const findWhere = (column: 'id' | 'name_key' | 'provider_subject') => (value: string) =>
    findFirst<'accounts'>(db.selectFrom('accounts').selectAll().where(column, '=', value));
  return {
    /** False if another account has the name or the subject. */
    async insert(account: StoredAccount): Promise<boolean> {
      const { numInsertedOrUpdatedRows } = await db
        .insertInto('accounts')
        .values(toRow<'accounts'>(account))
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirst();
      return numInsertedOrUpdatedRows === 1n;
    },
    find: findWhere('id'),
    /** By `nameKey`. */
    findByName: findWhere('name_key'),
    findBySubject: findWhere('provider_subject'),
    async names(ids: readonly string[]): Promise<Map<string, string>> {
      if (ids.length === 0) return new Map();
      const rows = await db
        .selectFrom('accounts')
        .select(['id', 'name'])
        .where('id', 'in', ids)
        .execute();
      return new Map(rows.map(({ id, name }) => [id, name]));
    },
    /** Oldest first. */
    list: () =>
      findAll<'accounts'>(
        db.selectFrom('accounts').selectAll().orderBy('created_at').orderBy('id'),
      ),
    async isEmpty(): Promise<boolean> {
      return (
        (await db.selectFrom('accounts').select('id').limit(1).executeTakeFirst()) === undefined
      );
    },
    async setPassword(id: string, passwordHash: string): Promise<void> {
      await db
        .updateTable('accounts')
        .set({ password_hash: passwordHash })
        .where('id', '=', id)
        .execute();
    },
    async setLastSignIn(id: string, at: Date): Promise<void> {
      await db
        .updateTable('accounts')
        .set({ last_sign_in_at: at.getTime() })
        .where('id', '=', id)
        .execute();
    },
    /** Refused where it would leave no enabled account with role `keptRole`. */
    async change(
      id: string,
      {
        role,
        disabledAt,
        allowedDomains,
      }: { role?: string; disabledAt?: Date | null; allowedDomains?: string | null },
      keptRole: string,
    ): Promise<ChangeOutcome> {
      return db.transaction().execute(async (transaction) => {
        // Locks every account of the role, so that two administrators cannot demote each other at
        // once.
        const { numUpdatedRows } = await transaction
          .updateTable('accounts')
          .set((eb) => ({ role: eb.ref('role') }))
          .where((eb) => eb.or([eb('id', '=', id), eb('role', '=', keptRole)]))
          .executeTakeFirst();
        const rows = await transaction
          .selectFrom('accounts')
          .selectAll()
          .where('id', '=', id)
          .execute();
        const [before] = rows;
        if (numUpdatedRows === 0n || before === undefined) return 'unknown';
        const after = {
          role: role ?? before.role,
          disabled_at:
            disabledAt === undefined ? before.disabled_at : (disabledAt?.getTime() ?? null),
          allowed_domains: allowedDomains === undefined ? before.allowed_domains : allowedDomains,
        };
        const isKept = after.role === keptRole && after.disabled_at === null;
        if (before.role === keptRole && before.disabled_at === null && !isKept) {
          const other = await transaction
            .selectFrom('accounts')
            .select('id')
            .where('role', '=', keptRole)
            .where('disabled_at', 'is', null)
            .where('id', '!=', id)
            .executeTakeFirst();
          if (other === undefined) return 'last of its role';
        }
        await transaction.updateTable('accounts').set(after).where('id', '=', id).execute();
        return 'changed';
      });
    },
  };
}

export type AccountStore = ReturnType<typeof accountStore>;
