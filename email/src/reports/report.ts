/**
 * An aggregate report (RFC 9990, RFC 7489 appendix C) as its reporter wrote it, and what was seen
 * over many of them.
 */

/** Why a message does not prove whose it is. */
export const UNPROVEN_REASONS = {
  not_signed: 'its message has no signature',
  other_domain: 'its message comes from another domain, or is signed by another one',
  signature_broken: 'the signature of its message is not valid',
  key_gone: 'the key of its signature is no longer published',
} as const;
export type UnprovenReason = keyof typeof UNPROVEN_REASONS;

export type AggregateReport = {
  /**
   * `org_name`. Anyone can write any name here: of reports that came by mail, only the domain of
   * `reporterEmail` is proven.
   */
  readonly reporter: string;
  /** Empty if absent. */
  readonly reporterEmail: string;
  readonly reportId: string;
  /** The domain of the published policy: lower case, A-labels, no final dot. */
  readonly domain: string;
  /** Seconds since 1970. */
  readonly begin: number;
  readonly end: number;
  readonly policy: PublishedPolicy;
  readonly rows: readonly ReportRow[];
};

export const POLICY_TAGS = ['p', 'sp', 'np', 'adkim', 'aspf', 'pct', 'testing'] as const;
/** As published; empty for what is absent. */
type PublishedPolicy = Readonly<Record<(typeof POLICY_TAGS)[number], string>>;

/** What a reporter says about messages, beside their source and number. */
export type ReportShape = {
  /** `none`, `quarantine`, `reject`, or empty. */
  readonly disposition: string;
  /** As the reporter evaluated them, with alignment. */
  readonly spfPassed: boolean;
  readonly dkimPassed: boolean;
  readonly reasons: readonly { readonly type: string; readonly comment: string }[];
  /** Lower case. */
  readonly headerFrom: string;
  /** Lower case; empty if absent. */
  readonly envelopeFrom: string;
  readonly spf: readonly {
    readonly domain: string;
    readonly scope: string;
    readonly result: string;
  }[];
  readonly dkim: readonly {
    readonly domain: string;
    readonly selector: string;
    readonly result: string;
  }[];
};

export type ReportRow = ReportShape & {
  /** Canonical text. */
  readonly address: string;
  /** From 1 to 10^9. */
  readonly count: number;
};

/** Messages of one address, or of one place, with the same results. */
export type SeenSource = ReportShape & {
  readonly address: string;
  readonly messages: number;
  /** `2026-11-15`, UTC. */
  readonly firstDay: string;
  readonly lastDay: string;
  /** Names of reporters. */
  readonly reporters: readonly string[];
};

/** The same with the messages of each day. */
export type DailySource = SeenSource & {
  /**
   * 1, or the number of addresses of a /24 or /48 that are added up; `address` is the block's first
   * one.
   */
  readonly addresses: number;
  /** Added up at import, because a day had too many sources. */
  readonly isSummed: boolean;
  /** The day from which those of `daily` are counted. */
  readonly start: string;
  /** In order. Days without messages are left out. */
  readonly daily: readonly DayMessages[];
};

export type DayMessages = {
  readonly day: number;
  readonly messages: number;
  /** The part that receivers of the table reported. */
  readonly listed: number;
};

export type SeenReporter = {
  readonly name: string;
  readonly email: string;
  readonly reports: number;
  readonly messages: number;
  readonly firstDay: string;
  readonly lastDay: string;
};

/** What reports say about a domain from one day to another. */
export type ReportWindow<Source extends SeenSource = SeenSource> = SeenWindow & {
  readonly sources: readonly Source[];
};

/** The same without their rows. */
export type SeenWindow = {
  /** Changes with every import and every decision for the domain. */
  readonly generation: number;
  /** Proven and usable ones, as are those that follow. */
  readonly reports: number;
  readonly reporters: readonly SeenReporter[];
  /** By mail, and not signed by the domain of the reporter: why, and how many. */
  readonly unproven: readonly { readonly reason: UnprovenReason; readonly reports: number }[];
  /** Proven ones with a period of more than 48 hours, or in the future. */
  readonly unusable: number;
  /** Reports contradicted by another with the same key but different rows. */
  readonly conflicting: number;
  /** Days with any report, in order; `passed` of `messages` did. */
  readonly days: readonly {
    readonly day: string;
    readonly messages: number;
    readonly passed: number;
  }[];
};

export const SENDER_DECISIONS = ['ours', 'not_ours', 'expected_forwarder'] as const;
export type SenderDecision = (typeof SENDER_DECISIONS)[number];
