// What a change of records would break, by the rules of the advice. A score says nothing of it: it
// rises with a policy that refuses the owner's own mail.
import { POLICY_LEVELS } from '../dmarc/dmarc.ts';
import { type Provider, providerOfSpfName } from '../providers.ts';
import { sendsNoMail } from '../readiness/mail-role.ts';
import { isWeakerAll, policyStrength, policyWords } from '../readiness/policy-strength.ts';
import {
  explainObstacle,
  judgePresent,
  namedServices,
  type Obstacle,
  readinessOf,
  reportArrivals,
} from '../readiness/readiness.ts';
import { keyDataOf } from '../records/tag-list.ts';
import type { DmarcPolicy } from '../report.ts';
import type { Findings } from '../score/score.ts';
import type { SpfNode } from '../spf/lookups.ts';
import { coversAll, type Passing, passingNetworks } from '../spf/passing.ts';
import { evaluatedTerms, parseSpf } from '../spf/spf.ts';
import { listsNoSender } from '../spf/spf-record.ts';
import type { Advice } from './advice.ts';
import { explainRefused, explainTakeover, listWithAnd } from './advice-text.ts';

export const CHANGE_RISKS = [
  'step_skipped',
  'reports_lost',
  'senders_lost',
  'takeover',
  'anyone_can_send',
  'mail_refused_now',
  'alignment_stricter',
  'policy_weaker',
  'subdomains_refused',
  'keys_lost',
  'mail_lost',
  'spf_invalid',
] as const;
export type ChangeRisk = { code: (typeof CHANGE_RISKS)[number]; text: string };

type Judged = { readonly findings: Findings; readonly advice: readonly Advice[] };
/** How many addresses could send before and cannot after. */
type LostAddresses = { readonly ipv4Addresses: number; readonly ipv6Slash48s: number };

/** The most important first. */
export function judgeChange(
  domain: string,
  then: Judged,
  now: Judged,
  lost: LostAddresses,
): ChangeRisk[] {
  const before = then.findings;
  const after = now.findings;
  const skipped = skippedSteps(domain, before, after);
  const risks = {
    step_skipped: skipped,
    reports_lost: lostReports(domain, before, after),
    senders_lost: [...lostSenders(domain, before, after, lost), ...unnamedProvider(then, now)],
    takeover: after.takeovers
      .filter(({ target }) => !before.takeovers.some((earlier) => earlier.target === target))
      .map(explainTakeover),
    anyone_can_send:
      before.spf.openToAll === undefined && after.spf.openToAll !== undefined
        ? ['Anyone could send mail as this domain: its SPF record would let everyone pass.']
        : [],
    // A step that is skipped names the service already.
    mail_refused_now: skipped.length > 0 ? [] : newlyRefused(domain, before, after),
    alignment_stricter: stricterAlignment(before, after),
    policy_weaker: weakerPolicies(before, after),
    subdomains_refused: refusedSubdomains(before, after),
    keys_lost: lostKeys(before, after),
    // A null MX says on purpose what the address of a web server never meant.
    mail_lost:
      isReceiving(before) &&
      !isReceiving(after) &&
      (before.mx.state !== 'implicit' || after.mx.state !== 'null')
        ? [`Mail to ${domain} could no longer be delivered.`]
        : [],
    spf_invalid:
      before.spf.report.is_valid && !after.spf.report.is_valid && !after.spf.isUnverified
        ? [
            'The SPF record would no longer be valid: receivers treat it as if no server were listed.',
          ]
        : [],
  } satisfies Record<ChangeRisk['code'], string[]>;
  return CHANGE_RISKS.flatMap((code) => risks[code].map((text) => ({ code, text })));
}

function skippedSteps(domain: string, before: Findings, after: Findings): string[] {
  // For a domain that sends no mail, the strictest records are the first.
  if (sendsNoMail(after)) return [];
  const { own: from } = policyStrength(before.dmarc.report);
  const { own: to } = policyStrength(after.dmarc.report);
  const policy = `p=${after.dmarc.report.effective_policy}`;
  const obstacles = obstaclesOf(domain, before, after);
  const steps = [
    ...(to > Math.max(from, 0) ? [policy] : []),
    ...(before.spf.report.all_qualifier !== '-' && after.spf.report.all_qualifier === '-'
      ? ['-all']
      : []),
  ];
  // Reports show what becomes of the mail under these records.
  if (after.reported?.answer === 'yes') return [];
  const unsafe =
    steps.length === 0 || obstacles.length === 0
      ? []
      : [
          `${listWithAnd(steps)} would be safe when ${listWithAnd(obstacles.map(explainObstacle))}.`,
        ];
  const first =
    from < 0 && to > 0
      ? [`A first policy of ${policy} skips p=none, with which reports show who sends.`]
      : [];
  const skipped = from === 0 && to > 100 ? ['p=reject after p=none skips p=quarantine.'] : [];
  return [...unsafe, ...first, ...skipped];
}

