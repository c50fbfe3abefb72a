/** Checked domains, and tried changes of their records, as the dashboard shows them. */
import type { EmailReport } from '@whence/client/wire';

/** `record`: what to publish, as a line of a zone file, or `''`. */
export type DomainAdvice = { points: number; text: string; record: string };

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
  /** Why anyone can send mail as the domain; empty if that is not so. */
  risk: string;
  /** Set up to send no mail: nothing is left to fix, whatever the grade. */
  is_finished: boolean;
  /** What to fix, the most points first; 0 for what does not count but should be known. */
  advice: DomainAdvice[];
  spf_tree: SpfTreeNode;
  spf_void_lookups: number;
  mx_state: string;
  /** The hosts that were examined, the preferred first. */
  mx_hosts: MxHost[];
  /** Found with a wildcard record: every selector would be. */
  is_dkim_wildcard: boolean;
  is_dmarc_test_mode: boolean;
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

/** `before` is the zone as it is, `after` with the texts of the request. */
export type DomainTrial = {
  before: TrialState;
  after: TrialState;
  appeared: TrialFinding[];
  vanished: TrialFinding[];
};
export type TrialState = {
  score: number;
  grade_text: string;
  points: DomainCheck['points'];
  risk: string;
  spf_lookups: number;
  spf_errors: string[];
  dmarc_errors: string[];
  /** Absent without a dataset. `networks`: by number of addresses that may send, the largest first. */
  senders?: {
    ipv4_addresses: number;
    ipv6_48s: number;
    open_to_all: boolean;
    networks: { asn: number; asn_name: string; ipv4_addresses: number }[];
  };
};
/** `text` begins with the code of the finding. */
export type TrialFinding = { part: DomainPart; text: string };
