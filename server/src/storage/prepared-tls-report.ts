/** A TLS report in the form in which it is stored: see `prepared-report`. */
import { reportDomainOf } from '@whence/email/reports/large-receivers';
import type { TlsReport } from '@whence/email/reports/tls';
import { type Arrival, domainIdOf, hashOf, isUsablePeriod, middleDay } from './prepared-report.ts';

export type PreparedTlsReport = Omit<TlsReport, 'begin' | 'end'> &
  Arrival & {
    readonly id: number;
    readonly domainId: number;
    /** Days since 1970. */
    readonly day: number;
    readonly beginMs: number;
    readonly endMs: number;
    /** The domain of the reporter's address. */
    readonly reporterDomain: string;
    readonly rowCount: number;
    readonly sessions: number;
    readonly isUsable: boolean;
  };

const MAX_NAME = 255;

export function prepareTlsReport(
  report: TlsReport,
  arrival: Arrival,
  nowMs: number,
): PreparedTlsReport {
  const { begin, end, ...named } = report;
  const { reporter, reporterEmail, reportId, domain, sums } = named;
  const rows = sums.map(({ policy, host, result, sessions }) => [policy, host, result, sessions]);
  const reporterDomain = reportDomainOf({ name: reporter, email: reporterEmail });
  const key = ['tls', reporterDomain, reportId, domain, begin, end];
  return {
    ...named,
    ...arrival,
    id: hashOf([...key, ...rows.map(String).sort()]),
    domainId: domainIdOf(domain),
    day: middleDay(begin, end),
    beginMs: begin * 1000,
    endMs: end * 1000,
    reporterDomain: reporterDomain.slice(0, MAX_NAME),
    rowCount: sums.length,
    sessions: sums.reduce((total, { sessions }) => total + sessions, 0),
    isUsable: isUsablePeriod(begin, end, nowMs),
  };
}
