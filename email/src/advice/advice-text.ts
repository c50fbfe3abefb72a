/** The sentences for advice. They are made only here. */
import { MAX_TXT_BYTES } from '../dns/budget.ts';
import { isSpecialUse } from '../dns/special-use.ts';
import { type Finding, isFailure } from '../findings/finding.ts';
import { explain } from '../findings/finding-text.ts';
import type { SpfOpening } from '../spf/opening.ts';
import type { SomeTerms } from '../spf/summary.ts';
import { cutText, excerpt, MAX_TEXT_CHARACTERS, visible } from '../visible-text.ts';
import type { Advice, AdviceCode, AdviceDetails, KeySize, NamedKey, ReportsTo } from './advice.ts';
import type { DmarcEdit } from './dmarc-record.ts';
import { zoneFileLine } from './zone-file.ts';

/** As in a report: the sentence, and the record at its end unless it would be cut. */
export function formatAdvice(advice: Advice): string {
  const sentence = explainAdvice(advice);
  const { change } = advice;
  if (change === undefined) return sentence;
  const text = `${sentence.replace(/\.$/, '')}: ${zoneFileLine(change.record)}`;
  // A part of a record must not be published.
  return text.length > MAX_TEXT_CHARACTERS ? sentence : text;
}

/** The sentence alone, which ends in a full stop. The record, where there is one, belongs below it. */
export function explainAdvice<Code extends AdviceCode>(advice: {
  readonly code: Code;
  readonly detail: AdviceDetails[Code];
}): string {
  return cutText(visible(SENTENCES[advice.code](advice.detail)));
}

