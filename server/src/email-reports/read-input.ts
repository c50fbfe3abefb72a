/** What an input holds, ready to be stored: in the thread of a server, and in a command. */
import type { Resolver } from '@whence/email/dns';
import { type FoundReport, readReports } from '@whence/email/internal/reports/read-reports';
import type { NotReadCode } from '@whence/email/internal/reports/unreadable';
import { createDnsClient } from '@whence/email/resolver';
import { type PreparedReport, prepareReport } from '../storage/prepared-report.ts';

export type ReadItem =
  | { readonly kind: 'report'; readonly name: string; readonly report: PreparedReport }
  | { readonly kind: 'not_read'; readonly name: string; readonly code: NotReadCode };

export type ReadInputOptions = {
  readonly nowMs: number;
  /** Reports that ended before are not stored: they would be removed at once. */
  readonly keepDays: number;
  /** The id of the key that posted it, or of the account as statistics have it; empty for a command. */
  readonly keyId: string;
  /** Verifies messages; without it they are believed. */
  readonly resolverFor?: (domain: string) => Pick<Resolver, 'txt'>;
};

const DAY_MS = 86_400_000;
/** For the keys of one signature. */
const DNS_MS = 5_000;

export async function* readInput(name: string, bytes: Buffer, options: ReadInputOptions): AsyncGenerator<ReadItem> {
  const { nowMs, resolverFor } = options;
  for await (const found of readReports(name, bytes, resolverFor && { verify: { resolverFor, nowMs } }))
    yield itemOf(found, options);
}

/** The same for what came by mail, from anyone: it is verified. */
export async function* readVerified(
  name: string,
  bytes: Buffer,
  dnsServers: readonly string[],
  options: Omit<ReadInputOptions, 'resolverFor'>,
): AsyncGenerator<ReadItem> {
  const dns = createDnsClient(dnsServers.length > 0 ? { servers: dnsServers } : {});
  const resolverFor = (domain: string) => dns.forCheck(domain, { deadlineMs: DNS_MS });
  try {
    yield* readInput(name, bytes, { ...options, resolverFor });
  } finally {
    dns.close();
  }
}

export function itemOf(found: FoundReport, { nowMs, keepDays, keyId }: ReadInputOptions): ReadItem {
  if (found.kind === 'not_read') return found;
  const { name, report, digest, isMessage, isProven } = found;
  if (report.end * 1000 < nowMs - keepDays * DAY_MS) return { kind: 'not_read', name, code: 'too_old' };
  const arrived = isMessage ? 'message' : keyId === '' ? 'file' : 'key';
  return {
    kind: 'report',
    name,
    report: prepareReport(report, { arrived, arrivedFrom: keyId, digest, isProven }, nowMs),
  };
}
