// The sentences of advice about SPF.
import { MAX_TXT_BYTES } from '../dns/budget.ts';
import type { Finding } from '../findings/finding.ts';
import { type Domain, explanationsOf } from '../findings/phrases.ts';
import { explainMistakes, type PastedMistake } from '../records/pasted-text.ts';
import { MAX_LOOKUPS, MAX_VOID_LOOKUPS } from '../report.ts';
import type { SomeTerms } from '../spf/summary.ts';
import { excerpt } from '../visible-text.ts';

type Terms = { terms: SomeTerms };

/** `includes`: any of these names; which one is right may depend on the region. */
type ProviderIncludes = { provider: string; includes: readonly string[] };

/** `unknown`: the MX hosts are of others. `not told`: there are none, or they are not known. */
type LikelySender =
  | 'MX hosts'
  | 'own address'
  | 'unknown'
  | 'not told'
  | { providers: readonly string[] };

type SpfLookalike = Domain & {
  raw: string;
  isBesideRecord: boolean;
  mistakes: readonly PastedMistake[];
};

/** `glued`: a term that looks like two without the blank between them. */
type SpfFaults = {
  errors: readonly Finding[];
  isSoftened: boolean;
  mistakes: readonly PastedMistake[];
  glued?: string | undefined;
};

/**
 * What to remove first; `unsigned` is a service that seems not to be used, `unneeded` one that
 * needs no term.
 */
type CostlyTerm = {
  term: string;
  lookups: number;
  unsigned?: string | undefined;
  unneeded?: string | undefined;
};

/** `ofTerm`: addresses of the term alone. */
type BroadSpf = {
  addresses: number;
  percent: number;
  term: string;
  ofTerm: number;
  cloud?: string | undefined;
};

