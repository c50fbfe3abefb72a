/** Checks by this machine: its DNS servers, and the local dataset for networks. */
import { readManifest } from '@whence/dataset/internal/versions/publish';
import { systemServers } from '@whence/email/internal/dns/servers';
import { EmailChecks } from '../../email-checks/email-checks.ts';
import { ApiError } from '../../http/errors.ts';
import { UsageError } from '../../terminal/exit.ts';
import type { DataSettings } from '../embedded-data.ts';
import { openOverridden } from '../local-dataset.ts';
import { type Asked, checked, DNS_UNAVAILABLE, dnsUnavailable, type EmailSource, unreadable } from './outcome.ts';

export type EmailSettings = DataSettings & {
  readonly dnsServers: readonly string[];
};

/**
 * Each domain of a list is checked once. What is asked again are includes of common providers, which the answers of the
 * last 200 domains hold.
 */
const CACHE_BYTES = 4 * 1024 * 1024;

export async function localSource(
  { dnsServers, ...data }: EmailSettings,
  { hasNetworks, ...asked }: Asked,
  parallel: number,
): Promise<EmailSource> {
  const networksFrom = hasNetworks ? await openOverridden(data) : undefined;
  const checks = new EmailChecks(dnsServers, {
    slotsPerKey: parallel,
    cacheBytes: CACHE_BYTES,
    smtp: { isUnthrottled: true },
  });
  const servers = dnsServers.length > 0 ? dnsServers : systemServers().map(({ address }) => address);
  // Every check listens to its own signal.
  const requester = () => ({ fairnessKey: 'command line', signal: new AbortController().signal });
  return {
    parallel,
    async tryRecords(domain, zone) {
      const { tryForRequest } = await import('../../email-checks/try-request.ts');
      const selectors = (asked.selectors ?? []).join();
      try {
        const body = { zone, ...(selectors !== '' && { selectors }) };
        // Networks are told apart where there is a dataset.
        const dataset = readManifest(data.dataDir) === undefined ? undefined : await openOverridden(data);
        const sources = { emailChecks: checks, dataset };
        return { kind: 'tried', trial: await tryForRequest(sources, domain, body, requester()) };
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        const details = error.extra['details'] as Readonly<Record<string, unknown>> | undefined;
        if (error.code === DNS_UNAVAILABLE) return dnsUnavailable(domain, servers, details?.['fault']);
        throw new UsageError(unreadable(error.message, details));
      }
    },
    async check(domain) {
      const request = { ...requester(), ...asked, networksFrom, hasDetails: true };
      const examination = await checks.check(domain, request);
      if (examination === undefined || examination.isDnsUnavailable)
        return dnsUnavailable(domain, servers, examination?.dnsFault);
      return checked(examination.answer);
    },
    close: () => checks.close(),
  };
}
