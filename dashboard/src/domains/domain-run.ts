/** The checks of many domains of this browser tab, one list at a time. The server keeps the list and its results. */
import type { RunResult } from '@whence/server/dashboard-wire/domains';
import { Failure, isFailure } from '../api/call.ts';
import { call, refresh } from '../api/query-client.ts';
import { ChunkedRun } from '../batch/chunked-run.ts';
import { explainFailure } from '../components/Failures.tsx';
import { count } from '../format/number.ts';
import { checkedDomain, type DomainRow } from './domain-rows.ts';

export const domainRun = new ChunkedRun<DomainRow>({
  kind: 'domains',
  // Half of the checks that an account may have at a time, so that its other pages are answered meanwhile.
  parallel: 4,
  keep: async ({ source, found }) => {
    const domains = found.map(([domain]) => domain);
    const rest = domains.length - 1;
    const listed = `${domains[0]}${rest > 0 ? ` and ${count(rest, 'other')}` : ''}`;
    const name = source === 'text' ? listed : source.slice(0, MAX_NAME);
    const { data } = await call('createRun', { body: { name, domains } });
    void refresh('listRuns');
    return data.run.id;
  },
  load: async (id) => {
    try {
      const { run, domains } = (await call('getRun', { params: { id } })).data;
      const found = domains.map(({ domain }) => [domain, 1] as const);
      const chunks = domains.map(({ domain, result }) => (result === undefined ? undefined : [rowOf(domain, result)]));
      return { source: run.name, found, chunks };
    } catch (error) {
      if (isFailure(error, 'NOT_FOUND')) return undefined;
      throw error;
    }
  },
  claim: async (id, signal) => (await call('claimDomain', { params: { id } }, signal)).data.position,
  lookUp: async ([[domain] = ['']], signal, { id, chunk }) => {
    const { data } = await call('checkRunDomain', { params: { id }, body: { position: chunk } }, signal);
    return [rowOf(domain, data.result)];
  },
});

const MAX_NAME = 200;

function rowOf(domain: string, result: RunResult): DomainRow {
  if (!('refusal' in result)) return { domain, check: checkedDomain(result) };
  const { code, details } = result.refusal;
  return { domain, refusal: explainFailure(new Failure('no valid domain', code, { details }), domain).title };
}
