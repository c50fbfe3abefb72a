/** What the dashboard is built from, and what is configured for it. */
import type { Accounts } from '../accounts/accounts.ts';
import type { ProviderSettings } from '../accounts/identity-provider.ts';
import type { AddressSections } from '../address/sections.ts';
import type { Admission } from '../admission/admission.ts';
import type { Alerts } from '../alerts/alerts.ts';
import type { Channels } from '../alerts/channels.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { EmailChecks } from '../email-checks/email-checks.ts';
import type { ReportMailbox } from '../email-reports/mailbox/report-mailbox.ts';
import type { ReportImports } from '../email-reports/report-imports.ts';
import type { Senders } from '../email-reports/senders.ts';
import type { TlsReports } from '../email-reports/tls-reports.ts';
import type { LiveGeoipFiles } from '../geoip-files/live-geoip-files.ts';
import type { Logger } from '../log/log.ts';
import type { EventLoopSlices } from '../lookup/event-loop-slices.ts';
import type { LiveDataset } from '../lookup/live-dataset.ts';
import type { LiveRules } from '../rules/live-rules.ts';
import type { Storage } from '../storage/storage.ts';
import type { ProcessReport } from '../storage/stores/process-store.ts';
import type { PastLookups } from '../versions/past-lookups.ts';
import type { UpdateReport } from '../versions/update-report.ts';
import type { UpdateSetting } from '../versions/update-schedule.ts';
import type { WatchList } from '../watch/watch-list.ts';
import type { HeldQuota } from './keys/visible-keys.ts';
import type { RpkiData } from './lookup/dataset-answers.ts';
import type { SettingInForce } from './wire/operation.ts';

export type DashboardSettings = {
  /** Public URL of the server, if configured. */
  readonly publicUrl: string | undefined;
  readonly dataDir: string;
  /** The built pages; undefined if they were not built. */
  readonly pagesFolder: string;
  /** Whether lookups work without an account. */
  readonly hasPublicLookups: boolean;
  /** Keys that one account that is no administrator may create on a day (UTC). */
  readonly memberKeysPerDay: number;
  /** OpenID Connect provider, if configured. */
  readonly provider: ProviderSettings | undefined;
  readonly inForce: readonly SettingInForce[];
  readonly updates: UpdateSetting & {
    readonly kind: 'build' | 'pull';
    /** Starts an update in a process of its own. */
    readonly start: () => void;
  };
};

export type DashboardDependencies = {
  readonly admission: Admission;
  readonly storage: Storage;
  readonly quota: HeldQuota;
  readonly accounts: Accounts;
  readonly audit: AuditLog;
  readonly channels: Channels;
  readonly eventAlerts: Pick<Alerts, 'test'>;
  readonly live: LiveDataset;
  readonly emailChecks: EmailChecks;
  readonly senders: Senders | undefined;
  readonly tlsReports: TlsReports | undefined;
  readonly reportImports: ReportImports | undefined;
  /** Undefined without WHENCE_REPORTS_IMAP. */
  readonly reportMailbox: Pick<ReportMailbox, 'state'> | undefined;
  readonly watchList: WatchList;
  readonly addressSections: AddressSections;
  readonly slices: EventLoopSlices;
  readonly rpki?: RpkiData | undefined;
  readonly databases: LiveGeoipFiles;
  /** Undefined without WHENCE_RULES. */
  readonly rules: LiveRules | undefined;
  readonly past: PastLookups;
  /** Reports the state of this process to storage, and reads the reports of all processes. */
  readonly reporter: {
    readonly id: string;
    report(): Promise<void>;
    processes(): Promise<readonly ProcessReport[]>;
  };
  readonly lastUpdate: () => UpdateReport | undefined;
  readonly nowMs: () => number;
  readonly log: Logger;
  readonly settings: DashboardSettings;
};
