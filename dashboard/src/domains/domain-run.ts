/** The checks of many domains of this browser tab, one list at a time. */
import { isFailure } from '../api/call.ts';
import { call } from '../api/query-client.ts';
import { ChunkedRun } from '../batch/chunked-run.ts';
import { explainFailure } from '../components/Failures.tsx';
import { checkedDomain, type DomainRow } from './domain-rows.ts';

export const domainRun = new ChunkedRun<DomainRow>({
  kind: 'domains',
  // Half of the checks that an account may have at a time, so that its other pages are answered meanwhile.
  parallel: 4,
  lookUp: (domains, signal) => Promise.all(domains.map(([domain]) => check(domain, signal))),
});

/** What is wrong with one domain is said in its row; everything else stops the run. */
async function check(domain: string, signal: AbortSignal): Promise<DomainRow> {
  try {
    const { data } = await call('checkDomain', { params: { domain }, query: {} }, signal);
    return { domain, check: checkedDomain(data) };
  } catch (error) {
    if (!isFailure(error, 'INVALID_DOMAIN', 'DNS_UNAVAILABLE')) throw error;
    return { domain, refusal: explainFailure(error, domain).title };
  }
}
