/** What an input holds, ready to be stored: in the thread of a server, and in a command. */

import type { Resolver } from '@whence/email/dns';
import type { NotReadCode } from '@whence/email/reports/not-read';
import { type FoundReport, readMessage, readReports } from '@whence/email/reports/read';
import { Budget } from '@whence/email/reports/unpack';
import { createDnsClient } from '@whence/email/resolver';
import { DAY_MS } from '../day.ts';
import { type Arrival, type PreparedReport, prepareReport } from '../storage/prepared-report.ts';
import { type PreparedTlsReport, prepareTlsReport } from '../storage/prepared-tls-report.ts';

export type ReadItem =
  | { readonly kind: 'report'; readonly name: string; readonly report: PreparedReport }
  | { readonly kind: 'tls_report'; readonly name: string; readonly report: PreparedTlsReport }
  | { readonly kind: 'not_read'; readonly name: string; readonly code: NotReadCode };

export type ReadInputOptions = {
  readonly nowMs: number;
  /** Reports that ended before are not stored: they would be removed at once. */
  readonly keepDays: number;
  /**
   * The id of the key that posted it, or of the account as statistics have it; empty for a command.
   */
  readonly keyId: string;
  /** Verifies messages, whichever way they came; files are believed. */
  readonly resolverFor: (domain: string) => Pick<Resolver, 'txt'>;
};

/** For the keys of one signature. */
const DNS_MS = 5_000;

export async function* readInput(
  name: string,
  bytes: Buffer,
  options: ReadInputOptions,
): AsyncGenerator<ReadItem> {
  const { resolverFor } = options;
  for await (const found of readReports(name, bytes, { resolverFor })) yield itemOf(found, options);
}

/** A message of a mailbox, which has to prove its reporter whatever its bytes look like. */
export async function* readMailed(
  bytes: Buffer,
  maxMessageBytes: number,
  options: ReadInputOptions,
): AsyncGenerator<ReadItem> {
  const { resolverFor } = options;
  const reading = { resolverFor, maxMessageBytes };
  for await (const found of readMessage('', bytes, reading, new Budget()))
    yield itemOf(found, options);
}

/** Resolvers for a piece of work. */
export async function withDns<T>(
  dnsServers: readonly string[],
  work: (resolverFor: (domain: string) => Resolver) => Promise<T>,
): Promise<T> {
  const dns = createDnsClient(dnsServers.length > 0 ? { servers: dnsServers } : {});
  try {
    return await work((domain) => dns.forCheck(domain, { deadlineMs: DNS_MS }));
  } finally {
    dns.close();
  }
}

export function itemOf(
  foundReport: FoundReport,
  { nowMs, keepDays, keyId }: ReadInputOptions,
): ReadItem {
  if (foundReport.kind === 'not_read') return foundReport;
  const { name, digest, isMessage, unproven } = foundReport;
  if (foundReport.report.end * 1000 < nowMs - keepDays * DAY_MS)
    return { kind: 'not_read', name, code: 'too_old' };
  const arrived = isMessage ? 'message' : keyId === '' ? 'file' : 'key';
  const arrival: Arrival = { arrived, arrivedFrom: keyId, digest, unproven };
  return foundReport.kind === 'report'
    ? { kind: 'report', name, report: prepareReport(foundReport.report, arrival, nowMs) }
    : { kind: 'tls_report', name, report: prepareTlsReport(foundReport.report, arrival, nowMs) };
}
