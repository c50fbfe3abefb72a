/** What the dashboard is built from, and what is configured for it. */
import type { Accounts } from '../accounts/accounts.ts';
import type { ProviderSettings } from '../accounts/identity-provider.ts';
import type { VrpTable } from '../address/routing/vrps.ts';
import type { AddressSections } from '../address/sections.ts';
import type { Admission } from '../admission/admission.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { EmailChecks } from '../email-checks/email-checks.ts';
import type { ReportImports } from '../email-reports/report-imports.ts';
import type { Senders } from '../email-reports/senders.ts';
import type { LiveGeoipFiles } from '../geoip-files/live-geoip-files.ts';
import type { Logger } from '../log/log.ts';
import type { EventLoopSlices } from '../lookup/event-loop-slices.ts';
import type { LiveDataset } from '../lookup/live-dataset.ts';
import type { LiveRules } from '../rules/live-rules.ts';
import type { Storage } from '../storage/storage.ts';
import type { ProcessReport } from '../storage/stores/process-store.ts';
import type { DatasetDiffs } from '../versions/dataset-diffs.ts';
import type { PastLookups } from '../versions/past-lookups.ts';
import type { UpdateReport } from '../versions/update-report.ts';
import type { UpdateRetry } from '../versions/updater.ts';
import type { SettingInForce } from './wire/operation.ts';

/** Validated ROA payloads, if a file was read, and when it was written. */
export type RpkiData = { readonly table: VrpTable | undefined; readonly asOf: Date | undefined };

export type DashboardSettings = {
  /** Public URL of the server, if configured. */
  readonly publicUrl: string | undefined;
  readonly dataDir: string;
  /** The built pages; undefined if they were not built. */
  readonly pagesFolder: string | undefined;
  /** Whether lookups work without an account. */
  readonly hasPublicLookups: boolean;
  /** Keys that one account that is no administrator may create on a day (UTC). */
  readonly memberKeysPerDay: number;
  /** OpenID Connect provider, if configured. */
  readonly provider: ProviderSettings | undefined;
  readonly inForce: readonly SettingInForce[];
  readonly updates: {
    readonly kind: 'build' | 'pull';
    readonly intervalSeconds: number | undefined;
    /** Starts an update in a process of its own. */
    readonly start: (retry: UpdateRetry) => void;
  };
};

export type DashboardDependencies = {
  readonly admission: Admission;
  readonly storage: Storage;
  readonly accounts: Accounts;
  readonly audit: AuditLog;
  readonly live: LiveDataset;
  readonly emailChecks: EmailChecks;
  readonly senders: Senders | undefined;
  readonly reportImports: ReportImports | undefined;
  readonly addressSections: AddressSections;
  readonly slices: EventLoopSlices;
  readonly rpki?: RpkiData | undefined;
  readonly databases: LiveGeoipFiles;
  /** Undefined without WHENCE_RULES. */
  readonly rules: LiveRules | undefined;
  readonly datasetDiffs: DatasetDiffs;
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
