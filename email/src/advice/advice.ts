/**
 * Advice as data: a code, a detail with what the code refers to, what it gains, and the record to publish where one can
 * be given. advice-text.ts makes the sentence.
 */

import type { Arrival } from '../dmarc/destinations.ts';
import type { DnsFault } from '../dns/fault.ts';
import type { Finding, FindingDetails } from '../findings/finding.ts';
import type { DmarcPolicy } from '../report.ts';
import type { Takeover } from '../score/score.ts';
import type { OpenToAll } from '../spf/open-to-all.ts';
import type { SomeTerms } from '../spf/summary.ts';
import type { DmarcEdit } from './dmarc-record.ts';
import type { PastedMistake } from './pasted-text.ts';
import type { Readiness } from './readiness.ts';
import type { ProposedRecord } from './zone-file.ts';

export type AdviceDetails = {
  domain_missing: { readonly domain: string };
  unverified: {
    readonly part: 'MX' | 'SPF' | 'DKIM' | 'DMARC';
    readonly errors: readonly Finding[];
    /** Something of the part was found all the same. */
    readonly isPartial?: true;
    readonly fault?: DnsFault;
  };
  /** The last entry of a list that was cut. */
  more_advice: { readonly count: number };
  /** A record at the domain, or below it, would take the wildcard's records away from it (RFC 4592 §2.2.1). */
  domain_by_wildcard: { readonly domain: string; readonly lost: readonly string[]; readonly isKnown: boolean };

  anyone_can_send: { readonly domain: string; readonly openToAll: OpenToAll };
  /** Another owner can register the domain of the name that is referred to. */
  takeover: Takeover;
  /** Stricter steps, and what stands in their way. */
  not_ready: Readiness;

  /** One of the records for a domain that sends no mail; `first` is the one with the explanation. */
  no_mail: {
    readonly domain: string;
    readonly record: 'null MX' | 'SPF' | 'DMARC';
    /** All of those that are missing, in order. */
    readonly missing: readonly ('null MX' | 'SPF' | 'DMARC')[];
    /** It has said that it sends no mail, with a null MX or `-all`. */
    readonly isDeclared: boolean;
    readonly isPublicSuffix: boolean;
    readonly mailGoesTo: 'own address' | 'nowhere';
    /** Subdomains that send: the policy for names below stays. */
    readonly sending: readonly string[];
    readonly alias?: string;
  };
  no_mail_finished: NoDetail;

  mx_name_own_host: { readonly domain: string };
  mx_null: { readonly domain: string; readonly mailGoesTo: 'private address' | 'nowhere'; readonly alias?: string };
  mx_faults: { readonly domain: string; readonly errors: readonly Finding[]; readonly isDead: boolean };
  mx_only_ipv6: { readonly hosts: readonly string[] };
  mx_localhost: { readonly host: string };
  /** A domain with name servers of its own is an alias. */
  apex_alias: { readonly domain: string; readonly alias: string };
  mx_too_many: { readonly domain: string; readonly errors: readonly Finding[] };
  mx_null_but_sends: { readonly domain: string; readonly hasKey: boolean };
  mx_duplicates: { readonly hosts: readonly string[] };
  mx_private: { readonly hosts: readonly string[] };

  spf_publish: {
    readonly domain: string;
    readonly senders: 'MX hosts' | 'own address' | 'unknown' | { readonly providers: readonly string[] };
    readonly alias?: string;
  };
  spf_lookalike: {
    readonly domain: string;
    readonly raw: string;
    readonly isBesideRecord: boolean;
    readonly mistakes: readonly PastedMistake[];
  };
  /** The rest of the record is a TXT record of its own. */
  spf_split: { readonly domain: string; readonly rest: string };
  spf_merge: { readonly domain: string; readonly count: number };
  spf_faults: {
    readonly errors: readonly Finding[];
    readonly isSoftened: boolean;
    readonly mistakes: readonly PastedMistake[];
    /** A term that looks like two without the blank between them. */
    readonly glued?: string;
  };
  spf_limits: {
    readonly lookups: number;
    readonly voidLookups: number;
    /** What to remove first; `unsigned` is a service that seems not to be used. */
    readonly terms: readonly { readonly term: string; readonly lookups: number; readonly unsigned?: string }[];
  };
  spf_at_limit: NoDetail;
  spf_void: { readonly terms: SomeTerms };
  /** No term lets a server pass. */
  spf_lists_none: { readonly domain: string };
  spf_soften: { readonly hasAll: boolean };
  spf_harden: { readonly domain: string };
  /** The MX hosts are of a provider that the record does not name. */
  spf_provider_missing: ProviderIncludes & { readonly isRefused: boolean };
  /** The record names the provider of the MX hosts, with a qualifier that does not let it send. */
  spf_provider_refused: ProviderIncludes & { readonly term: string };
  spf_broad: {
    readonly addresses: number;
    readonly percent: number;
    readonly term: string;
    /** Addresses of the term alone. */
    readonly ofTerm: number;
    readonly cloud?: string;
  };
  spf_redirect_target: { readonly domain: string };
  spf_redirect_beside_all: { readonly term: string; readonly isIncluded: boolean };
  spf_ignored_terms: { readonly terms: SomeTerms };
  spf_mistyped_modifiers: { readonly terms: SomeTerms };
  spf_ptr: NoDetail;
  spf_size: { readonly domain: string; readonly bytes: number };
  spf_long: { readonly bytes: number };

  dkim_publish: { readonly domain: string; readonly isDefaultMode: boolean };
  dkim_revoked: { readonly names: readonly string[]; readonly domain: string };
  dkim_dangling: { readonly selectors: readonly { readonly name: string; readonly target: string }[] };
  dkim_dangling_beside: { readonly name: string; readonly target: string };
  dkim_doubled: { readonly domain: string; readonly names: readonly string[] };
  dkim_faults: { readonly keys: readonly NamedKey[] };
  dkim_repair: NamedKey & { readonly mistakes: readonly PastedMistake[] };
  /** Where no receiver looks. */
  dkim_at_apex: { readonly domain: string };
  dkim_unusable_beside: NamedKey;
  dkim_short: { readonly keys: readonly KeySize[] };
  dkim_short_beside: { readonly keys: readonly KeySize[] };
  dkim_only_ed25519: NoDetail;
  dkim_testing: { readonly name: string };
  dkim_long: KeySize;
  dkim_padding: { readonly name: string };
  dkim_extra_txt: { readonly name: string };
  dkim_wildcard: { readonly domain: string };

  dmarc_publish: {
    readonly domain: string;
    readonly reports: ReportsTo;
    readonly reason: FindingDetails['no_dmarc_record'] | { readonly unusableParent: string };
    readonly alias?: string;
  };
  /** An own record for a domain that inherits one. */
  dmarc_own: {
    readonly domain: string;
    readonly parent: string;
    readonly inherited: DmarcPolicy;
    /** With `pct` or `t=y`: not for all mail. */
    readonly isPartial: boolean;
    readonly policy: DmarcPolicy;
    readonly reports: ReportsTo;
    readonly alias?: string;
  };
  dmarc_change: {
    readonly name: string;
    readonly edits: readonly DmarcEdit[];
    readonly reports: ReportsTo;
    readonly alias?: string;
  };
  /** Neither SPF nor DKIM can pass, so that the policy is used on the owner's mail. */
  dmarc_refuses_own: { readonly domain: string; readonly policy: DmarcPolicy };
  dmarc_reports_elsewhere: { readonly domain: string };
  dmarc_multiple: { readonly name: string };
  dmarc_dangling: { readonly name: string; readonly target: string };
  /** `isRead`: it is below the limit, but too long for advice. */
  dmarc_too_long: { readonly name: string; readonly isRead: boolean };
  dmarc_misplaced_beside: { readonly name: string; readonly domain: string };
  dmarc_subdomains: { readonly policy: DmarcPolicy | ''; readonly recordDomain: string };
  /** `np=none` beside a stricter policy. */
  dmarc_nonexistent: { readonly domain: string };
  /** `psd=y` at a domain that is not a public suffix. */
  dmarc_psd: { readonly domain: string };
  /** Reports to an address do not reach the owner of the domain. */
  dmarc_reports_lost: { readonly uri: string; readonly host: string; readonly arrival: Arrival };
  dmarc_many_reports: { readonly count: number };
  dmarc_unauthorized: { readonly uri: string; readonly host: string; readonly name: string };
  dmarc_unverified_destination: { readonly uri: string };
  dmarc_historic: { readonly tags: readonly string[] };
  dmarc_models: { readonly name: string; readonly domain: string };
};