const SENTENCES: { readonly [Code in AdviceCode]: (detail: AdviceDetails[Code]) => string } = {
  domain_missing: ({ domain }) =>
    isSpecialUse(domain)
      ? `${domain} is a special-use name, which the public DNS does not have and which cannot receive mail from the internet.`
      : `The domain ${domain} does not exist in DNS. Check the spelling, or register it.`,
  unverified: ({ part, errors }) => `${part} could not be verified ${reasonOf(part, errors)}.`,
  more_advice: ({ count }) => `${count} more recommendations are not listed.`,

  anyone_can_send: ({ domain, opening }) =>
    `Anyone can send mail as ${domain}: ${explainOpening(domain, opening)}. Name the servers that send, and let ~all mark the others.`,

  mx_name_own_host: ({ domain }) =>
    `Mail reaches ${domain} only through its address record. If that host takes the mail, name it.`,
  mx_null: ({ domain, mailGoesTo, alias }) => {
    if (alias !== undefined)
      return `${domain} has no MX record, and cannot have one of its own because it is an alias of ${alias}.`;
    const publish = 'If it is to receive mail, publish an MX record with the name of your mail server.';
    const state = {
      nowhere: `${domain} has no MX record and no address. ${publish}`,
      'private address': `${domain} has no MX record, and its address cannot be reached from the internet. ${publish}`,
      'own address': `Mail reaches ${domain} only through its address record.`,
    }[mailGoesTo];
    return `${state} If it takes no mail, say so with a null MX.`;
  },
  mx_faults: ({ errors }) => `Fix the MX records: ${explanationsOf(errors)}.`,
  mx_too_many: ({ domain, errors }) =>
    `${domain} has very many MX records (${explanationsOf(errors)}). Keep those that receive mail.`,
  mx_null_but_sends: ({ domain }) =>
    `${domain} publishes a null MX (it receives no mail) but an SPF record that lets servers send: bounces cannot be delivered. If it sends no mail, say so.`,
  mx_duplicates: ({ hosts }) => `MX hosts are listed more than once: ${firstThree(hosts)}. Keep one of each.`,
  mx_private: ({ hosts }) =>
    `Some addresses of MX hosts are private or loopback addresses, which senders cannot reach: ${firstThree(hosts)}. Remove those.`,

  spf_publish: ({ domain, senders, alias }) => {
    if (alias !== undefined)
      return `${domain} has no SPF record, and cannot have one of its own because it is an alias of ${alias}; publish it there.`;
    if (senders === 'none') return `${domain} has no SPF record. If it sends no mail, say so.`;
    if (senders === 'unknown')
      return `${domain} has no SPF record. Publish one that names the servers that send its mail.`;
    const who = { 'MX hosts': 'its MX hosts', 'own address': 'its own address', provider: 'its mail provider' }[
      senders
    ];
    return `${domain} has no SPF record. Publish one that lets ${who} send; before that, add an include: for each other service that sends as ${domain}.`;
  },
  spf_lookalike: ({ domain, raw, isBesideRecord }) => {
    const found = `receivers do not read the TXT record '${excerpt(raw, MAX_QUOTED)}' of ${domain} as SPF`;
    if (isBesideRecord) return `Remove what looks like a second SPF record: ${found}.`;
    return `The SPF record has no effect: ${found}, because it does not begin with v=spf1 and a blank. Put it right.`;
  },
  spf_merge: ({ domain, count }) =>
    `Merge the ${count} SPF records of ${domain} into one; receivers ignore all of them while there are several.`,
  spf_faults: ({ errors, isSoftened }) =>
    `Fix the SPF record, which receivers ignore: ${explanationsOf(errors)}.${isSoftened ? ' Begin with ~all, since it was not in force.' : ''}`,
  spf_limits: ({ lookups, voidLookups }) =>
    `The SPF record needs ${lookups} DNS lookups (10 are allowed), ${voidLookups} of which find nothing (2 are allowed): remove includes that are no longer used, or replace a, mx and include with ip4 and ip6 (RFC 7208 section 4.6.4).`,
  spf_soften: ({ hasAll }) =>
    hasAll
      ? 'The SPF record says nothing about servers that it does not list: ?all. Let ~all mark their mail.'
      : 'The SPF record says nothing about servers that it does not list. Let ~all at its end mark their mail.',
  spf_harden: ({ domain }) =>
    `When every server that sends as ${domain} is listed, tell receivers to refuse the others with -all.`,
  spf_redirect_target: ({ domain }) =>
    `The record that redirect= of ${domain} leads to does not end in -all; have its owner tighten it, or publish a record that does.`,
  spf_ignored_terms: ({ terms }) =>
    `Receivers ignore what the SPF record has after all: ${listOf(terms)}. Move it before all if those servers may send, or remove it.`,
  spf_mistyped_modifiers: ({ terms }) =>
    `Receivers ignore ${listOf(terms)} in the SPF record, because a mechanism is written with a colon. Put it right.`,
  spf_ptr: () => 'Remove ptr from the SPF record: it is slow, and many receivers ignore it (RFC 7208 section 5.5).',
  spf_size: ({ domain, bytes }) =>
    `The TXT records of ${domain} take ${bytes > MAX_TXT_BYTES ? 'more than ' : ''}${Math.min(bytes, MAX_TXT_BYTES)} bytes; over 512 some resolvers need TCP for every check. Remove verification records that are no longer needed.`,

  dkim_unneeded: ({ isWellConfigured }) =>
    isWellConfigured
      ? 'This domain neither sends nor receives mail, and is well configured for that. The 30 points of DKIM are for domains that sign mail, so its score cannot exceed 70.'
      : 'This domain sends no mail and needs no DKIM key. The 30 points of DKIM are for domains that sign mail, so its score cannot exceed 70.',
  dkim_publish: ({ domain, isDefaultMode }) => {
    const tried = isDefaultMode
      ? 'under any common selector; if you use another one, name it in the selectors parameter. Otherwise have'
      : 'under the selectors given. Have';
    return `No DKIM key was found ${tried} your mail server sign with a 2048-bit RSA key, and publish the key as a TXT record at SELECTOR._domainkey.${domain}.`;
  },
  dkim_doubled: ({ domain, names }) =>
    `The DKIM key is under a doubled name, ${firstThree(names)}, where no receiver looks: the DNS panel has added ${domain} once more. Enter the name without it.`,
  dkim_faults: ({ keys }) => `Fix the DKIM keys: ${firstThree(keys.map(faultsOfKey))}.`,
  dkim_repair: (key) => `No receiver can use the DKIM key at ${faultsOfKey(key)}. Put the record right.`,
  dkim_unusable_beside: (key) => `The DKIM key at ${faultsOfKey(key)} cannot be used. Remove it, or put it right.`,
  dkim_short: ({ keys }) => `Replace the short DKIM key with one of 2048 bits: ${firstThree(keys.map(sizeOfKey))}.`,
  dkim_short_beside: ({ keys }) =>
    `A short DKIM key beside a strong one can be broken and used to sign in your name. Replace or remove it: ${firstThree(keys.map(sizeOfKey))}.`,
  dkim_only_ed25519: () =>
    'Add an RSA key of 2048 bits beside Ed25519: not every receiver verifies Ed25519 (RFC 8463).',
  dkim_testing: ({ name }) => `Remove t=y from ${name}: it tells receivers that signatures are only being tested.`,
  dkim_long: ({ name, bits }) => `The key at ${name} has ${bits} bits; verifiers need only support 4096 (RFC 8301).`,
  dkim_padding: ({ name }) =>
    `The key at ${name} lacks the = at the end of its base64; strict verifiers may refuse it. Add it.`,
  dkim_extra_txt: ({ name }) =>
    `Remove the other TXT records at ${name}; verifiers may pick the wrong one (RFC 6376 section 3.6.2.2).`,
  dkim_wildcard: ({ domain }) =>
    `A wildcard under _domainkey.${domain} answers for every selector; publish keys under their own names.`,

  dmarc_publish: ({ domain, policy, reports, reason, alias }) => {
    const what =
      policy === 'reject'
        ? `Since ${domain} sends no mail, let receivers refuse all mail that claims to be from it.`
        : 'Begin with p=none, which changes nothing for your mail, and tighten the policy when the reports show that it passes.';
    return `${explainNoRecord(reason)} ${atAlias(domain, alias)}${what}${reportsNote(domain, reports)}`;
  },
  dmarc_own: ({ domain, parent, inherited, isPartial, policy, reports, alias }) => {
    const gain =
      policy !== inherited
        ? `with p=${policy}, when the reports show that its mail passes`
        : isPartial
          ? 'that holds for all of its mail'
          : 'with reports of its own';
    return `${domain} inherits the DMARC policy ${inherited} from ${parent}. ${atAlias(domain, alias)}Give it a record of its own ${gain}.${reportsNote(domain, reports)}`;
  },
  dmarc_change: ({ name, edits, reports, alias }) => {
    const note = `${atAlias(name, alias)}${reportsNote(name.replace('_dmarc.', ''), reports)}`.trim();
    return `Change the DMARC record (${[...new Set(edits.map(explainEdit))].join('; ')}). ${note}`.trim();
  },
  dmarc_prepare: ({ policy }) =>
    `Let SPF and DKIM pass for all of your mail first; then tighten the DMARC policy beyond ${policy}.`,
  dmarc_reports_elsewhere: ({ domain }) =>
    `Without rua you receive no DMARC reports. ${domain} cannot receive mail, so name a mailbox of another domain of yours, which has to agree to it (RFC 9990).`,
  dmarc_multiple: ({ name }) =>
    `Keep one DMARC record at ${name}; receivers discard all of them while there are several.`,
  dmarc_too_long: ({ name, isRead }) =>
    `Shorten the DMARC record at ${name}: ${isRead ? 'few receivers read one of thousands of bytes' : `it has more than ${MAX_TXT_BYTES} bytes and is not read`}.`,
  dmarc_misplaced_beside: ({ name, domain }) =>
    `Remove the DMARC record at ${name}: receivers look only at _dmarc.${domain}.`,
  dmarc_subdomains: ({ policy, recordDomain, hasNp }) =>
    `sp=${policy} protects subdomains less than ${recordDomain} itself. Remove sp when their mail passes${hasNp ? '' : '; np=reject, for names that do not exist, harms no mail'}.`,
  dmarc_unauthorized: ({ uri, host, name }) =>
    `Reports to ${uri} are dropped until the owner of ${host} agrees with a TXT record v=DMARC1 at ${name}.`,
  dmarc_unverified_destination: ({ uri }) => `Whether ${uri} accepts reports could not be verified; check again later.`,
  dmarc_historic: ({ tags }) =>
    `RFC 9989 has dropped ${tags.join(', ')}; new receivers ignore ${tags.length > 1 ? 'them' : 'it'}.`,
  dmarc_models: ({ name, domain }) =>
    `Older receivers (RFC 7489) do not find the record at ${name}; publish one at _dmarc.${domain} or at the organizational domain too.`,
};

