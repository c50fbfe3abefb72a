/** Domains with aggregate or TLS reports, in the period that the page of a domain shows first. */
import type { ReportedDomain } from '../storage/stores/report-store.ts';
import type { TlsReportedDomain } from '../storage/stores/tls-report-store.ts';
import { periodOf } from './senders.ts';

type Stores = {
  readonly reports: { domains(fromDay: string, toDay: string): Promise<ReportedDomain[]> };
  readonly tlsReports: { domains(fromDay: string, toDay: string): Promise<TlsReportedDomain[]> };
};
/** `reports` and `messages` are those of aggregate reports; days are those of both kinds. */
type WithTlsReports = ReportedDomain & { readonly tlsReports: number };

/** By name. */
export async function reportedDomains(
  { reports, tlsReports }: Stores,
  nowMs: number,
): Promise<WithTlsReports[]> {
  const { from, to } = periodOf(nowMs);
  const [aggregate, tls] = await Promise.all([
    reports.domains(from, to),
    tlsReports.domains(from, to),
  ]);
  const domains = new Map<string, WithTlsReports>(
    aggregate.map((counted) => [counted.domain, { ...counted, tlsReports: 0 }]),
  );
  for (const { domain, reports: count, firstDay, lastDay } of tls) {
    const known = domains.get(domain) ?? {
      domain,
      reports: 0,
      messages: 0,
      passed: 0,
      firstDay,
      lastDay,
    };
    domains.set(domain, {
      ...known,
      tlsReports: count,
      firstDay: firstDay < known.firstDay ? firstDay : known.firstDay,
      lastDay: lastDay > known.lastDay ? lastDay : known.lastDay,
    });
  }
  return [...domains.values()].sort((a, b) => (a.domain < b.domain ? -1 : 1));
}
