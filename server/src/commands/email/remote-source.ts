/** Checks by a server. */
import { UsageError } from '../../terminal/exit.ts';
import { asking, type RemoteServer } from '../remote/remote-server.ts';
import {
  type CheckRequest,
  checked,
  DNS_UNAVAILABLE,
  dnsUnavailable,
  type EmailSource,
  type Failed,
  type Outcome,
  type Tried,
  unreadable,
} from './outcome.ts';

/** A server checks a few domains at a time for a key; more would wait there. */
const MAX_PARALLEL = 4;
/** The wait for a slot, the check, and ten seconds for the mail servers. */
const SMTP_TIMEOUT_MS = 40_000;
/**
 * What is wrong with one domain, or for a moment; anything else would be wrong with all of them.
 */
const FAILURES_OF_A_DOMAIN: readonly string[] = ['INVALID_DOMAIN', 'OVERLOADED', 'TIMEOUT'];

export function remoteEmailSource(
  server: RemoteServer,
  request: CheckRequest,
  parallel: number,
): EmailSource {
  // A list is checked again for domains without an answer; a single one is not waited for twice.
  const client = server.client({
    retries: 0,
    ...(request.include.has('smtp') && { timeoutMs: SMTP_TIMEOUT_MS }),
  });
  const { selectors = [], moreSelectors = [] } = request;
  const include = ['details', ...request.include] as const;
  return {
    parallel: Math.min(parallel, MAX_PARALLEL),
    tryRecords: (domain, zone) =>
      asking<Tried | Failed>(
        server.url,
        async () => {
          const body = { zone, ...(selectors.length > 0 && { selectors: selectors.join() }) };
          return { kind: 'tried', trial: (await client.tryEmailDomain(domain, body)).data };
        },
        ({ code, message, details }) => {
          if (code === DNS_UNAVAILABLE)
            return dnsUnavailable(domain, [server.url], details?.['fault']);
          if (code === 'INVALID_REQUEST') throw new UsageError(unreadable(message, details));
          return undefined;
        },
      ),
    check: (domain) =>
      asking<Outcome>(
        server.url,
        async () =>
          checked((await client.emailDomain(domain, { selectors, moreSelectors, include })).data),
        ({ code, message, details }) => {
          if (code === DNS_UNAVAILABLE)
            return dnsUnavailable(domain, [server.url], details?.['fault']);
          if (!FAILURES_OF_A_DOMAIN.includes(code)) return undefined;
          return { kind: 'failed', domain, code, reason: `${server.url} answered: ${message}` };
        },
      ),
    close: () => {},
  };
}
