/** What the dashboard stands on, and what is configured for it. */
import type { Accounts } from '../accounts/accounts.ts';
import type { ProviderSettings } from '../accounts/identity-provider.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { Overload } from '../http/overload.ts';
import type { Logger } from '../log.ts';
import type { DatasetDiffs } from '../lookup/dataset-diffs.ts';
import type { EmailChecks } from '../lookup/email-checks.ts';
import type { LiveDataset } from '../lookup/live-dataset.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { Quota } from '../quota/quota.ts';
import type { Storage } from '../storage/storage.ts';
import type { UpdateReport } from '../updates/update-report.ts';
import type { NetworkCounts } from '../usage/networks.ts';
import type { Usage } from '../usage/usage.ts';
import type { ProcessReporter } from './operation/process-reporter.ts';
import type { SettingInForce } from './wire.ts';

export type DashboardSettings = {
  /** How people reach the server, if it is told. */
  readonly publicUrl: string | undefined;
  readonly dataDir: string;
  /** The built pages; undefined where they were not built. */
  readonly pagesFolder: string | undefined;
  /** Whether look-ups need an account. */
  readonly hasPublicLookUps: boolean;
  /** Of OpenID Connect, where people sign in too. */
  readonly provider: ProviderSettings | undefined;
  readonly inForce: readonly SettingInForce[];
  readonly updates: {
    readonly kind: 'build' | 'pull';
    readonly intervalSeconds: number | undefined;
    /** Starts one in a process of its own. */
    readonly start: () => void;
  };
};

export type DashboardParts = {
  readonly storage: Storage;
  readonly live: LiveDataset;
  readonly metrics: Metrics;
  readonly emailChecks: EmailChecks;
  readonly datasetDiffs: DatasetDiffs;
  readonly quota: Quota;
  readonly usage: Usage;
  readonly networks: NetworkCounts;
  readonly overload: Overload;
  readonly lastUpdate: () => UpdateReport | undefined;
  readonly nowMs: () => number;
  readonly log: Logger;
  readonly settings: DashboardSettings;
};

export type RouteParts = DashboardParts & {
  readonly accounts: Accounts;
  readonly audit: AuditLog;
  readonly reporter: ProcessReporter;
};
