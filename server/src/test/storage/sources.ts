/** The rows of a domain's reports in storage, added up by address. */
import type { DailySource } from '@whence/email/reports';
import { AddressPlaces, SourceSums } from '../../email-reports/source-sums.ts';
import type { ReportStore } from '../../storage/stores/report-store.ts';

export async function sourcesOf(
  reports: ReportStore,
  domain: string,
  from: string,
  to: string,
): Promise<DailySource[]> {
  const places = new AddressPlaces({
    prepare: async () => {},
    forget: () => {},
    placeOf: (address) => address,
    networkOf: (address) => address,
    isSender: () => true,
  });
  const sums = new SourceSums(from, to, await reports.shapes(domain, from), places);
  for await (const parts of reports.rows(domain, from, to))
    for (const part of parts) await sums.add(part);
  return sums.sources();
}
