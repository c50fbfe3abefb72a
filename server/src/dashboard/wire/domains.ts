/** Checked domains, and tried changes of their records, as the dashboard shows them. */
import type { EmailReport } from '@whence/client/wire';
import type { IncludableSection } from '../../vocabulary.ts';

/** `code` is stable; `record`: what to publish, as a line of a zone file, or `''`. */
export type DomainAdvice = { code: string; points: number; text: string; record: string };
/** The next stricter steps, and what has to become true before they are safe. */
export type DomainReadiness = { steps: string[]; is_ready: boolean; obstacles: { code: string; text: string }[] };

export type DomainPart = 'mx' | 'spf' | 'dkim' | 'dmarc';
/** `words`: the record, or why there is none. */
export type DomainPartState = {
  state: 'verified' | 'missing' | 'unverified' | 'not applicable';
  is_valid: boolean;
  words: string;
};
export type DomainCheck = {
  report: EmailReport;
  points: Record<DomainPart, { points: number; max: number }>;
  parts: Record<DomainPart, DomainPartState>;
  /** The grade, with a question mark if a part could not be verified. */
  grade_text: string;
  /** False if DNS says that the domain does not exist: it has no grade then. */
  does_exist: boolean;
  /** How others can send mail as the domain, or take over a name that it refers to; empty if they cannot. */
  risk: string;
  /** Set up to send no mail: nothing is left to fix, whatever the grade. */
  is_finished: boolean;
  /** What to fix, the most points first; 0 for what does not count but should be known. */
  advice: DomainAdvice[];
  readiness: DomainReadiness;
  /** Whether it meets what Google, Yahoo and Microsoft ask of bulk senders, in one line. */
  sender_rules: string;
  /** All SPF records of the domain: one, unless it has none or too many. */
  spf_records: string[];
  spf_tree: SpfTreeNode;
  spf_void_lookups: number;
  mx_state: string;
  /** The hosts that were examined, the preferred first. */
  mx_hosts: MxHost[];
  /** Found with a wildcard record: every selector would be. */
  is_dkim_wildcard: boolean;
  is_dmarc_test_mode: boolean;
  /** What can be asked for beside the records. */
  sections: IncludableSection[];
};
/** `provider` is named where the host is known to belong to one. */
export type MxHost = { host: string; preference: number; addresses: string[]; provider?: string };
export type SpfTreeNode = {
  name: string;
  /** The term that led here; empty for the root. */
  via: string;
  raw: string;
  /** Lookups of this subtree, itself included. */
  lookups: number;
  errors: string[];
  children: SpfTreeNode[];
};
