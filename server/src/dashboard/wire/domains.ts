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
/** What is kept of a check in a run: what a row of the page shows. */
export type CheckOutline = Pick<
  DomainCheck,
  'risk' | 'is_finished' | 'sender_rules' | 'senders' | 'grade_text' | 'does_exist' | 'is_dmarc_test_mode'
> & {
  advice: Pick<DomainAdvice, 'text'>[];
  report: Pick<EmailReport, 'domain' | 'domain_auth_score'> & {
    dmarc: Pick<EmailReport['dmarc'], 'raw' | 'effective_policy' | 'subdomain_policy' | 'percentage'>;
  };
  parts: Record<keyof DomainCheck['parts'], Pick<DomainPartState, 'state' | 'is_valid'>>;
};
/** A refusal has what the API answers. */
export type RunResult =
  | CheckOutline
  | { refusal: { code: 'INVALID_DOMAIN' | 'DNS_UNAVAILABLE'; details?: Record<string, unknown> } };
export type RunSummary = { id: string; name: string; created_at: string; size: number; checked: number };
/** In the order of its list. */
export type Run = { run: RunSummary; domains: { domain: string; result?: RunResult }[] };
