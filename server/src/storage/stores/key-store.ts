/**
 * API keys in storage. Tier, permissions and networks are text here; their rules are in `keys/`.
 */
import type { Insertable, Selectable, Updateable } from 'kysely';
import { present } from '../../present.ts';
import type { RefusalReason } from '../../vocabulary.ts';
import type { ReadKeyChanges } from '../key-changes.ts';
import { type CamelCase, copyColumns, type Stored, toRow } from '../rows.ts';
import type { Db, Schema } from '../schema.ts';
import { pruneRows } from '../tables.ts';
import { foldForSearch, nameKeyOf } from './key-names.ts';

/**
 * `masked` is the secret as it is shown, `whence_ab12…wxyz`; `ownerId` is absent for keys of the
 * command line.
 */
export type StoredKey = CopiedColumns & {
  readonly permissions: readonly string[];
  /** CIDR prefixes; absent for any client. */
  readonly allowedNetworks?: readonly string[];
  /** Absent for all domains. */
  readonly allowedDomains?: readonly string[];
  readonly firstUse?: FirstUse;
  /** Absent for a key that is revoked. */
  readonly scheduledRevocation?: ScheduledRevocation;
  /**
   * Requests that were refused since the key was last revoked, paused or resumed; absent if there
   * was none.
   */
  readonly refused?: Refused;
};

/** Columns that are combined to one value or split into several, or that only the list needs. */
const NOT_COPIED = [
  'permissions',
  'allowed_networks',
  'allowed_domains',
  'first_used_at',
  'first_used_from',
  'first_used_status',
  'refused_requests',
  'last_refused_at',
  'last_refused_from',
  'revoke_at',
  'revoke_by',
  'revision',
  'name_key',
  'name_folded',
  'day_requests',
] as const;
/** Queries of the list add the last one. */
const OMITTED: ReadonlySet<string> = new Set([...NOT_COPIED, 'sort_value']);
type CopiedColumns = Omit<Stored<'keys'>, CamelCase<(typeof NOT_COPIED)[number]>>;

export type FirstUse = { readonly at: Date; readonly from: string; readonly status: number };
export type Refused = {
  readonly requests: number;
  readonly lastAt: Date;
  readonly lastFrom?: string;
};
/** Requests that were refused for one reason in an hour (its start, in milliseconds since 1970). */
export type RefusalCount = {
  readonly hour: number;
  readonly reason: RefusalReason;
  readonly requests: number;
  readonly lastAt: Date;
  /** What the last one came from or lacked: a client address or a permission. */
  readonly detail?: string;
};
/** `by` is the name of who scheduled it. Requests are refused from `at` on. */
type ScheduledRevocation = { readonly at: Date; readonly by: string };

/** What is changed; null removes an attribute. */
export type KeyChange = Partial<Pick<StoredKey, 'name' | 'tier' | 'permissions'>> & {
  readonly [Name in OptionalAttribute]?: StoredKey[Name] | null;
};
type OptionalAttribute =
  | ('note' | 'expiresAt' | 'pausedAt' | 'scheduledRevocation')
  | ('allowedNetworks' | 'allowedDomains' | 'requestsPerSecond' | 'dailyLimit');

/**
 * For the keys of one owner. `created` counts those created since then, revoked ones too: each
 * brings a daily limit.
 */
export type KeyLimits = { readonly active: number; readonly created: number; readonly since: Date };
export type TooManyKeys = 'too many active' | 'too many created';

export type ChangeOutcome =
  | { readonly before: StoredKey; readonly after: StoredKey }
  | 'revoked'
  | 'unknown';
export type RevokeOutcome = 'revoked' | 'already revoked' | 'unknown';

const IDS_PER_STATEMENT = 10_000;

/** Changes are made through `writes`. */
export function keyStore(db: Db, writes: Db, changes: ReadKeyChanges) {
  return {
    ...storedKeys(db),
    ...keyInserts(writes),
    ...keyChanges(writes),
    ...keyHours(db),
    changes,
  };
}

export type KeyStore = ReturnType<typeof keyStore>;

