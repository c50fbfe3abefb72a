/** Checked domains as the dashboard shows them. */
import type { EmailReport } from '@whence/client/wire';
import type { describeCheck, SpfTreeNode as TreeNode } from '../../email-checks/check-details.ts';

export type { ImportedReport } from '../../email-reports/report-imports.ts';

import type { IncludableSection } from '../../vocabulary.ts';

/** `sections`: what can be asked for beside the records. */
export type DomainCheck = ReturnType<typeof describeCheck> & { report: EmailReport; sections: IncludableSection[] };
export type DomainAdvice = DomainCheck['advice'][number];
export type DomainPartState = DomainCheck['parts']['mx'];
export type MxHost = DomainCheck['mx_hosts'][number];
export type SpfTreeNode = TreeNode;

/** Messages of proven reports, and those that passed. Days are the first and the last with any. */
export type ReportedDomain = {
  domain: string;
  reports: number;
  messages: number;
  passed: number;
  first_day: string;
  last_day: string;
};
