/**
 * The audit log in storage: entries are added and read, never changed; those of years ago are
 * removed.
 */
import { fromRow, type Stored, toRow } from '../rows.ts';
import type { Db } from '../schema.ts';
import { pruneRows } from '../tables.ts';

/** `id` sorts by time. */
export type StoredAuditEntry = Omit<Stored<'audit'>, 'details'> & {
  readonly details?: Readonly<Record<string, string>>;
};

export type AuditFilter = {
  readonly action?: string;
  readonly actorId?: string;
  readonly targetId?: string;
  readonly before?: string;
};

export function auditStore(db: Db, statistics: Db) {
  return {
    async add({ details, ...entry }: StoredAuditEntry): Promise<void> {
      const text = details === undefined ? {} : { details: JSON.stringify(details) };
      await db
        .insertInto('audit')
        .values(toRow<'audit'>({ ...entry, ...text }))
        .execute();
    },
    /** Newest first. */
    async list(
      { action, actorId, targetId, before }: AuditFilter,
      limit: number,
    ): Promise<StoredAuditEntry[]> {
      // A filter without an index reads the whole table.
      let query = statistics.selectFrom('audit').selectAll();
      if (action !== undefined) query = query.where('action', '=', action);
      if (actorId !== undefined) query = query.where('actor_id', '=', actorId);
      if (targetId !== undefined) query = query.where('target_id', '=', targetId);
      if (before !== undefined) query = query.where('id', '<', before);
      const rows = await query.orderBy('id', 'desc').limit(limit).execute();
      return rows.map((row) => {
        const { details, ...entry } = fromRow<'audit'>(row);
        return {
          ...entry,
          ...(details !== undefined && { details: JSON.parse(details) as Record<string, string> }),
        };
      });
    },
    prune: (beforeId: string, limit: number): Promise<number> =>
      pruneRows(db, 'audit', 'id', beforeId, limit),
  };
}

export type AuditStore = ReturnType<typeof auditStore>;