function storedKeys(db: Db) {
  const findWhere = (column: 'id' | 'hash') => async (value: string) => {
    const row = await db
      .selectFrom('keys')
      .selectAll()
      .where(column, '=', value)
      .executeTakeFirst();
    return row && fromRow(row);
  };
  const all = () => db.selectFrom('keys').selectAll();
  const listOf = async (query: ReturnType<typeof all>) => (await query.execute()).map(fromRow);
  return {
    async hasPermission(permission: string): Promise<boolean> {
      const active = db.selectFrom('keys').select('id').where('revoked_at', 'is', null).limit(1);
      return (
        (await active.where('permissions', 'like', `%${permission}%`).executeTakeFirst()) !==
        undefined
      );
    },
    findByHash: findWhere('hash'),
    find: findWhere('id'),
    /** Those that exist, in no order. */
    async findAll(ids: readonly string[]): Promise<StoredKey[]> {
      const keys: StoredKey[] = [];
      for (let i = 0; i < ids.length; i += IDS_PER_STATEMENT) {
        keys.push(...(await listOf(all().where('id', 'in', ids.slice(i, i + IDS_PER_STATEMENT)))));
      }
      return keys;
    },
    findByMasked: (masked: string) => listOf(all().where('masked', '=', masked)),
    async successorsOf(ids: readonly string[]): Promise<StoredKey[]> {
      if (ids.length === 0) return [];
      return listOf(all().where('predecessor_id', 'in', ids));
    },
    async idsOf(ownerId: string): Promise<string[]> {
      const rows = await db
        .selectFrom('keys')
        .select('id')
        .where('owner_id', '=', ownerId)
        .execute();
      return rows.map(({ id }) => id);
    },
    async idsWithLimitBelow(limit: number): Promise<string[]> {
      const active = db.selectFrom('keys').select('id').where('revoked_at', 'is', null);
      return (await active.where('daily_limit', '<', limit).execute()).map(({ id }) => id);
    },
    async isEmpty(): Promise<boolean> {
      return (await db.selectFrom('keys').select('id').limit(1).executeTakeFirst()) === undefined;
    },
    list: () => listOf(all().orderBy('created_at').orderBy('id')),
    dueForRevocation: (now: Date, limit: number) =>
      listOf(all().where('revoke_at', '<=', now.getTime()).orderBy('revoke_at').limit(limit)),
  };
}

function keyInserts(writes: Db) {
  return {
    /**
     * Inserts it if there is no key at all. Of several callers at once, in any process, one
     * succeeds.
     */
    async insertFirst(key: StoredKey): Promise<boolean> {
      return writes.transaction().execute(async (transaction) => {
        const revision = await moveRevision(transaction);
        const anyKey = await transaction
          .selectFrom('keys')
          .select('id')
          .limit(1)
          .executeTakeFirst();
        if (anyKey !== undefined) return false;
        await insertRow(transaction, key, revision);
        return true;
      });
    },
    /**
     * Refused above the owner's `limits` or if the predecessor has an active successor, also for
     * callers at once.
     */
    async insert(
      key: StoredKey,
      limits?: KeyLimits,
    ): Promise<'inserted' | TooManyKeys | 'has successor'> {
      return writes.transaction().execute(async (transaction) => {
        // Callers wait for each other here, so that each counts the keys of the one before.
        const revision = await moveRevision(transaction);
        const { ownerId, predecessorId } = key;
        if (predecessorId !== undefined) {
          const active = transaction.selectFrom('keys').where('revoked_at', 'is', null);
          const successor = active
            .where('predecessor_id', '=', predecessorId)
            .select('id')
            .limit(1);
          if ((await successor.executeTakeFirst()) !== undefined) return 'has successor';
        }
        const refused =
          limits && ownerId !== undefined ? await tooMany(transaction, ownerId, limits) : undefined;
        if (refused !== undefined) return refused;
        await insertRow(transaction, key, revision);
        return 'inserted';
      });
    },
  };
}

function keyChanges(writes: Db) {
  return {
    /**
     * Commits the revocation. Others accept the key until what they know has expired: see
     * `keys/vouching`.
     */
    async revoke(id: string, at: Date, by: string): Promise<RevokeOutcome> {
      return writes.transaction().execute(async (transaction) => {
        const revision = await moveRevision(transaction);
        const { numUpdatedRows } = await transaction
          .updateTable('keys')
          .set({
            revoked_at: at.getTime(),
            revoked_by: by,
            revoke_at: null,
            revoke_by: null,
            ...NONE_REFUSED,
            revision,
          })
          .where('id', '=', id)
          .where('revoked_at', 'is', null)
          .executeTakeFirst();
        if (numUpdatedRows === 0n) {
          const present = await transaction
            .selectFrom('keys')
            .select('id')
            .where('id', '=', id)
            .executeTakeFirst();
          return present === undefined ? 'unknown' : 'already revoked';
        }
        return 'revoked';
      });
    },
    /**
     * Commits what `decide` answers; other changes wait. Others use the old key for a while, as
     * after a revocation.
     */
    async change(id: string, decide: (key: StoredKey) => KeyChange): Promise<ChangeOutcome> {
      return writes.transaction().execute(async (transaction) => {
        const revision = await moveRevision(transaction);
        const row = await transaction
          .selectFrom('keys')
          .selectAll()
          .where('id', '=', id)
          .executeTakeFirst();
        if (row === undefined) return 'unknown';
        if (row.revoked_at !== null) return 'revoked';
        const before = fromRow(row);
        const change = decide(before);
        if (Object.keys(change).length === 0) return { before, after: before };
        const changed = await transaction
          .updateTable('keys')
          .set({ ...columnsOf(change), revision })
          .where('id', '=', id)
          .returningAll()
          .executeTakeFirstOrThrow();
        return { before, after: fromRow(changed) };
      });
    },
  };
}

