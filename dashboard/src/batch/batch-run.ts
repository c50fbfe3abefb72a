/** The batch of addresses of this browser tab, one at a time. */
import type { BatchEntry, IpRecord } from '@whence/client/wire';
import { call, queryClient, sessionQuery } from '../api/query-client.ts';
import { loadRun, newRunId, saveRun } from '../browser-storage/saved-runs.ts';
import { ChunkedRun } from './chunked-run.ts';

export type BatchRow = {
  readonly ip: string;
  readonly times: number;
  readonly record?: IpRecord;
  /** Why there is no record. */
  readonly refusal?: string;
};

export const currentRun = new ChunkedRun<BatchRow>({
  kind: 'addresses',
  parallel: 3,
  keep: async (list) => {
    const id = newRunId();
    await saveRun({ ...list, id, accountId: accountId() });
    return id;
  },
  load: (id) => loadRun(id, accountId()),
  lookUp: async (chunk, signal) => {
    const { data } = await call('lookUpBatch', { body: { ips: chunk.map(([ip]) => ip) } }, signal);
    return chunk.map(([ip, times]) => rowOf(ip, times, Object.hasOwn(data, ip) ? data[ip] : undefined));
  },
});

function rowOf(ip: string, times: number, entry: BatchEntry | undefined): BatchRow {
  if (entry === undefined) return { ip, times, refusal: 'no response' };
  return 'error' in entry ? { ip, times, refusal: entry.error } : { ip, times, record: entry };
}

function accountId(): string {
  const session = queryClient.getQueryData(sessionQuery.queryKey);
  return session?.state === 'signed_in' ? session.account.id : '';
}
