/**
 * What a change of records would break, by the rules of the advice: steps that are skipped, reports, senders and keys
 * that are lost, names that others can take over. A score says nothing of these: it rises with a policy that refuses the
 * owner's own mail.
 */
import { POLICY_LEVELS } from '../dmarc/dmarc.ts';
import type { DmarcPolicy } from '../report.ts';
import type { Findings } from '../score/score.ts';
import { explainObstacle, explainTakeover, listWithAnd } from './advice-text.ts';
import { sendsNoMail } from './mail-role.ts';
import { namedServices, type Obstacle, readinessOf, reportArrivals } from './readiness.ts';
import { isAll } from './spf-record.ts';

export const CHANGE_RISKS = [
  'step_skipped',
  'reports_lost',
  'senders_lost',
  'takeover',
  'anyone_can_send',
  'policy_weaker',
  'subdomains_refused',
  'keys_lost',
  'mail_lost',
  'spf_invalid',
] as const;
export type ChangeRisk = { code: (typeof CHANGE_RISKS)[number]; text: string };

/** The most important first. `lostAddresses`: how many IPv4 addresses could send before and cannot after. */
export function judgeChange(domain: string, before: Findings, after: Findings, lostAddresses: number): ChangeRisk[] {
  const risks = {
    step_skipped: skippedSteps(domain, before, after),
    reports_lost: lostReports(domain, before, after),
    senders_lost: lostSenders(domain, before, after, lostAddresses),
    takeover: after.takeovers
      .filter(({ target }) => !before.takeovers.some((known) => known.target === target))
      .map(explainTakeover),
    anyone_can_send:
      before.spf.openToAll === undefined && after.spf.openToAll !== undefined
        ? ['Anyone could send mail as this domain: its SPF record would let everyone pass.']
        : [],
    policy_weaker: weakerPolicies(before, after),
    subdomains_refused: refusedSubdomains(before, after),
    keys_lost: lostKeys(before, after).map(
      (selector) => `The key of selector ${selector} would no longer be valid: mail that is signed with it fails DKIM.`,
    ),
    mail_lost:
      isReceiving(before) && !isReceiving(after) && !isDeclared(before, after)
        ? [`Mail to ${domain} could no longer be delivered.`]
        : [],
    spf_invalid:
      before.spf.report.is_valid && !after.spf.report.is_valid && !after.spf.isUnverified
        ? ['The SPF record would no longer be valid: receivers treat it as if no server were listed.']
        : [],
  } satisfies Record<ChangeRisk['code'], string[]>;
  return CHANGE_RISKS.flatMap((code) => risks[code].map((text) => ({ code, text })));
}

/** -1 without a policy. */
function levelOf({ dmarc }: Findings): number {
  const { record_domain, effective_policy } = dmarc.report;
  return record_domain === '' || dmarc.isFatal ? -1 : POLICY_LEVELS[effective_policy];
}

function skippedSteps(domain: string, before: Findings, after: Findings): string[] {
  // For a domain that sends no mail, the strictest records are the first.
  if (sendsNoMail(after)) return [];
  const [from, to] = [levelOf(before), levelOf(after)];
  const policy = `p=${after.dmarc.report.effective_policy}`;
  const obstacles = obstaclesOf(domain, before, after);
  const steps = [
    ...(to > Math.max(from, 0) ? [policy] : []),
    ...(before.spf.report.all_qualifier !== '-' && after.spf.report.all_qualifier === '-' ? ['-all'] : []),
  ];
  const unsafe =
    steps.length === 0 || obstacles.length === 0
      ? []
      : [`${listWithAnd(steps)} would be safe when: ${listWithAnd(obstacles.map(explainObstacle))}.`];
  const first =
    from < 0 && to > 0 ? [`A first policy of ${policy} skips p=none, with which reports show who sends.`] : [];
  const skipped = from === 0 && to === 2 ? ['p=reject after p=none skips p=quarantine.'] : [];
  return [...unsafe, ...first, ...skipped];
}

