// The sentences of advice about DMARC.
import type { Arrival } from '../dmarc/destinations.ts';
import { MAX_TXT_BYTES } from '../dns/budget.ts';
import { explain, type FindingDetails } from '../findings/finding.ts';
import { type Domain, firstThree, type Name } from '../findings/phrases.ts';
import type { Fact } from '../findings/sentences.ts';
import { whyLost } from '../readiness/readiness.ts';
import { explainMistakes, type PastedMistake } from '../records/pasted-text.ts';
import type { DmarcPolicy } from '../report.ts';

/**
 * `same`: to addresses that were there before. `nowhere`, `unknown`: the domain cannot, or may not,
 * receive mail.
 */
export type ReportsTo = 'same' | 'domain' | 'nowhere' | 'unknown';

type DmarcFirst = Domain & {
  reports: ReportsTo;
  reason: FindingDetails['no_dmarc_record'] | { unusableParent: string };
  alias?: string | undefined;
};

type Inherited = Domain & { policy: DmarcPolicy; parent: string; inherited: DmarcPolicy };

/** `isPartial`: with `pct` or `t=y`, not for all mail. */
type DmarcOwn = Inherited & { isPartial: boolean; reports: ReportsTo; alias?: string | undefined };

/** What is different in a new DMARC record that was made from a present one. */
export type DmarcEdit = Fact<typeof EDITS, 'kind'>;

type Tag = { tag: string };

/** `inForce` is what receivers use now, `published` what the record says; both may be nothing. */
type PolicyEdit = {
  published: string;
  inForce: DmarcPolicy | '';
  to: DmarcPolicy;
  sendsNoMail: boolean;
};

/** A part of `SENTENCES` (advice-text.ts). */
export const DMARC_SENTENCES = {
  dmarc_publish: ({ domain, reports, reason, alias }: DmarcFirst) => {
    const what =
      'Begin with p=none, which changes nothing for your mail, and tighten the policy when the reports show that it passes.';
    return `Anyone can send mail as ${domain}: ${explainNoRecord(reason)} ${alias === undefined ? '' : `_dmarc.${domain} is an alias of ${alias}, which has no record: publish one of its own in place of the alias. `}${what}${reportsNote(domain, reports)}`;
  },
  /** An own record for a domain that inherits one. */
  dmarc_own: ({ domain, parent, inherited, isPartial, policy, reports, alias }: DmarcOwn) => {
    let gain = 'so that reports go to its owner';
    if (policy !== inherited) gain = `with p=${policy}, when the reports show that its mail passes`;
    else if (isPartial) gain = 'that holds for all of its mail';
    return `${domain} inherits the DMARC policy ${inherited} from ${parent}. ${atAlias(domain, alias)}Give it a record of its own ${gain}.${reportsNote(domain, reports)}`;
  },
  dmarc_change: ({
    name,
    edits,
    reports,
    alias,
  }: Name & { edits: readonly DmarcEdit[]; reports: ReportsTo; alias?: string | undefined }) => {
    const note =
      `${atAlias(name, alias)}${reportsNote(name.replace('_dmarc.', ''), reports)}`.trim();
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
  dmarc_subdomains: ({
    policy,
    recordDomain,
  }: {
    policy: DmarcPolicy | '';
    recordDomain: string;
  }) =>
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

function explainNoRecord(reason: DmarcFirst['reason']): string {
  if ('unusableParent' in reason)
    return `the DMARC record at ${reason.unusableParent} cannot be used.`;
  const { lookalike, misplaced } = reason;
  if (lookalike === undefined && misplaced === undefined) return 'it has no DMARC record.';
  return `no DMARC policy is in force, because ${explain({ code: 'no_dmarc_record', detail: reason })}.`;
}

function atAlias(name: string, alias: string | undefined): string {
  const record = name.startsWith('_dmarc.') ? name : `_dmarc.${name}`;
  if (alias === undefined) return '';
  const owner = alias.startsWith('_dmarc.')
    ? `${alias.slice('_dmarc.'.length)} and all domains`
    : 'all domains';
  return `${record} is an alias of ${alias}, which ${owner} with the same alias share: make the change there if it is right for them too, or publish a record of its own in place of the alias. `;
}

function reportsNote(domain: string, reports: ReportsTo): string {
  if (reports === 'domain') return ` Create the mailbox dmarc@${domain} first, or name another.`;
  if (reports === 'nowhere')
    return ` ${domain} cannot receive mail, so add rua= with a mailbox of another domain of yours.`;
  if (reports === 'unknown')
    return ' Add rua= with a mailbox of yours, so that you receive reports.';
  return '';
}

function explainEdit(edit: DmarcEdit): string {
  // The entry of a kind takes edits of that kind.
  return (EDITS[edit.kind] as (edit: DmarcEdit) => string)(edit);
}

const EDITS = {
  policy: explainPolicy,
  /**
   * Written out, because without it the names, or those below a public suffix, would get the new
   * policy too.
   */
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
    why === 'historic'
      ? `without ${tag}, which RFC 9989 has dropped`
      : `without "${tag}", which receivers cannot read`,
  'repaired address': ({ tag, from, to }: Tag & { from: string; to: string }) =>
    `${to} instead of ${from} in ${tag}`,
  'dropped address': ({ tag, item }: Tag & { item: string }) =>
    `without "${item}" in ${tag}, which is not an address`,
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

function explainPolicy({ published, inForce, to, sendsNoMail }: PolicyEdit): string {
  const isSame = published === '' || published.toLowerCase() === to;
  const step = `p=${to}${isSame ? '' : ` instead of p=${published}`}`;
  if (sendsNoMail) return `${step}, since the domain sends no mail`;
  if (inForce === '') return `${step}, since receivers cannot use the record as it is`;
  if (published.toLowerCase() !== inForce)
    return `${step}, since receivers treat the record as p=${inForce}; one step at a time, when the reports show that your mail passes`;
  return `${step}, when the reports show that your mail passes`;
}
