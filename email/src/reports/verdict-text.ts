/** The verdict and its reasons as sentences. Names in them come from reports: callers make them visible. */
import type { SenderClass } from './classify.ts';
import type { AskedPolicy, Refused, Verdict, VerdictReason } from './verdict.ts';

const tagOf = (policy: AskedPolicy) => (policy.includes('=') ? policy : `p=${policy}`);
const verbOf = (policy: AskedPolicy) => (policy.endsWith('reject') ? 'refused' : 'quarantined');
const count = (messages: number) => `${groupDigits(messages)} message${messages === 1 ? '' : 's'}`;
const reportCount = (reports: number) => `${groupDigits(reports)} report${reports === 1 ? '' : 's'}`;
const groupDigits = (number: number) => String(number).replace(/\B(?=(?:\d{3})+$)/g, ',');

const CLASS_WORDS: Readonly<Record<SenderClass, string>> = {
  passes: 'passing',
  ours_broken: 'yours, failing',
  forwarded: 'forwarded or altered',
  at_named_service: 'at a service that SPF names',
  not_ours: 'not yours',
};

export function classText(senderClass: SenderClass): string {
  return CLASS_WORDS[senderClass];
}

const MAX_NAMED = 4;

/** "p=reject would have refused 214 messages in 35 days: 209 at Zendesk, 5 forwarded or altered". */
export function verdictText({ policy, answer, refused, ownMessages, reasons }: Verdict, days: number): string {
  const tag = tagOf(policy);
  const lost = refused.filter((one) => one.class !== 'not_ours');
  const total = lost.reduce((sum, { messages }) => sum + messages, 0);
  const what =
    total === 0
      ? `it would have ${verbOf(policy)} none of ${count(ownMessages)} of yours in ${days} days`
      : `it would have ${verbOf(policy)} ${count(total)} in ${days} days: ${lostParts(lost)}`;
  if (answer === 'yes') return `${tag} is safe: ${what}`;
  if (answer === 'no') return `${tag} is not safe: ${what}`;
  const first = reasons.find(({ weight }) => weight === 'not_enough');
  return `Not enough is known to say whether ${tag} is safe: ${first === undefined ? what : explainReason(first, policy)}`;
}

/** What is forwarded is one price, whatever networks it came from. */
function lostParts(lost: readonly Refused[]): string {
  const services = lost.filter((one) => one.class !== 'forwarded');
  const forwarded = lost.filter((one) => one.class === 'forwarded').reduce((sum, { messages }) => sum + messages, 0);
  const more = services.slice(MAX_NAMED).reduce((sum, { messages }) => sum + messages, 0);
  return [
    ...services.slice(0, MAX_NAMED).map(({ service, messages }) => `${groupDigits(messages)} at ${service}`),
    ...(more > 0 ? [`${groupDigits(more)} elsewhere`] : []),
    ...(forwarded > 0 ? [`${groupDigits(forwarded)} forwarded or altered`] : []),
  ].join(', ');
}

export function explainReason(reason: VerdictReason, policy: AskedPolicy): string {
  switch (reason.code) {
    case 'mail_refused': {
      const { service, messages, percent, setup, is_recent: isRecent } = reason;
      const when = isRecent ? ' in the last two weeks' : '';
      const repair =
        reason.class === 'at_named_service'
          ? `let it sign as the domain${setup === '' ? '' : ` (${setup})`}, or decide that it is not yours`
          : 'repair its SPF or DKIM, or decide that it is not yours';
      return `${count(messages)} at ${service} would be ${verbOf(policy)}${when}, ${percent} % of yours: ${repair}`;
    }
    case 'nonexistent_sends':
      return `${count(reason.messages)} came from ${reason.name}, which does not exist in DNS: give the name a record, or stop using it`;
    case 'no_reports':
      return 'no proven report has arrived for this time';
    case 'no_large_receiver':
      return 'none of the large receivers (Google, Microsoft, Yahoo and others) has reported';
    case 'spf_unverified':
      return 'DNS did not answer for the SPF record, so that senders cannot be told apart';
    case 'too_few_days':
      return `reports cover ${reason.days} of ${reason.needed} days`;
    case 'gap':
      return `no reports for ${reason.days} days after ${reason.day}`;
    case 'too_few_messages':
      return `only ${count(reason.messages)} of yours, of ${reason.needed} that are needed in less than 90 days`;
    case 'service_unproven':
      return `${reason.service} (${reason.term}) sent nothing in this time, so nothing is known about its mail`;
    case 'forwarded_lost':
      return `${count(reason.messages)} forwarded or altered on the way would be ${verbOf(policy)}, which cannot be told from forged ones`;
    case 'reporter_disagrees':
      return `${reason.reporter} reports passes or failures that contradict the results it lists`;
    case 'reporter_silent':
      return `${reason.reporter} has not reported since ${reason.day}`;
    case 'include_idle':
      return `${reason.term} (${reason.service}) sent nothing in 90 days and costs ${reason.lookups} of 10 DNS lookups`;
    case 'unproven_reports':
      return `not used: ${reportCount(reason.reports)} that came by mail without a signature of the reporter`;
    case 'unusable_reports':
      return `not used: ${reportCount(reason.reports)} for a period over 48 hours or in the future`;
    case 'conflicting_reports':
      return `contradicting another one with the same id: ${reportCount(reason.reports)}`;
  }
}