const MAX_QUOTED = 60;

function explainOpening(domain: string, opening: SpfOpening): string {
  if (opening.kind === 'networks')
    return `its SPF record lets ${opening.percent} % of the ${opening.version === 4 ? 'IPv4' : 'global IPv6'} addresses pass`;
  const how = /^redirect=/i.test(opening.ownTerm) ? 'to which it redirects' : 'which it includes';
  const where = opening.recordOf === domain ? 'its SPF record' : `the SPF record of ${opening.recordOf}, ${how},`;
  return `"${opening.term}" in ${where} lets every server pass`;
}

function explainNoRecord(reason: AdviceDetails['dmarc_publish']['reason']): string {
  if ('unusableParent' in reason) return `The DMARC record at ${reason.unusableParent} cannot be used.`;
  const { lookalike, misplaced, domain } = reason;
  if (lookalike === undefined && misplaced === undefined) return `${domain} has no DMARC record.`;
  return `No DMARC policy is in force: ${explain({ code: 'no_dmarc_record', detail: reason })}.`;
}

function atAlias(name: string, alias: string | undefined): string {
  const record = name.startsWith('_dmarc.') ? name : `_dmarc.${name}`;
  return alias === undefined ? '' : `${record} is an alias of ${alias}: make the change there, or replace the alias. `;
}

