// Advice as data: a code, its detail, what it gains, and the record to publish. advice-text.ts makes the sentence.
import type { Arrival } from '../dmarc/destinations.ts';
import type { DnsFault } from '../dns/fault.ts';
import type { Finding, FindingDetails } from '../findings/finding.ts';
import type { Provider } from '../providers.ts';
import type { DmarcPolicy } from '../report.ts';
import type { Takeover } from '../score/score.ts';
import type { OpenToAll } from '../spf/open-to-all.ts';
import type { SomeTerms } from '../spf/summary.ts';
import type { DmarcEdit } from './dmarc-record.ts';
import type { PastedMistake } from './pasted-text.ts';
import type { Readiness, RefusedSender, UnprovenSenders } from './readiness.ts';
import type { ProposedRecord } from './zone-file.ts';

export type AdviceDetails = { readonly [Code in keyof Details]: Readonly<Details[Code]> };

type Details = {
  domain_missing: { domain: string };
  unverified: {
    part: 'MX' | 'SPF' | 'DKIM' | 'DMARC';
    errors: readonly Finding[];
    /** Something of the part was found all the same. */
    isPartial?: true;
    fault?: DnsFault | undefined;
  };
  more_advice: { count: number };
  /** A record at the domain, or below it, would take the wildcard's records away from it (RFC 4592 §2.2.1). */
  domain_by_wildcard: { domain: string; lost: readonly string[]; isKnown: boolean };

  anyone_can_send: { domain: string; openToAll: OpenToAll };
  /** Another owner can register the domain of the name that is referred to. */
  takeover: Takeover;
  mail_refused_now: RefusedSender;
  sender_not_proven: UnprovenSenders;
  /** Stricter steps, and what stands in their way. */
  not_ready: Readiness;

  /** One of the records for a domain that sends no mail; `first` is the one with the explanation. */
  no_mail: {
    domain: string;
    record: 'null MX' | 'SPF' | 'DMARC';
    /** All of those that are missing, in order. */
    missing: readonly ('null MX' | 'SPF' | 'DMARC')[];
    /** It has said that it sends no mail, with a null MX or `-all`. */
    isDeclared: boolean;
    isPublicSuffix: boolean;
    mailGoesTo: 'own address' | 'nowhere';
    /** Subdomains that send: the policy for names below stays. */
    sending: readonly string[];
    /** What protects it already: the policy in force, which it may inherit. */
    policy: DmarcPolicy;
    alias?: string | undefined;
  };
  no_mail_finished: NoDetail;

  mx_name_own_host: { domain: string };
  mx_null: { domain: string; mailGoesTo: 'private address' | 'nowhere'; alias?: string };
  mx_faults: { domain: string; errors: readonly Finding[]; isDead: boolean };
  mx_only_ipv6: { hosts: readonly string[] };
  mx_localhost: { host: string };
  /** A domain with name servers of its own is an alias. */
  apex_alias: { domain: string; alias: string };
  mx_too_many: { domain: string; errors: readonly Finding[] };
  mx_null_but_sends: { domain: string; hasKey: boolean };
  mx_duplicates: { hosts: readonly string[] };
  mx_private: { hosts: readonly string[] };

  spf_publish: {
    domain: string;
    /** `unknown`: the MX hosts are of others. `not told`: there are none, or they are not known. */
    senders: 'MX hosts' | 'own address' | 'unknown' | 'not told' | { providers: readonly string[] };
    alias?: string | undefined;
  };
  spf_lookalike: { domain: string; raw: string; isBesideRecord: boolean; mistakes: readonly PastedMistake[] };
  /** The rest of the record is a TXT record of its own. */
  spf_split: { domain: string; rest: string };
  /** `lookups` and what costs them, if the merged record has too many. */
  spf_merge: { domain: string; count: number; lookups: number; terms: AdviceDetails['spf_limits']['terms'] };
  /** Addresses that no receiver on the internet sees. */
  spf_private: { terms: SomeTerms };
  spf_faults: {
    errors: readonly Finding[];
    isSoftened: boolean;
    mistakes: readonly PastedMistake[];
    /** A term that looks like two without the blank between them. */
    glued?: string | undefined;
  };
  spf_limits: {
    lookups: number;
    voidLookups: number;
    /** What to remove first; `unsigned` is a service that seems not to be used, `unneeded` one that needs no term. */
    terms: {
      term: string;
      lookups: number;
      unsigned?: string | undefined;
      unneeded?: string | undefined;
    }[];
  };
  spf_at_limit: NoDetail;
  spf_void: { terms: SomeTerms };
  /** No term lets a server pass. */
  spf_lists_none: { domain: string };
  spf_soften: { hasAll: boolean };
  spf_harden: { domain: string };
  /** The MX hosts are of a provider that the record does not name. */
  spf_provider_missing: ProviderIncludes & { isRefused: boolean };
  /** The record names the provider of the MX hosts, with a qualifier that does not let it send. */
  spf_provider_refused: ProviderIncludes & { term: string };
  spf_broad: {
    addresses: number;
    percent: number;
    term: string;
    /** Addresses of the term alone. */
    ofTerm: number;
    cloud?: string | undefined;
  };
  spf_redirect_target: { domain: string };
  spf_redirect_beside_all: { term: string; isIncluded: boolean };
  spf_ignored_terms: { terms: SomeTerms };
  spf_mistyped_modifiers: { terms: SomeTerms };
  spf_ptr: NoDetail;
  spf_size: { domain: string; bytes: number };
  spf_long: { bytes: number };

  dkim_publish: { domain: string; isDefaultMode: boolean; places: readonly SigningPlace[] };
  dkim_revoked: { names: readonly string[]; domain: string; places: readonly SigningPlace[] };
  dkim_dangling: { selectors: readonly { name: string; target: string }[]; places: readonly SigningPlace[] };
  /** `provider` is that of the target, `''` if it is not known. */
  dkim_dangling_beside: { name: string; target: string; provider: string; setup: string };
  dkim_doubled: { domain: string; names: readonly string[] };
  dkim_faults: { keys: readonly NamedKey[] };
  dkim_repair: NamedKey & { mistakes: readonly PastedMistake[] };
  /** Where no receiver looks. */
  dkim_at_apex: { domain: string };
  dkim_unusable_beside: NamedKey;
  dkim_short: { keys: readonly KeySize[] };
  dkim_short_beside: { keys: readonly KeySize[] };
  dkim_only_ed25519: NoDetail;
  dkim_testing: { name: string };
  dkim_long: KeySize;
  dkim_padding: { name: string };
  dkim_extra_txt: { name: string };
  dkim_wildcard: { domain: string };

  dmarc_publish: {
    domain: string;
    reports: ReportsTo;
    reason: FindingDetails['no_dmarc_record'] | { unusableParent: string };
    alias?: string | undefined;
  };
  /** An own record for a domain that inherits one. */
  dmarc_own: {
    domain: string;
    parent: string;
    inherited: DmarcPolicy;
    /** With `pct` or `t=y`: not for all mail. */
    isPartial: boolean;
    policy: DmarcPolicy;
    reports: ReportsTo;
    alias?: string | undefined;
  };
  dmarc_change: { name: string; edits: readonly DmarcEdit[]; reports: ReportsTo; alias?: string | undefined };
  /** Neither SPF nor DKIM can pass, so that the policy is used on the owner's mail. */
  dmarc_refuses_own: { domain: string; policy: DmarcPolicy };
  /** Mail passes by SPF only, which forwarding breaks. */
  dmarc_spf_alone: { domain: string; policy: DmarcPolicy };
  dmarc_weaker_than_parent: { domain: string; policy: DmarcPolicy; parent: string; inherited: DmarcPolicy };
  dmarc_reports_elsewhere: { domain: string };
  dmarc_multiple: { name: string };
  /** `_dmarc` is a zone of its own. */
  dmarc_delegated: { domain: string; servers: readonly string[] };
  dmarc_dangling: { name: string; target: string };
  /** `isRead`: it is below the limit, but too long for advice. */
  dmarc_too_long: { name: string; isRead: boolean };
  dmarc_misplaced_beside: { name: string; domain: string };
  dmarc_subdomains: { policy: DmarcPolicy | ''; recordDomain: string };
  /** `np` beside a stricter policy. */
  dmarc_nonexistent: { domain: string; np: DmarcPolicy };
  /** `psd=y` at a domain that is not a public suffix. */
  dmarc_psd: { domain: string };
  /** Reports to an address do not reach the owner of the domain. */
  dmarc_reports_lost: { uri: string; host: string; arrival: Arrival };
  dmarc_many_reports: { count: number };
  dmarc_unauthorized: { uri: string; host: string; name: string };
  dmarc_unverified_destination: { uri: string };
  dmarc_historic: { tags: readonly string[] };
  dmarc_models: { name: string; domain: string };
};

