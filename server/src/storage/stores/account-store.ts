/** Accounts of the dashboard in storage. Roles are text here; their rules are in `accounts/`. */
import type { Selectable } from 'kysely';
import type { Db, Schema } from '../schema.ts';

export type StoredAccount = {
  readonly id: string;
  readonly name: string;
  /** The name in the form in which it must be unique. */
  readonly nameKey: string;
  readonly passwordHash?: string;
  /** Issuer and subject of OpenID Connect. */
  readonly providerSubject?: string;
  readonly role: string;
  readonly createdAt: Date;
  readonly lastSignInAt?: Date;
  readonly disabledAt?: Date;
};

type ChangeOutcome = 'changed' | 'unknown' | 'last of its role';

export type AccountStore = {
  /** False if another account has the name or the subject. */
  insert(account: StoredAccount): Promise<boolean>;
  find(id: string): Promise<StoredAccount | undefined>;
  findByName(nameKey: string): Promise<StoredAccount | undefined>;
  findBySubject(providerSubject: string): Promise<StoredAccount | undefined>;
  /** Names of those that exist, by id. */
  names(ids: readonly string[]): Promise<Map<string, string>>;
  /** Oldest first. */
  list(): Promise<StoredAccount[]>;
  isEmpty(): Promise<boolean>;
  setPassword(id: string, passwordHash: string): Promise<void>;
  setLastSignIn(id: string, at: Date): Promise<void>;
  /**
   * Changes the role, or disables or enables. Refused where it would leave no account with role `keptRole` that is not
   * disabled.
   */
  change(id: string, change: { role?: string; disabledAt?: Date | null }, keptRole: string): Promise<ChangeOutcome>;
};

export function accountStore(db: Db): AccountStore {
  const findWhere = async (column: 'id' | 'name_key' | 'provider_subject', value: string) => {
    const row = await db.selectFrom('accounts').selectAll().where(column, '=', value).executeTakeFirst();
    return row && fromRow(row);
  };
  return {
    async insert({ id, name, nameKey, passwordHash, providerSubject, role, createdAt }) {
      const { numInsertedOrUpdatedRows } = await db
        .insertInto('accounts')
        .values({
          id,
          name,
          name_key: nameKey,
          password_hash: passwordHash ?? null,
          provider_subject: providerSubject ?? null,
          role,
          created_at: createdAt.getTime(),
        })
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirst();
      return numInsertedOrUpdatedRows === 1n;
    },
    find: (id) => findWhere('id', id),
    findByName: (nameKey) => findWhere('name_key', nameKey),
    findBySubject: (providerSubject) => findWhere('provider_subject', providerSubject),
    async names(ids) {
      if (ids.length === 0) return new Map();
      const rows = await db.selectFrom('accounts').select(['id', 'name']).where('id', 'in', ids).execute();
      return new Map(rows.map(({ id, name }) => [id, name]));
    },
    async list() {
      const rows = await db.selectFrom('accounts').selectAll().orderBy('created_at').orderBy('id').execute();
      return rows.map(fromRow);
    },
    async isEmpty() {
      return (await db.selectFrom('accounts').select('id').limit(1).executeTakeFirst()) === undefined;
    },
    async setPassword(id, passwordHash) {
      await db.updateTable('accounts').set({ password_hash: passwordHash }).where('id', '=', id).execute();
    },
    async setLastSignIn(id, at) {
      await db.updateTable('accounts').set({ last_sign_in_at: at.getTime() }).where('id', '=', id).execute();
    },
    async change(id, { role, disabledAt }, keptRole) {
      return db.transaction().execute(async (transaction) => {
        // Locks every account of the role, so that two administrators cannot demote each other at once.
        const { numUpdatedRows } = await transaction
          .updateTable('accounts')
          .set((eb) => ({ role: eb.ref('role') }))
          .where((eb) => eb.or([eb('id', '=', id), eb('role', '=', keptRole)]))
          .executeTakeFirst();
        const rows = await transaction.selectFrom('accounts').selectAll().where('id', '=', id).execute();
        const [before] = rows;
        if (numUpdatedRows === 0n || before === undefined) return 'unknown';
        const after = {
          role: role ?? before.role,
          disabled_at: disabledAt === undefined ? before.disabled_at : (disabledAt?.getTime() ?? null),
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

function fromRow(row: Selectable<Schema['accounts']>): StoredAccount {
  return {
    id: row.id,
    name: row.name,
    nameKey: row.name_key,
    role: row.role,
    createdAt: new Date(row.created_at),
    ...(row.password_hash === null ? {} : { passwordHash: row.password_hash }),
    ...(row.provider_subject === null ? {} : { providerSubject: row.provider_subject }),
    ...(row.last_sign_in_at === null ? {} : { lastSignInAt: new Date(row.last_sign_in_at) }),
    ...(row.disabled_at === null ? {} : { disabledAt: new Date(row.disabled_at) }),
  };
}
