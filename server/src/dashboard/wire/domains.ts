/** Checked domains as the dashboard shows them. */
import type { EmailReport } from '@whence/client/wire';
import type { describeCheck, SpfTreeNode as TreeNode } from '../../email-checks/check-details.ts';
import type { IncludableSection } from '../../vocabulary.ts';

/** `sections`: what can be asked for beside the records. */
export type DomainCheck = ReturnType<typeof describeCheck> & { report: EmailReport; sections: IncludableSection[] };
export type DomainAdvice = DomainCheck['advice'][number];
export type DomainPartState = DomainCheck['parts']['mx'];
export type MxHost = DomainCheck['mx_hosts'][number];
export type SpfTreeNode = TreeNode;
