/** The batch of addresses of this browser tab, one at a time. */
import type { BatchLookup, BatchRecord } from '@whence/server/dashboard-wire/lookups';
import { call } from '../api/query-client.ts';
import { ChunkedRun } from './chunked-run.ts';

export type BatchRow = {
  readonly ip: string;
  readonly times: number;
  readonly record?: BatchRecord;
  /** Why there is no record. */
  readonly refusal?: string;
};

export const currentRun = new ChunkedRun<BatchRow>({
  parallel: 3,
  lookUp: async (chunk, signal) => {
    const { data } = await call('lookUpBatch', { body: { ips: chunk.map(([ip]) => ip) } }, signal);
    return chunk.map(([ip, times]) =>
      rowOf(ip, times, Object.hasOwn(data, ip) ? data[ip] : undefined),
    );
  },
});

function rowOf(ip: string, times: number, entry: BatchLookup[string] | undefined): BatchRow {
  if (entry === undefined) return { ip, times, refusal: 'no response' };
  return 'error' in entry ? { ip, times, refusal: entry.error } : { ip, times, record: entry };
}
