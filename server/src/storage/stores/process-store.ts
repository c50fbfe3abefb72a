/** What the processes of a deployment last said of themselves, on all machines that share the storage. */
import type { Selectable } from 'kysely';
import type { Db, Schema } from '../schema.ts';

export type ProcessReport = {
  readonly id: string;
  readonly host: string;
  readonly pid: number;
  readonly startedAt: Date;
  readonly seenAt: Date;
  readonly memoryBytes: number;
  readonly lagMs: number;
  readonly datasetVersion: number;
};

export type ProcessStore = {
  report(report: ProcessReport): Promise<void>;
  seenSince(at: Date): Promise<ProcessReport[]>;
  remove(id: string): Promise<void>;
  prune(before: Date): Promise<void>;
};

export function processStore(db: Db): ProcessStore {
  return {
    async report({ id, host, pid, startedAt, seenAt, memoryBytes, lagMs, datasetVersion }) {
      const state = {
        seen_at: seenAt.getTime(),
        memory_bytes: memoryBytes,
        lag_ms: lagMs,
        dataset_version: datasetVersion,
      };
      await db
        .insertInto('processes')
        .values({ id, host, pid, started_at: startedAt.getTime(), ...state })
        .onConflict((conflict) => conflict.column('id').doUpdateSet(state))
        .execute();
    },
    async seenSince(at) {
      const rows = await db
        .selectFrom('processes')
        .selectAll()
        .where('seen_at', '>=', at.getTime())
        .orderBy('host')
        .orderBy('pid')
        .execute();
      return rows.map(fromRow);
    },
    async remove(id) {
      await db.deleteFrom('processes').where('id', '=', id).execute();
    },
    async prune(before) {
      await db.deleteFrom('processes').where('seen_at', '<', before.getTime()).execute();
    },
  };
}

function fromRow(row: Selectable<Schema['processes']>): ProcessReport {
  return {
    id: row.id,
    host: row.host,
    pid: row.pid,
    startedAt: new Date(row.started_at),
    seenAt: new Date(row.seen_at),
    memoryBytes: row.memory_bytes,
    lagMs: row.lag_ms,
    datasetVersion: row.dataset_version,
  };
}