/** What stands in the way after the change, and reports that did not arrive before: they have to be read first. */
function obstaclesOf(domain: string, before: Findings, after: Findings): Obstacle[] {
  const { obstacles } = readinessOf(domain, after);
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

function lostSenders(domain: string, before: Findings, after: Findings, lostAddresses: number): string[] {
  if (after.spf.isUnverified || before.spf.openToAll !== undefined) return [];
  const kept = namedServices(after.spf.tree);
  const services = namedServices(before.spf.tree).filter((service) => !kept.includes(service));
  const isLost = !authorizesNone(before) && authorizesNone(after) && !sendsNoMail(after);
  const count = `${lostAddresses.toLocaleString('en')} IPv4 address${lostAddresses === 1 ? '' : 'es'}`;
  return [
    ...(services.length > 0
      ? [`${listWithAnd(services.map(({ name }) => name))} could no longer send as ${domain}.`]
      : []),
    ...(lostAddresses > 0 ? [`${count} that may send as ${domain} now no longer could.`] : []),
    ...(isLost ? [`No server at all could send as ${domain}: its own mail would fail SPF.`] : []),
  ];
}

/** A term with `-`, `~` or `?` lets no server pass. */
function authorizesNone({ spf }: Findings): boolean {
  const { is_valid, mechanisms } = spf.report;
  return (
    is_valid && spf.openToAll === undefined && mechanisms.every((term) => isAll(term) || /^(?:[-~?]|exp=)/i.test(term))
  );
}

function weakerPolicies(before: Findings, after: Findings): string[] {
  if (after.dmarc.isUnverified || before.dmarc.isUnverified) return [];
  const words = ({ dmarc }: Findings) =>
    dmarc.report.record_domain === '' ? 'no policy' : dmarc.report.effective_policy;
  const below = ({ dmarc }: Findings) => POLICY_LEVELS[dmarc.report.subdomain_policy || 'none'];
  const own =
    levelOf(after) < levelOf(before)
      ? [`The DMARC policy would become weaker: ${words(before)} → ${words(after)}.`]
      : [];
  const isBelowWeaker = below(after) < below(before) && own.length === 0;
  return [...own, ...(isBelowWeaker ? ['The DMARC policy of subdomains would become weaker.'] : [])];
}

/** RFC 9989 §4.7: `p` holds for subdomains without a record, unless `sp` says otherwise. */
function refusedSubdomains(before: Findings, after: Findings): string[] {
  const sending = [...new Set([...before.subdomains.sending, ...after.subdomains.sending])];
  const [from, to] = [before, after].map(({ dmarc }) => dmarc.report.subdomain_policy || 'none');
  if (sending.length === 0 || POLICY_LEVELS[to as DmarcPolicy] <= POLICY_LEVELS[from as DmarcPolicy]) return [];
  return [
    `${to} would also hold for ${listWithAnd(sending)}, which are set up to send mail; sp=${from} leaves them as they are.`,
  ];
}

function lostKeys({ dkim: before }: Findings, { dkim: after }: Findings): string[] {
  if (after.isUnverified) return [];
  const valid = ({ keys }: Findings['dkim']) =>
    keys.flatMap(({ report }) => (report.is_valid ? [report.selector] : []));
  const kept = valid(after).map((selector) => selector.toLowerCase());
  return valid(before).filter((selector) => !kept.includes(selector.toLowerCase()));
}

/** A null MX says on purpose what the address of a web server never meant. */
function isDeclared({ mx: before }: Findings, { mx: after }: Findings): boolean {
  return before.state === 'implicit' && after.state === 'null';
}

function isReceiving({ mx }: Findings): boolean {
  return mx.state === 'valid' || mx.state === 'partly' || mx.state === 'implicit' || mx.state === 'unverified';
}