/** A part of `SENTENCES` (advice-text.ts). */
export const SPF_SENTENCES = {
  spf_publish: ({
    domain,
    senders,
    alias,
  }: Domain & { senders: LikelySender; alias?: string | undefined }) => {
    if (alias !== undefined)
      return `${domain} has no SPF record, and cannot have one of its own because it is an alias of ${alias}; publish it there.`;
    if (senders === 'unknown' || senders === 'not told')
      return `${domain} has no SPF record${senders === 'unknown' ? ', and its MX hosts belong to others, which tells nothing about who sends' : ''}. Publish a record that names the servers that send its mail; your mail provider says what to include.`;
    const who =
      typeof senders === 'object'
        ? senders.providers.join(' and ')
        : { 'MX hosts': 'its MX hosts', 'own address': 'its own address' }[senders];
    return `${domain} has no SPF record. Publish one that lets ${who} send; before that, add an include: for each other service that sends as ${domain}.`;
  },
  spf_lookalike: ({ domain, raw, isBesideRecord, mistakes }: SpfLookalike) => {
    const fault = `receivers do not read the TXT record '${excerpt(raw)}' of ${domain} as SPF`;
    if (isBesideRecord) return `Remove what looks like a second SPF record: ${fault}.`;
    return `The SPF record has no effect: ${fault}, because ${beginningFault(raw, 'v=spf1 and a blank')}.${explainMistakes(mistakes)} Correct it.`;
  },
  /** The rest of the record is a TXT record of its own. */
  spf_split: ({ domain, rest }: Domain & { rest: string }) =>
    `The SPF record of ${domain} is in two TXT records: receivers do not read '${excerpt(rest)}', which has no v=spf1. Publish both as one.`,
  /** `lookups` and what costs them, if the merged record has too many. */
  spf_merge: ({
    domain,
    count,
    lookups,
    terms,
  }: Domain & { count: number; lookups: number; terms: readonly CostlyTerm[] }) =>
    `Merge the ${count} SPF records of ${domain} into one; receivers ignore all of them while there are several.${lookups > MAX_LOOKUPS ? ` Together they need ${lookups} DNS lookups (${MAX_LOOKUPS} are allowed), so first remove what is no longer used, or replace it with ip4 and ip6: ${terms.map(explainCost).join(', ')}.` : ''}`,
  /** Addresses that no receiver on the internet sees. */
  spf_private: ({ terms }: Terms) =>
    `Receivers on the internet never see the private addresses of ${listOf(terms)} in the SPF record. Remove them, and name the public addresses that the mail leaves from.`,
  spf_faults: ({ errors, isSoftened, mistakes, glued }: SpfFaults) =>
    `Fix the SPF record, which receivers ignore: ${explanationsOf(errors)}.${explainMistakes(mistakes)}${glued === undefined ? '' : ` "${excerpt(glued)}" is two terms: the strings of a record are joined without a blank, so one has to be at the end of the first string.`}${isSoftened ? ' Begin with ~all, since it was not in force.' : ''}`,
  spf_limits: ({
    lookups,
    voidLookups,
    terms,
  }: {
    lookups: number;
    voidLookups: number;
    terms: readonly CostlyTerm[];
  }) =>
    `The SPF record needs ${lookups} DNS lookups (${MAX_LOOKUPS} are allowed), ${voidLookups} of which find nothing (${MAX_VOID_LOOKUPS} are allowed, RFC 7208 section 4.6.4). Remove what is no longer used, or replace it with ip4 and ip6: ${terms.map(explainCost).join(', ')}.`,
  /** No term lets a server pass. */
  spf_lists_none: ({ domain }: Domain) =>
    `The SPF record of ${domain} lists no server, so that its own mail fails SPF too. Name the servers that send.`,
  spf_soften: ({ hasAll }: { hasAll: boolean }) =>
    hasAll
      ? 'The SPF record says nothing about servers that it does not list: ?all. Write ~all instead, so that receivers suspect their mail.'
      : 'The SPF record says nothing about servers that it does not list. End it with ~all, so that receivers suspect their mail.',
  spf_at_limit: () =>
    `The SPF record needs exactly the ${MAX_LOOKUPS} DNS lookups that are allowed: one more, also in the record of a provider, and receivers ignore it (RFC 7208 section 4.6.4).`,
  spf_void: ({ terms }: Terms) =>
    `The DNS lookups of ${listOf(terms)} in the SPF record find nothing; receivers stop after two of those. Remove ${terms.count === 1 ? 'it' : 'them'}.`,
  spf_harden: ({ domain }: Domain) =>
    `When every server that sends as ${domain} is listed, tell receivers to refuse the others with -all. Mail that a mailing list or a mailbox forwards then fails SPF at receivers that do not wait for DKIM.`,
  /** The MX hosts are of a provider that the record does not name. */
  spf_provider_missing: ({
    provider,
    includes,
    isRefused,
  }: ProviderIncludes & { isRefused: boolean }) =>
    `The MX hosts are those of ${provider}, but the SPF record neither names ${includes.join(' or ')} nor lists all of its addresses: mail that is sent through ${provider} ${isRefused ? 'fails SPF and may be refused' : 'fails SPF'}. Add ${includes.join(' or ')} if your users send there.`,
  /** The record names the provider of the MX hosts, with a qualifier that does not let it send. */
  spf_provider_refused: ({ provider, includes, term }: ProviderIncludes & { term: string }) =>
    `The MX hosts are those of ${provider}, but "${excerpt(term)}" in the SPF record does not let its servers send. Write ${includes[0]} without the sign before it if your users send there.`,
  spf_broad: ({ addresses, percent, term, ofTerm, cloud }: BroadSpf) =>
    cloud === undefined
      ? `${formatCount(addresses)} IPv4 addresses, ${percent.toFixed(percent < 10 ? 1 : 0)}% of all, may send as this domain, ${formatCount(ofTerm)} of them by "${term}". Name only the servers that send its mail.`
      : `"${term}" lets ${formatCount(ofTerm)} IPv4 addresses send as this domain, among them those that ${cloud} rents to its customers: any of them passes SPF. Name only the servers that send its mail.`,
  spf_redirect_target: ({ domain }: Domain) =>
    `The record that redirect= of ${domain} leads to does not end in -all; have its owner tighten it, or publish a record that does.`,
  spf_redirect_beside_all: ({ term, isIncluded }: { term: string; isIncluded: boolean }) =>
    `Receivers ignore "${excerpt(term)}", because the SPF record has all (RFC 7208 section 6.1). ${isIncluded ? 'If those servers may send, write it as include; otherwise remove it' : 'Remove it'}.`,
  spf_ignored_terms: ({ terms }: Terms) =>
    `Receivers ignore what the SPF record has after all: ${listOf(terms)}. Move it before all if those servers may send, or remove it.`,
  spf_mistyped_modifiers: ({ terms }: Terms) =>
    `Receivers ignore ${listOf(terms)} in the SPF record, because a mechanism is written with a colon. Correct it.`,
  spf_ptr: () =>
    'Remove ptr from the SPF record: it is slow, and many receivers ignore it (RFC 7208 section 5.5).',
  spf_long: ({ bytes }: { bytes: number }) =>
    `The SPF record alone has ${bytes} bytes; an answer over 512 bytes does not fit into a DNS message without EDNS, and some resolvers need TCP for it (RFC 7208 section 3.4). Shorten it.`,
  spf_size: ({ domain, bytes }: Domain & { bytes: number }) =>
    `The TXT records of ${domain} take ${bytes > MAX_TXT_BYTES ? 'more than ' : ''}${Math.min(bytes, MAX_TXT_BYTES)} bytes; over 512 some resolvers need TCP for every check. Remove verification records that are no longer needed.`,
};

function formatCount(count: number): string {
  return count.toLocaleString('en');
}

function beginningFault(raw: string, beginning: string): string {
  // The bytes of UTF-8 are Latin-1 characters here.
  if (/^\s*\xe2\x80[\x98-\x9f]/.test(raw)) return 'it begins with a typographic quotation mark';
  if (/^\s*["']/.test(raw)) return 'it begins with a quotation mark';
  return /^\s/.test(raw) ? 'it begins with a blank' : `it does not begin with ${beginning}`;
}

function explainCost({ term, lookups, unsigned, unneeded }: CostlyTerm): string {
  const need = unneeded === undefined ? '' : `; ${unneeded} needs no SPF here`;
  const use = unsigned === undefined ? need : `; no key of ${unsigned} was found`;
  return `"${excerpt(term, 60)}" (${lookups}${use})`;
}

function listOf({ shown, count }: SomeTerms): string {
  const quoted = shown.map((term) => `"${term}"`).join(', ');
  return count > shown.length ? `${quoted} and ${count - shown.length} more` : quoted;
}
