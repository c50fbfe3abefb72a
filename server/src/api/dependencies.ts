/** What the routes of the API are built from. */
import type { AddressSections } from '../address/sections.ts';
import type { Admission } from '../admission/admission.ts';
import type { EmailChecks } from '../email-checks/email-checks.ts';
import type { ReportImports } from '../email-reports/report-imports.ts';
import type { Senders } from '../email-reports/senders.ts';
import type { TlsReports } from '../email-reports/tls-reports.ts';
import type { LiveGeoipFiles } from '../geoip-files/live-geoip-files.ts';
import type { EventLoopSlices } from '../lookup/event-loop-slices.ts';
import type { LiveDataset } from '../lookup/live-dataset.ts';
import type { PrefixContents } from '../lookup/prefix-contents.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { LiveRules } from '../rules/live-rules.ts';
import type { PastLookups } from '../versions/past-lookups.ts';
import type { WatchList } from '../watch/watch-list.ts';

export type ApiDependencies = {
  readonly admission: Admission;
  readonly live: LiveDataset;
  readonly emailChecks: EmailChecks;
  readonly reportImports: ReportImports | undefined;
  readonly senders: Senders | undefined;
  readonly tlsReports: TlsReports | undefined;
  readonly watchList: WatchList | undefined;
  readonly addressSections: AddressSections;
  readonly past: PastLookups;
  readonly metrics: Metrics;
  readonly slices: EventLoopSlices;
  readonly prefixContents: PrefixContents;
  readonly rules: LiveRules | undefined;
  /** Addresses of proxies whose forwarding headers are trusted. */
  readonly trustProxy: readonly string[];
  readonly databases: LiveGeoipFiles;
  readonly nowMs: () => number;
};

export type RouteDependencies = Omit<ApiDependencies, 'admission'>;
