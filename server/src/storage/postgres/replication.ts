/** Whether a failover of PostgreSQL can lose commits: limits and revocations are exact only as long as commits last. */
import { sql } from '../kysely.ts';
import type { Db } from '../schema.ts';

export type Replication = {
  /** Whether a commit waits until a standby has it on disk. */
  readonly isSynchronous: boolean;
  readonly commit: string;
  readonly standbyNames: string;
  readonly standbys: number;
};

/** Values of `synchronous_commit` with which a commit waits for a standby's disk. */
const WAITING = ['on', 'remote_apply'];

export async function readReplication(db: Db): Promise<Replication> {
  const { rows } = await sql<{ commit: string; names: string; standbys: number }>`
    select current_setting('synchronous_commit') as commit, current_setting('synchronous_standby_names') as names,
      (select count(*) from pg_stat_replication) as standbys`.execute(db);
  const { commit, names, standbys } = rows[0] as (typeof rows)[number];
  return { isSynchronous: names !== '' && WAITING.includes(commit), commit, standbyNames: names, standbys };
}

/** What it means for limits and revocations, as a sentence. */
export function describeReplication({ isSynchronous, standbyNames, standbys }: Replication): string {
  const connected =
    standbys === 1 ? '1 standby is connected' : `${standbys === 0 ? 'no' : standbys} standbys are connected`;
  if (isSynchronous) return `synchronous (${standbyNames}), ${connected}: limits and revocations survive a failover`;
  if (standbys === 0) return 'no standby is connected';
  return `asynchronous, ${connected}: after a failover, limits can be exceeded and revocations be lost`;
}
