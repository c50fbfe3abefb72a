/**
 * The sentences of advice. They are made only here, and those of SPF, DKIM and DMARC in a file
 * each.
 */
import type { DnsFault } from '../dns/fault.ts';
import { isSpecialUse } from '../dns/special-use.ts';
import { explain, type Finding, isFailure } from '../findings/finding.ts';
import { type Domain, explanationsOf, firstThree } from '../findings/phrases.ts';
import {
  explainObstacle,
  type Readiness,
  type RefusedSender,
  type ReportedRefusal,
  type UnprovenSenders,
} from '../readiness/readiness.ts';
import { registrableDomain } from '../registrable-domain.ts';
import type { DmarcPolicy } from '../report.ts';
import type { Takeover } from '../score/score.ts';
import type { OpenToAll } from '../spf/open-to-all.ts';
import { excerpt } from '../visible-text.ts';
import { DKIM_SENTENCES } from './dkim-text.ts';
import { DMARC_SENTENCES } from './dmarc-text.ts';
import { SPF_SENTENCES } from './spf-text.ts';

type Hosts = { hosts: readonly string[] };

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

/** By code: the sentence, and with it the detail that the code has. */
export const SENTENCES = {
  domain_missing: ({ domain }: Domain) =>
    isSpecialUse(domain)
      ? `${domain} is a special-use name, which the public DNS does not have and which cannot receive mail from the internet.`
      : `The domain ${domain} does not exist in DNS. Check the spelling, or ${registrableDomain(domain) === domain ? 'register' : 'create'} it.`,
  unverified: ({ part, errors, isPartial = false, fault }: Unverified) =>
    `${isPartial ? `Some ${part} selectors` : part} could not be verified ${reasonOf(part, errors)}.${fault === undefined ? '' : ` ${FAULTS[fault]}`}`,
  more_advice: ({ count }: { count: number }) => `${count} more recommendations are not listed.`,
  /**
   * A record at the domain, or below it, would take the wildcard's records away from it (RFC 4592
   * §2.2.1).
   */
  domain_by_wildcard: ({
    domain,
    lost,
    isKnown,
  }: Domain & { lost: readonly string[]; isKnown: boolean }) => {
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
  mail_refused_in_reports: (refusal: ReportedRefusal) =>
    `${explainReportedRefusal(refusal)}: ${firstThree(refusal.reasons)}.`,
  sender_not_proven: ({ domain, services, unknown, policy }: UnprovenSenders) => {
    const keys =
      services.length === 0
        ? ''
        : `No key of ${listWithAnd(services)} was found, of which not every selector is known or was answered: check again with their names. `;
    const others =
      unknown.length === 0
        ? ''
        : `SPF lets senders pass that are not known here: ${firstThree(unknown)}. `;
    const what =
      policy === 'none' ? 'before the policy becomes stricter' : `since the policy is ${policy}`;
    return `${keys}${others}See in the reports that their mail as ${domain} passes DMARC, ${what}.`;
  },
  /** Stricter steps, and what stands in their way. */
  not_ready: ({ steps, obstacles }: Readiness) =>
    `${listWithAnd(steps)} would be safe when ${firstThree(obstacles.map(explainObstacle))}.`,
  /**
   * One of the records for a domain that sends no mail; the first missing one has the explanation.
   */
  no_mail: (detail: NoMail) => {
    const { domain, record, missing, isDeclared } = detail;
    const condition = isDeclared ? `Since ${domain} sends no mail` : `If ${domain} sends no mail`;
    const below = record === 'DMARC' ? belowNoMail(detail) : '';
    if (record !== missing[0]) return `${condition}, ${NO_MAIL_STEPS[record]}${below}.`;
    const about = aboutNoMail(detail);
    if (missing.length === 1) return `${about}${condition}, ${NO_MAIL_STEPS[record]}${below}.`;
    return `${about}${condition}, publish ${missing.length} records: ${listWithAnd(missing.map((name) => NO_MAIL_RECORDS[name]))}.`;
  },
  no_mail_finished: () =>
    'This domain is set up to send no mail: there is nothing to fix. The 30 points of DKIM are for domains that sign mail, so its score cannot exceed 70.',
  mx_name_own_host: ({ domain }: Domain) =>
    `Mail reaches ${domain} only through its address record. If that host takes the mail, name it.`,
  mx_null: ({
    domain,
    mailGoesTo,
    alias,
  }: Domain & { mailGoesTo: 'private address' | 'nowhere'; alias?: string }) => {
    if (alias !== undefined)
      return `${domain} has no MX record, and cannot have one of its own because it is an alias of ${alias}.`;
    const why =
      mailGoesTo === 'nowhere'
        ? 'no address'
        : 'only an address that cannot be reached from the internet';
    return `${domain} has no MX record and ${why}, so that replies and bounces cannot be delivered. Publish an MX record with the name of your mail server; if it takes no mail, say so with a null MX.`;
  },
  mx_faults: ({
    domain,
    errors,
    isDead,
  }: Domain & { errors: readonly Finding[]; isDead: boolean }) =>
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
  mx_duplicates: ({ hosts }: Hosts) =>
    `MX hosts are listed more than once: ${firstThree(hosts)}. Keep one of each.`,
  mx_private: ({ hosts }: Hosts) =>
    `Some addresses of MX hosts are private or loopback addresses, which senders cannot reach: ${firstThree(hosts)}. Remove those.`,

  ...SPF_SENTENCES,
  ...DKIM_SENTENCES,
  ...DMARC_SENTENCES,
};

const FAULTS: Readonly<Record<DnsFault, string>> = {
  signatures:
    'The DNSSEC signatures of the zone do not validate; without validation the resolver answers.',
  servers: 'The name servers of the zone do not answer, also without validation.',
};

const NO_MAIL_RECORDS = {
  'null MX': 'a null MX',
  SPF: 'v=spf1 -all',
  DMARC: 'a DMARC policy of reject',
} as const;

const NO_MAIL_STEPS = {
  'null MX': 'say with a null MX that it takes none either',
  SPF: 'let no server send as it',
  DMARC: 'let receivers refuse what claims to be from it',
} as const;

function aboutNoMail({
  domain,
  isDeclared,
  isPublicSuffix,
  mailGoesTo,
  policy,
  alias,
}: NoMail): string {
  const suffix = isPublicSuffix
    ? `${domain} is a public suffix, under which others register domains. `
    : '';
  const aliased =
    alias === undefined ? '' : `${domain} is an alias of ${alias}: MX and SPF belong there. `;
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
  if (sending.length === 0)
    return '; that also holds for every subdomain without a DMARC record of its own';
  return `, but not for its subdomains, since ${firstThree(sending)} may send`;
}

export function listWithAnd(items: readonly string[]): string {
  return items.length < 2 ? items.join('') : `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`;
}

function explainOpenToAll(domain: string, openToAll: OpenToAll): string {
  if (openToAll.kind === 'networks')
    return `its SPF record lets ${openToAll.percent}% of the ${openToAll.version === 4 ? 'IPv4' : 'global IPv6'} addresses pass`;
  const how = /^redirect=/i.test(openToAll.ownTerm) ? 'to which it redirects' : 'which it includes';
  const where =
    openToAll.recordOf === domain
      ? 'its SPF record'
      : `the SPF record of ${openToAll.recordOf}, ${how},`;
  return `"${openToAll.term}" in ${where} lets every server pass`;
}

/** What another owner could do, as a sentence. */
export function explainTakeover(takeover: Takeover): string {
  const { kind, name, target, registrable, isAlias = false } = takeover;
  const [reference, gain] = TAKEOVERS[kind];
  const how = isAlias ? 'is an alias of' : reference;
  const what =
    target === registrable
      ? 'which is not registered'
      : `which does not exist, and ${registrable} is not registered`;
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
const actOf = (policy: DmarcPolicy) => (policy === 'reject' ? 'refuse' : 'treat as spam');

/** Without the reasons. */
export function explainReportedRefusal({ domain, policy }: ReportedRefusal): string {
  return `Receivers ${actOf(policy)} mail of ${domain}, as reports show, since the DMARC policy is ${policy}`;
}

export function explainRefused({ domain, service, selectors, policy }: RefusedSender): string {
  return `Receivers ${actOf(policy)} what ${service} sends as ${domain}, if it still sends for you: its bounces go to a domain of its own, none of its keys (${selectors.join(', ')}) is published, and the DMARC policy is ${policy}`;
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
