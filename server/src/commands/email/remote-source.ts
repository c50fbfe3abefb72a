/** Checks by a server. */

import { asking, type RemoteServer } from '../remote/remote-server.ts';
import { type Asked, checked, DNS_UNAVAILABLE, dnsUnavailable, type EmailSource, type Outcome } from './outcome.ts';

/** A server checks a few domains at a time for a key; more would wait there. */
const MAX_PARALLEL = 4;
/** What is wrong with one domain, or for a moment; anything else would be wrong with all of them. */
const FAILURES_OF_A_DOMAIN: readonly string[] = ['INVALID_DOMAIN', 'OVERLOADED', 'TIMEOUT'];

export function remoteEmailSource(server: RemoteServer, asked: Asked, parallel: number): EmailSource {
  // A list is checked again for domains without an answer; a single one is not waited for twice.
  const client = server.client({ retries: 0 });
  const { selectors = [], moreSelectors = [] } = asked;
  const include = [
    'details',
    ...(asked.hasTransport ? (['transport'] as const) : []),
    ...(asked.hasNetworks ? (['networks'] as const) : []),
  ] as const;
  return {
    parallel: Math.min(parallel, MAX_PARALLEL),
    check: (domain) =>
      asking<Outcome>(
        server.url,
        async () => checked((await client.emailDomain(domain, { selectors, moreSelectors, include })).data),
        ({ code, message, details }) => {
          if (code === DNS_UNAVAILABLE) return dnsUnavailable(domain, [server.url], details?.['fault']);
          if (!FAILURES_OF_A_DOMAIN.includes(code)) return undefined;
          return { kind: 'failed', domain, code, reason: `${server.url} answered: ${message}` };
        },
      ),
    close: () => {},
  };
}