function reportsNote(domain: string, reports: ReportsTo): string {
  if (reports === 'domain') return ` Create the mailbox dmarc@${domain} first, or name another.`;
  if (reports === 'nowhere')
    return ` ${domain} cannot receive mail, so add rua= with a mailbox of another domain of yours.`;
  return '';
}

function explainEdit(edit: DmarcEdit): string {
  switch (edit.kind) {
    case 'policy':
      return explainPolicy(edit);
    case 'subdomains kept':
      return `with sp=${edit.policy}, so that nothing changes for the names below`;
    case 'separated addresses':
      return `with commas between the addresses in ${edit.tag}`;
    case 'full':
      return `without ${edit.tag}, so that the policy holds for all mail`;
    case 'dropped':
      return edit.why === 'historic'
        ? `without ${edit.tag}, which RFC 9989 has dropped`
        : `without "${edit.tag}", which receivers cannot read`;
    case 'repaired address':
      return `${edit.to} instead of ${edit.from} in ${edit.tag}`;
    case 'dropped address':
      return `without "${edit.item}" in ${edit.tag}, which is not an address`;
    case 'rua added':
      return 'with rua, since without it you receive no reports';
    case 'repeated':
      return `with ${edit.tag}= only once`;
    case 'beginning':
      return 'with v=DMARC1; at its beginning';
  }
}

function explainPolicy({ published, inForce, to, sendsNoMail }: Extract<DmarcEdit, { kind: 'policy' }>): string {
  const step = `p=${to}${published === '' ? '' : ` instead of p=${published}`}`;
  if (sendsNoMail) return `${step}, since the domain sends no mail`;
  if (inForce === '') return `${step}, since receivers cannot use the record`;
  if (published.toLowerCase() !== inForce)
    return `${step}, since receivers treat the record as p=${inForce}; one step at a time, when the reports show that your mail passes`;
  return `${step}, when the reports show that your mail passes`;
}

function faultsOfKey({ name, errors }: NamedKey): string {
  return `${name} (${explanationsOf(errors)})`;
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