/** `includes`: any of these names; which one is right may depend on the region. */
type ProviderIncludes = { readonly provider: string; readonly includes: readonly string[] };
type NoDetail = Readonly<Record<string, never>>;
/** Where a provider of the domain switches DKIM on. */
export type SigningPlace = Pick<Provider, 'name' | 'setup' | 'normal'>;
/** `name` is that of the TXT record: `google._domainkey.example.com`. */
export type NamedKey = { readonly name: string; readonly errors: readonly Finding[] };
export type KeySize = { readonly name: string; readonly bits: number };
/** `same`: to addresses that were there before. `nowhere`, `unknown`: the domain cannot, or may not, receive mail. */
export type ReportsTo = 'same' | 'domain' | 'nowhere' | 'unknown';

export type AdviceCode = keyof AdviceDetails;

/** Publishing `record` in place of the TXT records of the same name that are listed in `replaces`. */
export type Change = { readonly record: ProposedRecord; readonly replaces: readonly string[] };

/** `points`: how much the score rises; 0 for what does not count but should be known. */
export type Advice<Code extends AdviceCode = AdviceCode> = Code extends AdviceCode
  ? { readonly code: Code; readonly detail: AdviceDetails[Code]; readonly points: number; readonly change?: Change }
  : never;

/** Before the zone with the change was scored. `points`: without a change. `rank` replaces the points in the order. */
export type Draft<Code extends AdviceCode = AdviceCode> = Code extends AdviceCode
  ? {
      readonly code: Code;
      readonly detail: AdviceDetails[Code];
      readonly points?: number;
      readonly rank?: number | undefined;
      readonly change?: Change | undefined;
      /** Instead of `change` if that must not be made; the first of them that may be is shown. */
      readonly alternatives?: readonly Change[];
      /** Without a record that may be published there is no reason for it; `points`: unless it gains some. */
      readonly onlyWith?: 'record' | 'points';
      /** Changes that are not shown, any of which may be made; the least gain of them is shown. */
      readonly trials?: readonly Change[];
    }
  : never;

/** Above what only gains points: as long as anyone can send as the domain, nothing else protects it. */
export const RANKS = {
  anyoneCanSend: 1000,
  takeover: 900,
  refused: 850,
  noMail: 800,
  noPolicy: 700,
  byWildcard: 650,
  reports: 600,
} as const;