/** `includes`: any of these names; which one is right may depend on the region. */
type ProviderIncludes = { readonly provider: string; readonly includes: readonly string[] };
type NoDetail = Readonly<Record<string, never>>;
/** `name` is that of the TXT record: `google._domainkey.example.com`. */
export type NamedKey = { readonly name: string; readonly errors: readonly Finding[] };
export type KeySize = { readonly name: string; readonly bits: number };
/**
 * Where reports go with the proposed record: to addresses that were there before, to one at the domain, or nowhere,
 * because the domain cannot receive mail, or because it is not known whether it can.
 */
export type ReportsTo = 'same' | 'domain' | 'nowhere' | 'unknown';

export type AdviceCode = keyof AdviceDetails;

/** Publishing `record` in place of the TXT records of the same name that are listed in `replaces`. */
export type Change = { readonly record: ProposedRecord; readonly replaces: readonly string[] };

/** `points`: how much the score rises; 0 for what does not count but should be known. */
export type Advice<Code extends AdviceCode = AdviceCode> = Code extends AdviceCode
  ? { readonly code: Code; readonly detail: AdviceDetails[Code]; readonly points: number; readonly change?: Change }
  : never;

/**
 * Advice before the zone with the change was scored. `points` is what it gains if there is no change to score. `rank`
 * replaces the points in the order of the list.
 */
export type Draft<Code extends AdviceCode = AdviceCode> = Code extends AdviceCode
  ? {
      readonly code: Code;
      readonly detail: AdviceDetails[Code];
      readonly points: number;
      readonly rank?: number;
      readonly change?: Change;
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
  noMail: 800,
  noPolicy: 700,
  byWildcard: 650,
  reports: 600,
} as const;
