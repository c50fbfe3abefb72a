/** Checks by this machine: its DNS servers, and the local dataset for networks. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readManifest } from '@whence/dataset/versions';
import { systemServers } from '@whence/email/dns-servers';
import { checkWithReports } from '../../email-checks/check-request.ts';
import { EmailChecks } from '../../email-checks/email-checks.ts';
import { ApiError } from '../../http/errors.ts';
import { StorageUnavailable } from '../../storage/storage-unavailable.ts';
import { UsageError } from '../../terminal/exit.ts';
import type { DataSettings } from '../embedded-data.ts';
import { openOverridden } from '../local-dataset.ts';
import {
  type CheckRequest,
  checked,
  DNS_UNAVAILABLE,
  dnsUnavailable,
  type EmailSource,
  unreadable,
} from './outcome.ts';

export type EmailSettings = DataSettings & {
  readonly dnsServers: readonly string[];
  /** Where reports are, if there is a database. */
  readonly storageLocation?: string;
};

/**
 * Only includes of common providers are queried again; the answers of the last 200 domains hold
 * them.
 */
const CACHE_BYTES = 4 * 1024 * 1024;

export async function localSource(
  { dnsServers, ...data }: EmailSettings,
  { include, ...asked }: CheckRequest,
  parallel: number,
): Promise<EmailSource> {
  const networksFrom = include.has('networks') ? await openOverridden(data) : undefined;
  const checks = new EmailChecks(dnsServers, {
    slotsPerKey: parallel,
    cacheBytes: CACHE_BYTES,
    smtp: { isUnthrottled: true },
  });
  const reports = await openReports(data.storageLocation, checks);
  const dataset =
    networksFrom ??
    (reports && readManifest(data.dataDir) !== undefined ? await openOverridden(data) : undefined);
  const servers =
    dnsServers.length > 0 ? dnsServers : systemServers().map(({ address }) => address);
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
        const dataset =
          readManifest(data.dataDir) === undefined ? undefined : await openOverridden(data);
        const sources = { emailChecks: checks, dataset, senders: reports?.senders };
        return { kind: 'tried', trial: await tryForRequest(sources, domain, body, requester()) };
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        const details = error.extra['details'] as Readonly<Record<string, unknown>> | undefined;
        if (error.code === DNS_UNAVAILABLE)
          return dnsUnavailable(domain, servers, details?.['fault']);
        throw new UsageError(unreadable(error.message, details));
      }
    },
    async check(domain) {
      const sections = {
        hasTransport: include.has('transport'),
        hasSmtp: include.has('smtp'),
        hasDetails: true,
      };
      const examination = await checkWithReports(
        {
          emailChecks: checks,
          senders: reports?.senders,
          tlsReports: reports?.tlsReports,
          dataset,
        },
        domain,
        { ...requester(), ...asked, networksFrom, ...sections },
      );
      if (examination === undefined || examination.isDnsUnavailable)
        return dnsUnavailable(domain, servers, examination?.dnsFault);
      return checked(examination.answer);
    },
    async close() {
      checks.close();
      await reports?.storage.close();
    },
  };
}

/** A check needs no database: without one, or while it is away, nothing is said about reports. */
async function openReports(location: string | undefined, checks: EmailChecks) {
  if (
    location === undefined ||
    !(isPostgresUrl(location) || existsSync(join(location, 'whence.sqlite')))
  )
    return undefined;
  const [{ openStorage }, { Senders }, { TlsReports }] = await Promise.all([
    import('../../storage/open-storage.ts'),
    import('../../email-reports/senders.ts'),
    import('../../email-reports/tls-reports.ts'),
  ]);
  try {
    const storage = await openStorage(location, { mustExist: true, failFast: true });
    const nowMs = () => storage.nowMs() ?? Date.now();
    const senders = new Senders(storage.reports, nowMs, (domain, resolving) =>
      checks.dnsClient().forCheck(domain, resolving),
    );
    return { storage, senders, tlsReports: new TlsReports(storage.tlsReports, nowMs) };
  } catch (error) {
    if (error instanceof StorageUnavailable) return undefined;
    throw error;
  }
}

const isPostgresUrl = (location: string) => /^postgres(?:ql)?:/.test(location);
