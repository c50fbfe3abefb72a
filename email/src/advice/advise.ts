// All advice on a domain: what lets others send as it, then what gains most. One proposal per
// record puts everything right, so that no two contradict each other.
import { findFault } from '../dns/fault.ts';
import { hasCode, isFailure } from '../findings/finding.ts';
import { looksUnused } from '../readiness/mail-role.ts';
import { judgePresent, readinessOf } from '../readiness/readiness.ts';
import type { Findings } from '../score/score.ts';
import { type Advice, type Draft, RANKS } from './advice.ts';
import { type Examined, gainOf } from './apply.ts';
import { adviseDkim } from './dkim.ts';
import { adviseDmarc } from './dmarc.ts';
import { adviseMx } from './mx.ts';
import { adviseNoMail } from './no-mail.ts';
import { adviseSpf, checkMerged } from './spf.ts';

export async function advise(examined: Examined): Promise<Advice[]> {
  const { domain, findings, score } = examined;
  if (hasCode(findings.mx.report.errors, 'domain_not_found'))
    return [{ code: 'domain_missing', detail: { domain }, points: 0 }];
  const merged = await checkMerged(examined);
  const proposed: Draft[] = [
    ...findings.takeovers.map(
      (takeover): Draft => ({ code: 'takeover', detail: takeover, rank: RANKS.takeover }),
    ),
    ...advisePresent(domain, findings),
    ...adviseNoMail(domain, findings),
    ...adviseDmarc(domain, findings, score),
    ...adviseDkim(domain, findings, score, examined.apex),
    ...adviseSpf(domain, findings, score, {
      missing: examined.missing,
      apex: examined.apex,
      merged,
    }),
    ...adviseMx(domain, findings, score),
    ...adviseSteps(domain, findings),
  ];
  proposed.push(...(await adviseDelegated(proposed, examined)));
  const drafts = await Promise.all(proposed.map((draft) => withFault(draft, examined)));
  const mayPublish = examined.wildcard.answersForDomain === 'no';
  const isNoted = !mayPublish && drafts.some(({ change }) => change !== undefined);
  const allowed = mayPublish ? drafts : drafts.flatMap(withoutRecord);
  const all = isNoted ? [byWildcard(examined), ...allowed] : allowed;
  const measured = (await Promise.all(all.map((draft) => measure(draft, examined)))).flat();
  // The sort is stable: with equal ranks, DMARC comes before DKIM, SPF and MX.
  return limitAdvice(measured.sort((a, b) => b.rank - a.rank).map(({ advice }) => advice));
}

/**
 * What has to be done before the next steps, which are not offered yet. What DNS did not answer is
 * said elsewhere.
 */
function adviseSteps(domain: string, findings: Findings): Draft[] {
  const { steps, obstacles } = readinessOf(domain, findings);
  // Where the present policy refuses mail, its advice has the same reasons.
  const { refusal } = judgePresent(domain, findings);
  if (
    steps.length === 0 ||
    refusal !== undefined ||
    looksUnused(findings) ||
    obstacles.every(({ code }) => code === 'unverified')
  )
    return [];
  return [{ code: 'not_ready', detail: { steps, obstacles } }];
}

/** What the policy does already. */
function advisePresent(domain: string, findings: Findings): Draft[] {
  const { refused, unproven, refusal } = judgePresent(domain, findings);
  const rank = RANKS.refused;
  // Reports name the senders; DNS shows which of them it may be.
  if (refusal !== undefined) return [{ code: 'mail_refused_in_reports', detail: refusal, rank }];
  const drafts = refused.map((detail): Draft => ({ code: 'mail_refused_now', detail, rank }));
  return unproven === undefined
    ? drafts
    : [...drafts, { code: 'sender_not_proven', detail: unproven }];
}

/** What the zone of the domain has below a delegation is hidden. */
async function adviseDelegated(
  drafts: readonly Draft[],
  { domain, resolver }: Examined,
): Promise<Draft[]> {
  const name = `_dmarc.${domain}`;
  if (!drafts.some(({ change }) => change?.record.name === name)) return [];
  const answer = await resolver.unchecked?.(name, 'NS');
  if (answer?.kind !== 'found' || answer.aliases.length > 0) return [];
  const servers = answer.records.filter((record) => typeof record === 'string');
  return [{ code: 'dmarc_delegated', detail: { domain, servers }, rank: RANKS.noPolicy }];
}

async function withFault(draft: Draft, { resolver }: Examined): Promise<Draft> {
  if (draft.code !== 'unverified') return draft;
  const failed = draft.detail.errors.filter(({ code }) => code === 'dns_temporary_failure');
  const fault = await findFault(
    failed.filter(isFailure).map(({ detail }) => detail),
    resolver,
  );
  return { ...draft, detail: { ...draft.detail, fault } };
}

/**
 * RFC 4592 §2.2.1: a record at the domain, or below it, takes from it what the wildcard gives it
 * now.
 */
function byWildcard({ domain, findings, wildcard }: Examined): Draft {
  const { mx, spf } = findings;
  const isKnown = wildcard.answersForDomain === 'yes';
  const lost = [
    ...(mx.report.records.length > 0 ? ['MX'] : []),
    ...(spf.records.length > 0 ? ['SPF'] : []),
  ];
  return { code: 'domain_by_wildcard', detail: { domain, lost, isKnown }, rank: RANKS.byWildcard };
}

/** That a wildcard answers for selectors too says nothing more. */
function withoutRecord({ change, alternatives, ...draft }: Draft): Draft[] {
  return draft.onlyWith === undefined && draft.code !== 'dkim_wildcard' ? [draft as Draft] : [];
}

type Ranked = { readonly advice: Advice; readonly rank: number };

/** A record is shown only if the zone with it was scored, and is not worse. */
async function measure(draft: Draft, examined: Examined): Promise<Ranked[]> {
  const { change, alternatives = [], trials, rank, onlyWith, points: stated = 0, ...words } = draft;
  if (trials !== undefined) {
    const gains = await Promise.all(trials.map((trial) => gainOf(trial, examined)));
    const points = Math.min(...gains.map((gain) => gain ?? 0));
    return [{ advice: { ...words, points } as Advice, rank: rank ?? points }];
  }
  for (const candidate of change === undefined ? [] : [change, ...alternatives]) {
    const gain = await gainOf(candidate, examined);
    if (gain === undefined || (onlyWith === 'points' && gain === 0)) continue;
    return [
      { advice: { ...words, points: gain, change: candidate } as Advice, rank: rank ?? gain },
    ];
  }
  return onlyWith === undefined
    ? [{ advice: { ...words, points: stated } as Advice, rank: rank ?? stated }]
    : [];
}

/** A zone can give reason for hundreds of recommendations, one for each report address. */
const MAX_ADVICE = 20;

function limitAdvice(advice: Advice[]): Advice[] {
  if (advice.length <= MAX_ADVICE) return advice;
  const shown = advice.slice(0, MAX_ADVICE - 1);
  return [
    ...shown,
    { code: 'more_advice', detail: { count: advice.length - shown.length }, points: 0 },
  ];
}