/** A trial of records is judged by its reports where there are any. */
function stricterAlignment({ dmarc: before }: Findings, after: Findings): string[] {
  const { report } = after.dmarc;
  if (policyStrength(report).own <= 0 || after.reported?.answer === 'yes') return [];
  const isStricter = (name: 'dkim_alignment' | 'spf_alignment') =>
    before.report[name] === 'r' && report[name] === 's';
  return [
    ...(isStricter('dkim_alignment')
      ? ['With adkim=s, mail that is signed as a subdomain would no longer pass by its signature.']
      : []),
    ...(isStricter('spf_alignment')
      ? ['With aspf=s, mail whose bounces go to a subdomain would no longer pass by SPF.']
      : []),
  ];
}

function newlyRefused(domain: string, before: Findings, after: Findings): string[] {
  const isInForce = policyStrength(after.dmarc.report).own > 0;
  if (isInForce && after.reported?.answer === 'no') return [`${after.reported.text}.`];
  const refusedBefore = judgePresent(domain, before).refused.map(({ service }) => service);
  const refused = judgePresent(domain, after).refused.filter(
    ({ service }) => !refusedBefore.includes(service),
  );
  return refused.map((sender) => `${explainRefused(sender)}.`);
}

/**
 * What stands in the way after the change, and reports that did not arrive before: they have to be
 * read first.
 */
function obstaclesOf(domain: string, before: Findings, after: Findings): Obstacle[] {
  const { obstacles } = readinessOf(domain, after);
  if (after.reported !== undefined) return [...obstacles];
  const isAboutReports = ({ code }: Obstacle) => code === 'no_reports' || code === 'reports_lost';
  const earlier = readinessOf(domain, before).obstacles.filter(isAboutReports);
  return obstacles.some(isAboutReports) ? [...obstacles] : [...obstacles, ...earlier];
}

function lostReports(domain: string, before: Findings, after: Findings): string[] {
  const arriving = (findings: Findings) =>
    reportArrivals(domain, findings).filter(({ arrival }) => arrival.kind === 'arrives');
  const kept = arriving(after).map(({ uri }) => uri);
  const lost = arriving(before).filter(({ uri }) => !kept.includes(uri));
  if (lost.length === 0 || after.dmarc.isUnverified) return [];
  const where = listWithAnd(lost.map(({ uri }) => uri));
  return [
    kept.length === 0
      ? `Reports would no longer arrive anywhere; now they do at ${where}.`
      : `Reports would no longer arrive at ${where}.`,
  ];
}

function lostSenders(
  domain: string,
  before: Findings,
  after: Findings,
  lost: LostAddresses,
): string[] {
  // Where everyone may send, no one is lost.
  if (after.spf.isUnverified || after.spf.openToAll !== undefined) return [];
  const kept = namedServices(after.spf.tree);
  const services = namedServices(before.spf.tree).filter(
    (service) => !kept.includes(service) && !hasAddressesOf(service, before, after),
  );
  const isLost = !authorizesNone(before) && authorizesNone(after) && !sendsNoMail(after);
  const counts = [
    ...(lost.ipv4Addresses > 0 ? [counted(lost.ipv4Addresses, 'IPv4 address', 'es')] : []),
    ...(lost.ipv6Slash48s > 0 ? [counted(lost.ipv6Slash48s, 'IPv6 /48')] : []),
  ];
  return [
    ...(services.length > 0
      ? [`${listWithAnd(services.map(({ name }) => name))} could no longer send as ${domain}.`]
      : []),
    ...(counts.length > 0 && before.spf.openToAll === undefined
      ? [`${listWithAnd(counts)} that may send as ${domain} now no longer could.`]
      : []),
    ...(isLost ? [`No server at all could send as ${domain}: its own mail would fail SPF.`] : []),
  ];
}

function counted(count: number, singular: string, plural = 's'): string {
  return `${count.toLocaleString('en')} ${singular}${count === 1 ? '' : plural}`;
}

/**
 * A flattened record has the addresses of a service instead of its name. Addresses behind macros
 * are not known.
 */
