/** The sentences for advice. They are made only here. */
import type { Arrival } from '../dmarc/destinations.ts';
import { MAX_TXT_BYTES } from '../dns/budget.ts';
import type { DnsFault } from '../dns/fault.ts';
import { isSpecialUse } from '../dns/special-use.ts';
import { explain, type Finding, type FindingDetails, isFailure } from '../findings/finding.ts';
import type { Provider } from '../providers.ts';
import { registrableDomain } from '../registrable-domain.ts';
import type { DmarcPolicy } from '../report.ts';
import type { Takeover } from '../score/score.ts';
import { MAX_LOOKUPS, MAX_VOID_LOOKUPS } from '../spf/limits.ts';
import type { OpenToAll } from '../spf/open-to-all.ts';
import type { SomeTerms } from '../spf/summary.ts';
import { excerpt } from '../visible-text.ts';
import { explainMistakes, type PastedMistake } from './pasted-text.ts';
import { explainObstacle, type Readiness, type RefusedSender, type UnprovenSenders, whyLost } from './readiness.ts';

type Domain = { domain: string };
type Name = { name: string };
type Hosts = { hosts: readonly string[] };
type Terms = { terms: SomeTerms };
type Places = { places: readonly SigningPlace[] };
/** Where a provider of the domain switches DKIM on. */
type SigningPlace = Pick<Provider, 'name' | 'setup' | 'normal'>;
/** `name` is that of the TXT record: `google._domainkey.example.com`. */
type NamedKey = { name: string; errors: readonly Finding[] };
type KeySize = { name: string; bits: number };
/** `includes`: any of these names; which one is right may depend on the region. */
type ProviderIncludes = { provider: string; includes: readonly string[] };
/** `same`: to addresses that were there before. `nowhere`, `unknown`: the domain cannot, or may not, receive mail. */
export type ReportsTo = 'same' | 'domain' | 'nowhere' | 'unknown';
/** `isPartial`: something of the part was found all the same. */
type Unverified = {
  part: 'MX' | 'SPF' | 'DKIM' | 'DMARC';
  errors: readonly Finding[];
  isPartial?: boolean;
  fault?: DnsFault | undefined;
};
type NoMail = Domain & {
  record: NoMailRecord;
  /** All of those that are missing, in order. */
  missing: readonly NoMailRecord[];
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
type NoMailRecord = keyof typeof NO_MAIL_RECORDS;
/** `unknown`: the MX hosts are of others. `not told`: there are none, or they are not known. */
type LikelySender = 'MX hosts' | 'own address' | 'unknown' | 'not told' | { providers: readonly string[] };
type SpfLookalike = Domain & { raw: string; isBesideRecord: boolean; mistakes: readonly PastedMistake[] };
/** `glued`: a term that looks like two without the blank between them. */
type SpfFaults = {
  errors: readonly Finding[];
  isSoftened: boolean;
  mistakes: readonly PastedMistake[];
  glued?: string | undefined;
};
/** What to remove first; `unsigned` is a service that seems not to be used, `unneeded` one that needs no term. */
type CostlyTerm = { term: string; lookups: number; unsigned?: string | undefined; unneeded?: string | undefined };
/** `ofTerm`: addresses of the term alone. */
type BroadSpf = { addresses: number; percent: number; term: string; ofTerm: number; cloud?: string | undefined };
type DmarcFirst = Domain & {
  reports: ReportsTo;
  reason: FindingDetails['no_dmarc_record'] | { unusableParent: string };
  alias?: string | undefined;
};
type Inherited = Domain & { policy: DmarcPolicy; parent: string; inherited: DmarcPolicy };
/** `isPartial`: with `pct` or `t=y`, not for all mail. */
type DmarcOwn = Inherited & { isPartial: boolean; reports: ReportsTo; alias?: string | undefined };

/** By code: the sentence, and with it the detail that the code has. */
export const SENTENCES = {
  domain_missing: ({ domain }: Domain) =>
    isSpecialUse(domain)
      ? `${domain} is a special-use name, which the public DNS does not have and which cannot receive mail from the internet.`
      : `The domain ${domain} does not exist in DNS. Check the spelling, or ${registrableDomain(domain) === domain ? 'register' : 'create'} it.`,
  unverified: ({ part, errors, isPartial = false, fault }: Unverified) =>
    `${isPartial ? `Some ${part} selectors` : part} could not be verified ${reasonOf(part, errors)}.${fault === undefined ? '' : ` ${FAULTS[fault]}`}`,
  more_advice: ({ count }: { count: number }) => `${count} more recommendations are not listed.`,

  /** A record at the domain, or below it, would take the wildcard's records away from it (RFC 4592 §2.2.1). */
  domain_by_wildcard: ({ domain, lost, isKnown }: Domain & { lost: readonly string[]; isKnown: boolean }) => {
    if (!isKnown)
      return `Whether a wildcard answers for ${domain} could not be verified. A record at this name or below it would end that (RFC 4592), so that no record is proposed; check again later.`;
    const loss = lost.length === 0 ? '' : ` and take its ${lost.join(' and ')} away`;
    return `${domain} has no records of its own: a wildcard answers for it. A record at this name or below it would end that (RFC 4592)${loss}, so that no record is proposed. Publish all records of ${domain} under its own name first.`;
  },

  anyone_can_send: ({ domain, openToAll }: Domain & { openToAll: OpenToAll }) =>
    `Anyone can send mail as ${domain}: ${explainOpenToAll(domain, openToAll)}. Name the servers that send, and let ~all mark the others.`,
  /** Another owner can register the domain of the name that is referred to. */
  takeover: (takeover: Takeover) => `${explainTakeover(takeover)} Remove the reference.`,
  mail_refused_now: (sender: RefusedSender) =>
    `${explainRefused(sender)}. At ${sender.service} ${sender.setup}; or remove "${excerpt(sender.term)}" from SPF if it no longer sends.`,
  sender_not_proven: ({ domain, services, unknown, policy }: UnprovenSenders) => {
    const keys =
      services.length === 0
        ? ''
        : `No key of ${listWithAnd(services)} was found, of which not every selector is known or was answered: check again with their names. `;
    const others =
      unknown.length === 0 ? '' : `SPF lets senders pass that are not known here: ${firstThree(unknown)}. `;
    const what = policy === 'none' ? 'before the policy becomes stricter' : `since the policy is ${policy}`;
    return `${keys}${others}See in the reports that their mail as ${domain} passes DMARC, ${what}.`;
  },
  /** Stricter steps, and what stands in their way. */
  not_ready: ({ steps, obstacles }: Readiness) =>
    `${listWithAnd(steps)} would be safe when: ${firstThree(obstacles.map(explainObstacle))}.`,

  /** One of the records for a domain that sends no mail; the first missing one has the explanation. */
  no_mail: (detail: NoMail) => {
    const { domain, record, missing, isDeclared } = detail;
    const condition = isDeclared ? `Since ${domain} sends no mail` : `If ${domain} sends no mail`;
    const below = record === 'DMARC' ? belowNoMail(detail) : '';
    if (record !== missing[0]) return `${condition}, ${NO_MAIL_STEPS[record]}${below}.`;
    const about = aboutNoMail(detail);
    if (missing.length === 1) return `${about}${condition}, ${NO_MAIL_STEPS[record]}${below}.`;
    return `${about}${condition}, publish ${missing.length} records: ${listWithAnd(missing.map((one) => NO_MAIL_RECORDS[one]))}.`;
  },
  no_mail_finished: () =>
    'This domain is set up to send no mail: there is nothing to fix. The 30 points of DKIM are for domains that sign mail, so its score cannot exceed 70.',

  mx_name_own_host: ({ domain }: Domain) =>
    `Mail reaches ${domain} only through its address record. If that host takes the mail, name it.`,
  mx_null: ({ domain, mailGoesTo, alias }: Domain & { mailGoesTo: 'private address' | 'nowhere'; alias?: string }) => {
    if (alias !== undefined)
      return `${domain} has no MX record, and cannot have one of its own because it is an alias of ${alias}.`;
    const why = mailGoesTo === 'nowhere' ? 'no address' : 'only an address that cannot be reached from the internet';
    return `${domain} has no MX record and ${why}, so that replies and bounces cannot be delivered. Publish an MX record with the name of your mail server; if it takes no mail, say so with a null MX.`;
  },
  mx_faults: ({ domain, errors, isDead }: Domain & { errors: readonly Finding[]; isDead: boolean }) =>
    isDead
      ? `No mail can be delivered to ${domain}, because none of its MX hosts can be reached: ${explanationsOf(errors)}. Name a host that receives mail, or a null MX if there is none.`
      : `Fix the MX records: ${explanationsOf(errors)}.`,
  mx_only_ipv6: ({ hosts }: Hosts) =>
    `The MX hosts have only IPv6 addresses (${firstThree(hosts)}): senders without IPv6, which are many, cannot deliver. Give one of them an IPv4 address.`,
  mx_localhost: ({ host }: { host: string }) =>
    `The MX host ${host} is each sender's own machine, so that no mail arrives. Name the host that receives mail; a null MX (0 .) says that the domain takes none.`,
  /** A domain with name servers of its own is an alias. */
  apex_alias: ({ domain, alias }: Domain & { alias: string }) =>
    `${domain} is an alias (CNAME) of ${alias}. A name with NS and SOA records cannot be one (RFC 1034 section 3.6.2), and can have no MX and SPF records of its own. Publish the addresses of ${alias} instead; DNS services offer that as ALIAS or flattening.`,
  mx_too_many: ({ domain, errors }: Domain & { errors: readonly Finding[] }) =>
    `${domain} has very many MX records (${explanationsOf(errors)}). Keep those that receive mail.`,
  mx_null_but_sends: ({ domain, hasKey }: Domain & { hasKey: boolean }) =>
    `${domain} publishes a null MX (it receives no mail) but an SPF record that lets servers send${hasKey ? ' and a DKIM key' : ''}: bounces and replies cannot be delivered. If it sends no mail, its SPF record is v=spf1 -all.`,
  mx_duplicates: ({ hosts }: Hosts) => `MX hosts are listed more than once: ${firstThree(hosts)}. Keep one of each.`,
  mx_private: ({ hosts }: Hosts) =>
    `Some addresses of MX hosts are private or loopback addresses, which senders cannot reach: ${firstThree(hosts)}. Remove those.`,

  spf_publish: ({ domain, senders, alias }: Domain & { senders: LikelySender; alias?: string | undefined }) => {
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
    const found = `receivers do not read the TXT record '${excerpt(raw)}' of ${domain} as SPF`;
    if (isBesideRecord) return `Remove what looks like a second SPF record: ${found}.`;
    return `The SPF record has no effect: ${found}, because ${beginningFault(raw, 'v=spf1 and a blank')}.${explainMistakes(mistakes)} Correct it.`;
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
  spf_provider_missing: ({ provider, includes, isRefused }: ProviderIncludes & { isRefused: boolean }) =>
    `The MX hosts are those of ${provider}, but the SPF record neither names ${includes.join(' or ')} nor lists all of its addresses: mail that is sent through ${provider} ${isRefused ? 'fails SPF and may be refused' : 'fails SPF'}. Add ${includes.join(' or ')} if your users send there.`,
  /** The record names the provider of the MX hosts, with a qualifier that does not let it send. */
  spf_provider_refused: ({ provider, includes, term }: ProviderIncludes & { term: string }) =>
    `The MX hosts are those of ${provider}, but "${excerpt(term)}" in the SPF record does not let its servers send. Write ${includes[0]} without the sign before it if your users send there.`,
  spf_broad: ({ addresses, percent, term, ofTerm, cloud }: BroadSpf) =>
    cloud === undefined
      ? `${formatCount(addresses)} IPv4 addresses, ${percent.toFixed(percent < 10 ? 1 : 0)} % of all, may send as this domain, ${formatCount(ofTerm)} of them by "${term}". Name only the servers that send its mail.`
      : `"${term}" lets ${formatCount(ofTerm)} IPv4 addresses send as this domain, among them those that ${cloud} rents to its customers: any of them passes SPF. Name only the servers that send its mail.`,
  spf_redirect_target: ({ domain }: Domain) =>
    `The record that redirect= of ${domain} leads to does not end in -all; have its owner tighten it, or publish a record that does.`,
  spf_redirect_beside_all: ({ term, isIncluded }: { term: string; isIncluded: boolean }) =>
    `Receivers ignore "${excerpt(term)}", because the SPF record has all (RFC 7208 section 6.1). ${isIncluded ? 'If those servers may send, write it as include; otherwise remove it' : 'Remove it'}.`,
  spf_ignored_terms: ({ terms }: Terms) =>
    `Receivers ignore what the SPF record has after all: ${listOf(terms)}. Move it before all if those servers may send, or remove it.`,
  spf_mistyped_modifiers: ({ terms }: Terms) =>
    `Receivers ignore ${listOf(terms)} in the SPF record, because a mechanism is written with a colon. Correct it.`,
  spf_ptr: () => 'Remove ptr from the SPF record: it is slow, and many receivers ignore it (RFC 7208 section 5.5).',
  spf_long: ({ bytes }: { bytes: number }) =>
    `The SPF record alone has ${bytes} bytes; an answer over 512 bytes does not fit into a DNS message without EDNS, and some resolvers need TCP for it (RFC 7208 section 3.4). Shorten it.`,
  spf_size: ({ domain, bytes }: Domain & { bytes: number }) =>
    `The TXT records of ${domain} take ${bytes > MAX_TXT_BYTES ? 'more than ' : ''}${Math.min(bytes, MAX_TXT_BYTES)} bytes; over 512 some resolvers need TCP for every check. Remove verification records that are no longer needed.`,

  dkim_publish: ({ domain, isDefaultMode, places }: Domain & Places & { isDefaultMode: boolean }) =>
    `No DKIM key was found under ${isDefaultMode ? 'any common selector; if you use another one, check again with its name' : 'the selectors given'}. ${explainSigning(domain, places)}`,
  dkim_revoked: ({ names, domain, places }: Domain & Places & { names: readonly string[] }) =>
    `Every DKIM key that was found is revoked (${firstThree(names)}). ${explainSigning(domain, places)}`,
  dkim_dangling: ({ selectors, places }: Places & { selectors: readonly { name: string; target: string }[] }) =>
    `No DKIM key was found, because ${firstThree(selectors.map(({ name, target }) => `${name} is an alias of ${target}, which has no key`))}. ${places.length > 0 ? explainSigning('', places) : 'Switch DKIM on at the provider that gave you the alias, so that it publishes the key.'}`,
  /** `provider` is that of the target, `''` if it is not known. */
  dkim_dangling_beside: ({
    name,
    target,
    provider,
    setup,
  }: {
    name: string;
    target: string;
    provider: string;
    setup: string;
  }) =>
    `${name} is an alias of ${target}, which has no key. ${setup === '' ? 'Remove it, or have its provider publish the key' : `If ${provider} sends for you, switch signing on: ${setup}`}.`,
  dkim_doubled: ({ domain, names }: Domain & { names: readonly string[] }) =>
    `The DKIM key is under a doubled name, ${firstThree(names)}, where no receiver looks: the DNS panel has added ${domain} once more. Enter the name without it.`,
  dkim_faults: ({ keys }: { keys: readonly NamedKey[] }) => `Fix the DKIM keys: ${firstThree(keys.map(faultsOfKey))}.`,
  dkim_repair: (key: NamedKey & { mistakes: readonly PastedMistake[] }) =>
    `No receiver can use the DKIM key at ${faultsOfKey(key)}.${explainMistakes(key.mistakes)} Correct the record.`,
  dkim_at_apex: ({ domain }: Domain) =>
    `A DKIM key is published at ${domain} itself, where no receiver looks. Publish it at SELECTOR._domainkey.${domain}, with the selector that your mail server signs with, and remove it here.`,
  dkim_unusable_beside: (key: NamedKey) => `The DKIM key at ${faultsOfKey(key)} cannot be used. Remove or correct it.`,
  dkim_short: ({ keys }: { keys: readonly KeySize[] }) =>
    `Replace the short DKIM key with one of 2048 bits: ${firstThree(keys.map(sizeOfKey))}.`,
  dkim_short_beside: ({ keys }: { keys: readonly KeySize[] }) =>
    `A short DKIM key beside a strong one can be broken and used to sign in your name. Replace or remove it: ${firstThree(keys.map(sizeOfKey))}.`,
  dkim_only_ed25519: () =>
    'Add an RSA key of 2048 bits beside Ed25519: not every receiver verifies Ed25519 (RFC 8463).',
  dkim_testing: ({ name }: Name) =>
    `Remove t=y from ${name}: it tells receivers that signatures are only being tested.`,
  dkim_long: ({ name, bits }: KeySize) =>
    `The key at ${name} has ${bits} bits; verifiers need only support 4096 (RFC 8301).`,
  dkim_padding: ({ name }: Name) =>
    `The key at ${name} lacks the = at the end of its base64; strict verifiers may refuse it. Add it.`,
  dkim_extra_txt: ({ name }: Name) =>
    `Remove the other TXT records at ${name}; verifiers may pick the wrong one (RFC 6376 section 3.6.2.2).`,
  dkim_wildcard: ({ domain }: Domain) =>
    `A wildcard under _domainkey.${domain} answers for every selector; publish keys under their own names.`,

  dmarc_publish: ({ domain, reports, reason, alias }: DmarcFirst) => {
    const what =
      'Begin with p=none, which changes nothing for your mail, and tighten the policy when the reports show that it passes.';
    return `Anyone can send mail as ${domain}: ${explainNoRecord(reason)} ${alias === undefined ? '' : `_dmarc.${domain} is an alias of ${alias}, which has no record: publish one of its own in place of the alias. `}${what}${reportsNote(domain, reports)}`;
  },
  /** An own record for a domain that inherits one. */
  dmarc_own: ({ domain, parent, inherited, isPartial, policy, reports, alias }: DmarcOwn) => {
    const gain =
      policy !== inherited
        ? `with p=${policy}, when the reports show that its mail passes`
        : isPartial
          ? 'that holds for all of its mail'
          : 'so that reports go to its owner';
    return `${domain} inherits the DMARC policy ${inherited} from ${parent}. ${atAlias(domain, alias)}Give it a record of its own ${gain}.${reportsNote(domain, reports)}`;
  },
  dmarc_change: ({
    name,
    edits,
    reports,
    alias,
  }: Name & { edits: readonly DmarcEdit[]; reports: ReportsTo; alias?: string | undefined }) => {
    const note = `${atAlias(name, alias)}${reportsNote(name.replace('_dmarc.', ''), reports)}`.trim();
    return `Change the DMARC record (${[...new Set(edits.map(explainEdit))].join('; ')}). ${note}`.trim();
  },
  /** Neither SPF nor DKIM can pass, so that the policy is used on the owner's mail. */
  dmarc_refuses_own: ({ domain, policy }: Domain & { policy: DmarcPolicy }) =>
    `Neither SPF nor DKIM passes for ${domain}, so that receivers ${policy === 'reject' ? 'refuse' : 'treat as spam'} its own mail too: the DMARC policy is ${policy}. Publish a working SPF record or DKIM key first of all.`,
  /** Mail passes by SPF only, which forwarding breaks. */
  dmarc_spf_alone: ({ domain, policy }: Domain & { policy: DmarcPolicy }) =>
    `Mail of ${domain} passes DMARC by SPF alone, since no DKIM key was found. A mailing list or a mailbox that forwards it breaks SPF, and receivers then ${policy === 'reject' ? 'refuse it' : 'treat it as spam'}: the policy is ${policy}. A DKIM signature survives forwarding.`,
  dmarc_weaker_than_parent: ({ domain, policy, parent, inherited }: Inherited) =>
    `The record of ${domain} has p=${policy}, which protects it less than ${inherited}, the policy that it would inherit from ${parent}. Make it stricter when its mail passes, or remove it.`,
  dmarc_reports_elsewhere: ({ domain }: Domain) =>
    `Without rua you receive no DMARC reports. ${domain} cannot receive mail, so name a mailbox of another domain of yours, which has to agree to it (RFC 9990).`,
  dmarc_multiple: ({ name }: Name) =>
    `Keep one DMARC record at ${name}; receivers discard all of them while there are several.`,
  /** `_dmarc` is a zone of its own. */
  dmarc_delegated: ({ domain, servers }: Domain & { servers: readonly string[] }) =>
    `_dmarc.${domain} is delegated to ${firstThree(servers)}: publish its TXT record in that zone. A record for it in the zone of ${domain} is hidden.`,
  dmarc_dangling: ({ name, target }: Name & { target: string }) =>
    `${name} is an alias of ${target}, which does not exist. Have its provider publish the record, or replace the alias.`,
  /** `isRead`: it is below the limit, but too long for advice. */
  dmarc_too_long: ({ name, isRead }: Name & { isRead: boolean }) =>
    `Shorten the DMARC record at ${name}: ${isRead ? 'few receivers read one of thousands of bytes' : `it has more than ${MAX_TXT_BYTES} bytes and is not read`}.`,
  dmarc_misplaced_beside: ({ name, domain }: Name & Domain) =>
    `Remove the DMARC record at ${name}: receivers look only at _dmarc.${domain}.`,
  dmarc_subdomains: ({ policy, recordDomain }: { policy: DmarcPolicy | ''; recordDomain: string }) =>
    `sp=${policy} protects subdomains less than ${recordDomain} itself. Remove sp when their mail passes.`,
  /** `np` beside a stricter policy. */
  dmarc_nonexistent: ({ domain, np }: Domain & { np: DmarcPolicy }) =>
    `np=${np} ${np === 'none' ? `lets others send as names below ${domain} that do not exist` : `protects names below ${domain} that do not exist less than the domain itself`}. No mail of yours comes from those: np=reject is safe.`,
  /** `psd=y` at a domain that is not a public suffix. */
  dmarc_psd: ({ domain }: Domain) =>
    `psd=y says that ${domain} is a public suffix, below which others register domains: each name below it is then an organization of its own. Remove psd=y unless that is so.`,
  /** Reports to an address do not reach the owner of the domain. */
  dmarc_reports_lost: ({ uri, host, arrival }: { uri: string; host: string; arrival: Arrival }) =>
    arrival.kind === 'other owner'
      ? `Reports to ${uri} go to ${arrival.service}, which filled in the record, and not to you. Add a mailbox of yours.`
      : `Reports to ${uri} are lost, because ${whyLost(host, arrival)}. Correct that, or name a mailbox of yours that takes mail.`,
  dmarc_many_reports: ({ count }: { count: number }) =>
    `The DMARC record has ${count} addresses for reports (rua), and some receivers use only the first two. Put the most important ones first.`,
  dmarc_unauthorized: ({ uri, host, name }: { uri: string; host: string; name: string }) =>
    `Reports to ${uri} are dropped until the owner of ${host} agrees with a TXT record v=DMARC1 at ${name}.`,
  dmarc_unverified_destination: ({ uri }: { uri: string }) =>
    `Whether ${uri} accepts reports could not be verified; check again later.`,
  dmarc_historic: ({ tags }: { tags: readonly string[] }) =>
    `RFC 9989 has dropped ${tags.join(', ')}; new receivers ignore ${tags.length > 1 ? 'them' : 'it'}.`,
  dmarc_models: ({ name, domain }: Name & Domain) =>
    `Older receivers (RFC 7489) do not find the record at ${name}; publish one at _dmarc.${domain} or at the organizational domain too.`,
};

const FAULTS: Readonly<Record<DnsFault, string>> = {
  signatures: 'The DNSSEC signatures of the zone do not validate; without validation the resolver answers.',
  servers: 'The name servers of the zone do not answer, also without validation.',
};

const NO_MAIL_RECORDS = { 'null MX': 'a null MX', SPF: 'v=spf1 -all', DMARC: 'a DMARC policy of reject' } as const;

const NO_MAIL_STEPS = {
  'null MX': 'say with a null MX that it takes none either',
  SPF: 'let no server send as it',
  DMARC: 'let receivers refuse what claims to be from it',
} as const;

function aboutNoMail({ domain, isDeclared, isPublicSuffix, mailGoesTo, policy, alias }: NoMail): string {
  const suffix = isPublicSuffix ? `${domain} is a public suffix, under which others register domains. ` : '';
  const aliased = alias === undefined ? '' : `${domain} is an alias of ${alias}: MX and SPF belong there. `;
  if (isDeclared) return suffix + aliased;
  const address = mailGoesTo === 'own address' ? 'an address, but no' : 'no';
  const has = `has ${address} MX record, no DKIM key, and no SPF record that names a server`;
  const risk =
    policy === 'none'
      ? `Anyone can send mail as ${domain}, which ${has}. `
      : `${domain} ${has}; the DMARC policy ${policy} protects it. `;
  return `${suffix}${risk}${aliased}If it sends mail, publish those that its mail provider names. `;
}

function belowNoMail({ sending, isPublicSuffix }: NoMail): string {
  if (isPublicSuffix) return '';
  if (sending.length === 0) return '; that also holds for every subdomain without a DMARC record of its own';
  return `, but not for its subdomains, since ${firstThree(sending)} may send`;
}

export function listWithAnd(items: readonly string[]): string {
  return items.length < 2 ? items.join('') : `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`;
}

function formatCount(count: number): string {
  return count.toLocaleString('en');
}

function beginningFault(raw: string, beginning: string): string {
  // The bytes of UTF-8 are Latin-1 characters here.
  if (/^\s*\xe2\x80[\x98-\x9f]/.test(raw)) return 'it begins with a typographic quotation mark';
  if (/^\s*["']/.test(raw)) return 'it begins with a quotation mark';
  return /^\s/.test(raw) ? 'it begins with a blank' : `it does not begin with ${beginning}`;
}

function explainOpenToAll(domain: string, openToAll: OpenToAll): string {
  if (openToAll.kind === 'networks')
    return `its SPF record lets ${openToAll.percent} % of the ${openToAll.version === 4 ? 'IPv4' : 'global IPv6'} addresses pass`;
  const how = /^redirect=/i.test(openToAll.ownTerm) ? 'to which it redirects' : 'which it includes';
  const where = openToAll.recordOf === domain ? 'its SPF record' : `the SPF record of ${openToAll.recordOf}, ${how},`;
  return `"${openToAll.term}" in ${where} lets every server pass`;
}

function explainNoRecord(reason: DmarcFirst['reason']): string {
  if ('unusableParent' in reason) return `the DMARC record at ${reason.unusableParent} cannot be used.`;
  const { lookalike, misplaced } = reason;
  if (lookalike === undefined && misplaced === undefined) return 'it has no DMARC record.';
  return `no DMARC policy is in force, because ${explain({ code: 'no_dmarc_record', detail: reason })}.`;
}

function atAlias(name: string, alias: string | undefined): string {
  const record = name.startsWith('_dmarc.') ? name : `_dmarc.${name}`;
  if (alias === undefined) return '';
  const owner = alias.startsWith('_dmarc.') ? `${alias.slice('_dmarc.'.length)} and all domains` : 'all domains';
  return `${record} is an alias of ${alias}, which ${owner} with the same alias share: make the change there if it is right for them too, or publish a record of its own in place of the alias. `;
}

/** What another owner could do, as a sentence. */
export function explainTakeover({ kind, name, target, registrable }: Takeover): string {
  const [how, gain] = TAKEOVERS[kind];
  const what =
    target === registrable ? 'which is not registered' : `which does not exist, and ${registrable} is not registered`;
  return `${name} ${how} ${target}, ${what}: anyone who registers it ${gain}.`;
}

const TAKEOVERS: Readonly<Record<Takeover['kind'], readonly [how: string, gain: string]>> = {
  include: ['includes', 'may send mail as this domain'],
  'SPF host': ['lets the host send by SPF:', 'may send mail as this domain'],
  'MX host': ['has the MX host', 'receives mail for this domain'],
  'DKIM selector': ['is an alias of', 'can publish a key and sign as this domain'],
  'DMARC alias': ['is an alias of', 'decides on the DMARC policy of this domain'],
  'report host': ['sends reports to', 'reads who sends mail as this domain'],
  'policy host': ['is an alias of', 'can switch off the MTA-STS policy of this domain'],
};

/** Whose mail the policy refuses now, without the full stop. */
export function explainRefused({ domain, service, selectors, policy }: RefusedSender): string {
  const what = policy === 'reject' ? 'refuse' : 'treat as spam';
  return `Receivers ${what} what ${service} sends as ${domain}, if it still sends for you: its bounces go to a domain of its own, none of its keys (${selectors.join(', ')}) is published, and the DMARC policy is ${policy}`;
}

function reportsNote(domain: string, reports: ReportsTo): string {
  if (reports === 'domain') return ` Create the mailbox dmarc@${domain} first, or name another.`;
  if (reports === 'nowhere')
    return ` ${domain} cannot receive mail, so add rua= with a mailbox of another domain of yours.`;
  if (reports === 'unknown') return ' Add rua= with a mailbox of yours, so that you receive reports.';
  return '';
}

function explainEdit(edit: DmarcEdit): string {
  // The entry of a kind takes edits of that kind.
  return (EDITS[edit.kind] as (edit: DmarcEdit) => string)(edit);
}

/** What is different in a new DMARC record that was made from a present one. */
export type DmarcEdit = {
  readonly [Kind in keyof typeof EDITS]: { readonly kind: Kind } & Readonly<
    Parameters<(typeof EDITS)[Kind]> extends [infer Detail] ? Detail : object
  >;
}[keyof typeof EDITS];

const EDITS = {
  policy: explainPolicy,
  /** Written out, because without it the names, or those below a public suffix, would get the new policy too. */
  'subdomains kept': ({ policy, names }: { policy: DmarcPolicy; names: readonly string[] }) =>
    `with sp=${policy}, so that nothing changes for ${names.length === 0 ? 'the names below' : `${firstThree(names)}, which may send`}`,
  'subdomains too': () =>
    'it also holds for every subdomain without a record of its own, so look for their mail in the reports too',
  nonexistent: () => 'with np=reject, since names that do not exist send no mail',
  /** `pct` or `t=y` beside `p=none`. */
  idle: ({ tag }: Tag) => `without ${tag}, which has no effect beside p=none`,
  'separated addresses': ({ tag }: Tag) => `with commas between the addresses in ${tag}`,
  /** `pct` below 100 or `t=y`. */
  full: ({ tag }: Tag) =>
    `without ${tag}, so that the policy holds for all mail, when the reports show that your mail passes`,
  dropped: ({ tag, why }: Tag & { why: 'historic' | 'wrong' }) =>
    why === 'historic' ? `without ${tag}, which RFC 9989 has dropped` : `without "${tag}", which receivers cannot read`,
  'repaired address': ({ tag, from, to }: Tag & { from: string; to: string }) => `${to} instead of ${from} in ${tag}`,
  'dropped address': ({ tag, item }: Tag & { item: string }) => `without "${item}" in ${tag}, which is not an address`,
  'rua added': ({ isBeside }: { isBeside: boolean }) =>
    isBeside
      ? 'with a mailbox of yours beside the address in rua, which does not work'
      : 'with rua, since without it you receive no reports',
  'repaired options': ({ from, to }: { from: string; to: string }) =>
    `fo=${to} instead of fo=${from}, since 0 and 1 exclude each other`,
  'separated tags': () => 'with a semicolon between the tags',
  characters: ({ mistakes }: { mistakes: readonly PastedMistake[] }) =>
    explainMistakes(mistakes)
      .trim()
      .replace(/^It has /, 'without ')
      .replace(/\.$/, ''),
  repeated: ({ tag }: Tag) => `with ${tag}= only once`,
  beginning: () => 'with v=DMARC1; at its beginning',
};

type Tag = { tag: string };
/** `inForce` is what receivers use now, `published` what the record says; both may be nothing. */
type PolicyEdit = { published: string; inForce: DmarcPolicy | ''; to: DmarcPolicy; sendsNoMail: boolean };

function explainPolicy({ published, inForce, to, sendsNoMail }: PolicyEdit): string {
  const isSame = published === '' || published.toLowerCase() === to;
  const step = `p=${to}${isSame ? '' : ` instead of p=${published}`}`;
  if (sendsNoMail) return `${step}, since the domain sends no mail`;
  if (inForce === '') return `${step}, since receivers cannot use the record as it is`;
  if (published.toLowerCase() !== inForce)
    return `${step}, since receivers treat the record as p=${inForce}; one step at a time, when the reports show that your mail passes`;
  return `${step}, when the reports show that your mail passes`;
}

function explainCost({ term, lookups, unsigned, unneeded }: CostlyTerm): string {
  const need = unneeded === undefined ? '' : `; ${unneeded} needs no SPF here`;
  const use = unsigned === undefined ? need : `; no key of ${unsigned} was found`;
  return `"${excerpt(term, 60)}" (${lookups}${use})`;
}

function faultsOfKey({ name, errors }: NamedKey): string {
  return `${name} (${explanationsOf(errors)})`;
}

/** What a customer of a known provider does there, or what the owner of a mail server does. */
function explainSigning(domain: string, places: readonly SigningPlace[]): string {
  const there = places.map(({ name, setup, normal }) => `at ${name} ${setup}${normal === '' ? '' : ` (${normal})`}`);
  if (there.length > 0) return `Switch signing on: ${there.join('; ')}.`;
  return `Have your mail server sign with a 2048-bit RSA key, and publish the key as a TXT record at SELECTOR._domainkey.${domain}.`;
}

function sizeOfKey({ name, bits }: KeySize): string {
  return `${name} (${bits} bits)`;
}

function listOf({ shown, count }: SomeTerms): string {
  const quoted = shown.map((term) => `"${term}"`).join(', ');
  return count > shown.length ? `${quoted} and ${count - shown.length} more` : quoted;
}

function explanationsOf(findings: readonly Finding[]): string {
  return firstThree(findings.slice(0, 4).map(explain), findings.length);
}

function firstThree(texts: readonly string[], count: number = texts.length): string {
  const shown = texts.slice(0, 3).join('; ');
  return count > 3 ? `${shown}; and ${count - 3} more` : shown;
}

/** Why something could not be verified. A used-up budget will be used up the next time too. */
function reasonOf(part: string, findings: readonly Finding[]): string {
  const failure = findings.find(isFailure);
  if (failure === undefined) return '(DNS did not answer); check again later';
  const many = part === 'DKIM' && findings.length > 1 ? `, and ${findings.length - 1} more` : '';
  return failure.code === 'dns_temporary_failure'
    ? `(${explain(failure)}${many}); check again later`
    : `(${explain(failure)}${many})`;
}