/** Refusals and requests by hour, and alerts about the daily limit. */
function keyHours(db: Db) {
  return {
    async refusalsOf(id: string, sinceHour: number): Promise<RefusalCount[]> {
      const rows = await db
        .selectFrom('key_hours')
        .select(['hour', 'reason', 'requests', 'last_at', 'detail'])
        .where('key_id', '=', id)
        .where('reason', '!=', '')
        .where('hour', '>=', sinceHour)
        .orderBy('hour')
        .execute();
      return rows.map(({ hour, reason, requests, last_at, detail }) => ({
        hour,
        reason: reason as RefusalReason,
        requests,
        lastAt: new Date(last_at),
        ...(detail === null ? {} : { detail }),
      }));
    },
    /** Requests by hour that `usage` counts by day, for at most a thousand keys. */
    hoursOf: (ids: readonly string[], sinceHour: number) =>
      db
        .selectFrom('key_hours')
        .select(['key_id as keyId', 'hour', 'requests'])
        .where('key_id', 'in', ids)
        .where('reason', '=', '')
        .where('hour', '>=', sinceHour)
        .execute(),
    pruneHours: (beforeHour: number, limit: number): Promise<number> =>
      pruneRows(db, 'key_hours', 'hour', beforeHour, limit),
    /**
     * Whether this is the first report, by any process, that the key has used so many percent of
     * that day.
     */
    async markAlert(id: string, day: string, percent: number): Promise<boolean> {
      const { numUpdatedRows } = await db
        .updateTable('quota')
        .set({ alerted_percent: percent })
        .where('key_id', '=', id)
        .where('day', '=', day)
        .where('alerted_percent', '<', percent)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
  };
}

/**
 * Ahead of a change: its row lock makes other changes wait, so that numbers are seen in their
 * order.
 */
async function moveRevision(transaction: Db): Promise<number> {
  const { keys } = await transaction
    .updateTable('revisions')
    .set((eb) => ({ keys: eb('keys', '+', 1) }))
    .returning('keys')
    .executeTakeFirstOrThrow();
  return keys;
}

async function tooMany(
  transaction: Db,
  ownerId: string,
  limits: KeyLimits,
): Promise<TooManyKeys | undefined> {
  const { active, created } = await transaction
    .selectFrom('keys')
    .where('owner_id', '=', ownerId)
    .select(({ fn }) => [
      fn.countAll().filterWhere('revoked_at', 'is', null).as('active'),
      fn.countAll().filterWhere('created_at', '>=', limits.since.getTime()).as('created'),
    ])
    .executeTakeFirstOrThrow();
  if (Number(active) >= limits.active) return 'too many active';
  return Number(created) >= limits.created ? 'too many created' : undefined;
}

const NONE_REFUSED = { refused_requests: 0, last_refused_at: null, last_refused_from: null };

/** Columns of what is given; null for an attribute that is removed. */
function columnsOf(change: KeyChange | StoredKey): Updateable<Schema['keys']> {
  const { permissions, allowedNetworks, allowedDomains, scheduledRevocation, ...rest } = change;
  return {
    // A change has some of the columns, and null where one is removed.
    ...toRow<'keys'>(rest as Stored<'keys'>),
    ...present({
      permissions: permissions?.join(' '),
      allowed_networks: allowedNetworks === null ? null : allowedNetworks?.join(' '),
      allowed_domains: allowedDomains === null ? null : allowedDomains?.join(' '),
      name_key: change.name === undefined ? undefined : nameKeyOf(change.name),
      name_folded: change.name === undefined ? undefined : foldForSearch(change.name),
    }),
    ...(change.pausedAt === undefined ? {} : NONE_REFUSED),
    ...(scheduledRevocation === undefined
      ? {}
      : {
          revoke_at: scheduledRevocation?.at.getTime() ?? null,
          revoke_by: scheduledRevocation?.by ?? null,
        }),
  };
}

async function insertRow(transaction: Db, key: StoredKey, revision: number): Promise<void> {
  const row = { ...columnsOf(key), revision };
  await transaction
    .insertInto('keys')
    .values(row as Insertable<Schema['keys']>)
    .execute();
}

export function fromRow(row: Selectable<Schema['keys']>): StoredKey {
  const {
    first_used_at,
    first_used_from,
    first_used_status,
    last_refused_at,
    last_refused_from,
    revoke_at,
  } = row;
  const permissions = row.permissions.split(' ').filter((permission) => permission !== '');
  const key: Writable<StoredKey> = { ...(copyColumns(row, OMITTED) as CopiedColumns), permissions };
  if (row.allowed_networks !== null) key.allowedNetworks = row.allowed_networks.split(' ');
  if (row.allowed_domains !== null) key.allowedDomains = row.allowed_domains.split(' ');
  if (first_used_at !== null)
    key.firstUse = {
      at: new Date(first_used_at),
      from: first_used_from ?? '',
      status: first_used_status ?? 0,
    };
  if (revoke_at !== null)
    key.scheduledRevocation = { at: new Date(revoke_at), by: row.revoke_by ?? '' };
  if (last_refused_at !== null)
    key.refused = {
      requests: row.refused_requests,
      lastAt: new Date(last_refused_at),
      ...present({ lastFrom: last_refused_from ?? undefined }),
    };
  return key;
}

type Writable<T> = { -readonly [Name in keyof T]: T[Name] };
