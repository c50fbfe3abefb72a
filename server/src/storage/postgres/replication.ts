/**
 * Whether a failover of PostgreSQL can lose commits: limits and revocations are exact only as long
 * as commits last.
 */
import { sql } from 'kysely';
import type { Db } from '../schema.ts';

type Replication = Awaited<ReturnType<typeof readReplication>>;

/** Values of `synchronous_commit` with which a commit waits for a standby's disk. */
const WAITING = ['on', 'remote_apply'];

export async function readReplication(db: Db) {
  const { rows } = await sql<{ commit: string; names: string; standbys: number }>`
    select current_setting('synchronous_commit') as commit, current_setting('synchronous_standby_names') as names,
      (select count(*) from pg_stat_replication) as standbys`.execute(db);
  const { commit, names, standbys } = rows[0] as (typeof rows)[number];
  return {
    /** Whether a commit waits until a standby has it on disk. */
    synchronous: names !== '' && WAITING.includes(commit),
    synchronous_commit: commit,
    synchronous_standby_names: names,
    standbys,
  };
}

/** What it means for limits and revocations, as a sentence. */
export function describeReplication(replication: Replication): string {
  const { synchronous, synchronous_standby_names: names, standbys } = replication;
  const connected =
    standbys === 1
      ? '1 standby is connected'
      : `${standbys === 0 ? 'no' : standbys} standbys are connected`;
  if (synchronous)
    return `synchronous (${names}), ${connected}: limits and revocations survive a failover`;
  if (standbys === 0) return 'no standby is connected';
  return `asynchronous, ${connected}: after a failover, limits can be exceeded and revocations be lost`;
}
