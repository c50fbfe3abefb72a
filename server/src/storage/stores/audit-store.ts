/** The audit log in storage: entries are added and read, never changed; those of years ago are removed. */
import type { Selectable } from 'kysely';
import type { Db, Schema } from '../schema.ts';

export type StoredAuditEntry = {
  /** Sorts by time. */
  readonly id: string;
  readonly at: Date;
  readonly actor: string;
  readonly actorId?: string;
  readonly action: string;
  readonly targetKind: string;
  readonly targetId?: string;
  readonly target?: string;
  readonly address?: string;
  readonly details?: Readonly<Record<string, string>>;
};

export type AuditFilter = {
  readonly action?: string;
  readonly actorId?: string;
  readonly targetId?: string;
  /** Only entries before this one. */
  readonly before?: string;
};

export type AuditStore = {
  add(entry: StoredAuditEntry): Promise<void>;
  /** Newest first. */
  list(filter: AuditFilter, limit: number): Promise<StoredAuditEntry[]>;
  /** Removes entries before this one, at most `limit`, and returns how many. */
  prune(beforeId: string, limit: number): Promise<number>;
};

export function auditStore(db: Db, statistics: Db): AuditStore {
  return {
    async add({ id, at, actor, actorId, action, targetKind, targetId, target, address, details }) {
      await db
        .insertInto('audit')
        .values({
          id,
          at: at.getTime(),
          actor,
          actor_id: actorId ?? null,
          action,
          target_kind: targetKind,
          target_id: targetId ?? null,
          target: target ?? null,
          address: address ?? null,
          details: details === undefined ? null : JSON.stringify(details),
        })
        .execute();
    },
    async list({ action, actorId, targetId, before }, limit) {
      // A filter without an index reads the whole table.
      let query = statistics.selectFrom('audit').selectAll();
      if (action !== undefined) query = query.where('action', '=', action);
      if (actorId !== undefined) query = query.where('actor_id', '=', actorId);
      if (targetId !== undefined) query = query.where('target_id', '=', targetId);
      if (before !== undefined) query = query.where('id', '<', before);
      const rows = await query.orderBy('id', 'desc').limit(limit).execute();
      return rows.map(fromRow);
    },
    async prune(beforeId, limit) {
      const { numDeletedRows } = await db
        .deleteFrom('audit')
        .where('id', 'in', (eb) =>
          eb.selectFrom('audit').select('id').where('id', '<', beforeId).orderBy('id').limit(limit),
        )
        .executeTakeFirst();
      return Number(numDeletedRows);
    },
  };
}

function fromRow(row: Selectable<Schema['audit']>): StoredAuditEntry {
  return {
    id: row.id,
    at: new Date(row.at),
    actor: row.actor,
    action: row.action,
    targetKind: row.target_kind,
    ...(row.actor_id === null ? {} : { actorId: row.actor_id }),
    ...(row.target_id === null ? {} : { targetId: row.target_id }),
    ...(row.target === null ? {} : { target: row.target }),
    ...(row.address === null ? {} : { address: row.address }),
    ...(row.details === null ? {} : { details: JSON.parse(row.details) as Record<string, string> }),
  };
}
