/** Checks by this machine: its DNS servers, and the local dataset for networks. */
import { systemServers } from '@whence/email/internal/dns/servers';
import { EmailChecks } from '../../email-checks/email-checks.ts';
import { openLocalDataset } from '../local-dataset.ts';
import { type Asked, checked, dnsUnavailable, type EmailSource } from './outcome.ts';

export type EmailSettings = { readonly dnsServers: readonly string[]; readonly dataDir: string };

/**
 * Each domain of a list is checked once. What is asked again are includes of common providers, which the answers of the
 * last 200 domains hold.
 */
const CACHE_BYTES = 4 * 1024 * 1024;

export function localSource(
  { dnsServers, dataDir }: EmailSettings,
  { hasNetworks, ...asked }: Asked,
  parallel: number,
): EmailSource {
  const networksFrom = hasNetworks ? openLocalDataset(dataDir) : undefined;
  const checks = new EmailChecks(dnsServers, { slotsPerKey: parallel, cacheBytes: CACHE_BYTES });
  const servers = dnsServers.length > 0 ? dnsServers : systemServers().map(({ address }) => address);
  return {
    parallel,
    async check(domain) {
      // Every check listens to its own signal.
      const { signal } = new AbortController();
      const request = { fairnessKey: 'command line', signal, ...asked, networksFrom, hasDetails: true };
      const examination = await checks.check(domain, request);
      if (examination === undefined || examination.isDnsUnavailable)
        return dnsUnavailable(domain, servers, examination?.dnsFault);
      return checked(examination.answer);
    },
    close: () => checks.close(),
  };
}
