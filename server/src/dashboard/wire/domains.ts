/** Checked domains as the dashboard shows them. */
import type { EmailReport } from '@whence/client/wire';
import type { describeCheck, SpfTreeNode as TreeNode } from '../../email-checks/check-details.ts';

export type { ImportedReport } from '../../email-reports/report-imports.ts';
export type { AddedDomains, ShownDomain, ShownEvent } from '../../watch/watch-schema.ts';

import type { IncludableSection } from '../../vocabulary.ts';

/** `sections`: what can be asked for beside the records. */
export type DomainCheck = ReturnType<typeof describeCheck> & {
  report: EmailReport;
  sections: IncludableSection[];
};
export type DomainAdvice = DomainCheck['advice'][number];
export type DomainPartState = DomainCheck['parts']['mx'];
export type MxHost = DomainCheck['mx_hosts'][number];
export type SpfTreeNode = TreeNode;

/**
 * Texts are empty where there is nothing to say. `fetched_at`: when all messages were read last.
 */
export type ReportMailboxState = {
  host: string;
  folder: string;
  fetched_at: string;
  failure: string;
  messages: number;
  read: number;
  repeated: number;
  not_read: number;
  without_report: number;
  too_large: number;
};

/**
 * Messages of proven aggregate reports, and those that passed. Days are the first and the last with
 * any, TLS reports included; there may be these alone.
 */
export type ReportedDomain = {
  domain: string;
  reports: number;
  messages: number;
  passed: number;
  tls_reports: number;
  is_watched: boolean;
  first_day: string;
  last_day: string;
};