function hasAddressesOf(service: Provider, before: Findings, after: Findings): boolean {
  const passing = ({ raw, children }: SpfNode): Passing[] => [
    passingNetworks(evaluatedTerms(parseSpf(raw).terms)),
    ...children.flatMap(passing),
  ];
  const ofService = (node: SpfNode): Passing[] =>
    providerOfSpfName(node.name) === service ? passing(node) : node.children.flatMap(ofService);
  const ranges = ofService(before.spf.tree);
  return ranges.some(({ ipv4 }) => ipv4.length > 0) && coversAll(after.spf.passing, ranges);
}

/** The provider of the MX hosts, if SPF does not let it send and that is new. */
function unnamedProvider(then: Judged, now: Judged): string[] {
  const missing = ({ advice }: Judged) =>
    advice.flatMap(({ code, detail }) =>
      code === 'spf_provider_missing' || code === 'spf_provider_refused' ? [detail.provider] : [],
    );
  return missing(now)
    .filter((provider) => !missing(then).includes(provider))
    .map(
      (provider) =>
        `Mail that is sent through ${provider}, which has the MX hosts, would fail SPF.`,
    );
}

function authorizesNone({ spf }: Findings): boolean {
  return spf.report.is_valid && spf.openToAll === undefined && listsNoSender(spf.report.raw);
}

function weakerPolicies(
  { spf, dmarc: before }: Findings,
  { spf: changed, dmarc: after }: Findings,
): string[] {
  const weaker: string[] = [];
  const from = spf.report;
  const to = changed.report;
  // What lets everyone pass, or is not valid, is a risk of its own.
  if (from.is_valid && to.is_valid && changed.openToAll === undefined && isWeakerAll(from, to))
    weaker.push(
      `SPF would say less about other servers: ${from.all_qualifier}all → ${to.all_qualifier}all.`,
    );
  if (after.isUnverified || before.isUnverified) return weaker;
  const then = policyStrength(before.report);
  const now = policyStrength(after.report);
  if (now.own < then.own)
    weaker.push(
      `The DMARC policy would become weaker: ${policyWords(before.report)} → ${policyWords(after.report)}.`,
    );
  else if (now.subdomains < then.subdomains)
    weaker.push('The DMARC policy of subdomains would become weaker.');
  else if (now.nonexistent < then.nonexistent)
    weaker.push('The DMARC policy of subdomains that do not exist would become weaker.');
  for (const name of ['dkim_alignment', 'spf_alignment'] as const)
    if (before.report[name] === 's' && after.report[name] === 'r' && now.own > 0)
      weaker.push(
        'Mail that passes for a subdomain only would pass DMARC too: its alignment would be relaxed.',
      );
  return [...new Set(weaker)];
}

/** RFC 9989 §4.7: `p` holds for subdomains without a record, unless `sp` says otherwise. */
function refusedSubdomains(before: Findings, after: Findings): string[] {
  const sending = [...new Set([...before.subdomains.sending, ...after.subdomains.sending])];
  const [from, to] = [before, after].map(({ dmarc }) => dmarc.report.subdomain_policy || 'none');
  if (
    sending.length === 0 ||
    POLICY_LEVELS[to as DmarcPolicy] <= POLICY_LEVELS[from as DmarcPolicy]
  )
    return [];
  return [
    `${to} would also hold for ${listWithAnd(sending)}, which are set up to send mail; sp=${from} leaves them as they are.`,
  ];
}

function lostKeys({ dkim: before }: Findings, { dkim: after }: Findings): string[] {
  if (after.isUnverified) return [];
  const valid = ({ keys }: Findings['dkim']) => keys.filter(({ report }) => report.is_valid);
  return valid(before).flatMap(({ report, isTesting }) => {
    const named = `The key of selector ${report.selector} would`;
    const now = valid(after).find(
      (key) => key.report.selector.toLowerCase() === report.selector.toLowerCase(),
    );
    if (now === undefined)
      return [`${named} no longer be valid: mail that is signed with it fails DKIM.`];
    if (keyDataOf(now.report) !== keyDataOf(report))
      return [
        `${named} be another: mail that is signed with the present one fails DKIM. Use a new selector for it.`,
      ];
    return now.isTesting && !isTesting
      ? [`${named} be in test mode: mail with it counts as not signed.`]
      : [];
  });
}

function isReceiving({ mx }: Findings): boolean {
  return ['valid', 'partly', 'implicit', 'unverified'].includes(mx.state);
}
