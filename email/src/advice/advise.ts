/**
 * All advice on a domain, what gains most first. There is one proposal per record, with everything that is wrong with
 * it put right, so that no two contradict each other; where there are two, each says when it is the right one.
 */
import { hasCode } from '../findings/finding.ts';
import type { Advice, Draft } from './advice.ts';
import { type Examined, gainOf } from './apply.ts';
import { adviseDkim } from './dkim.ts';
import { adviseDmarc } from './dmarc.ts';
import { adviseMx } from './mx.ts';
import { adviseSpf } from './spf.ts';

export async function advise(examined: Examined): Promise<Advice[]> {
  const { domain, findings, score } = examined;
  if (hasCode(findings.mx.report.errors, 'domain_not_found'))
    return [{ code: 'domain_missing', detail: { domain }, points: 0 }];
  const drafts: Draft[] = [
    ...adviseDmarc(domain, findings, score),
    ...adviseDkim(domain, findings, score),
    ...adviseSpf(domain, findings, score),
    ...adviseMx(domain, findings, score),
  ];
  const measured = (await Promise.all(drafts.map((draft) => measure(draft, examined)))).flat();
  // The sort is stable: with equal ranks, DMARC comes before DKIM, SPF and MX.
  return limitAdvice(measured.sort((a, b) => b.rank - a.rank).map(({ advice }) => advice));
}

type Ranked = { readonly advice: Advice; readonly rank: number };

/** A record is shown only if the zone with it was scored, and is not worse. */
async function measure(draft: Draft, examined: Examined): Promise<Ranked[]> {
  const { change, trials, rank, isOnlyForPoints = false, ...words } = draft;
  if (trials !== undefined) {
    const gains = await Promise.all(trials.map((trial) => gainOf(trial, examined)));
    const points = Math.min(...gains.map((gain) => gain ?? 0));
    return [{ advice: { ...words, points } as Advice, rank: rank ?? points }];
  }
  const gain = change === undefined ? undefined : await gainOf(change, examined);
  if (isOnlyForPoints && (gain ?? 0) === 0) return [];
  if (change === undefined || gain === undefined) return [{ advice: words as Advice, rank: rank ?? words.points }];
  return [{ advice: { ...words, points: gain, change } as Advice, rank: rank ?? gain }];
}

/** A zone can give reason for hundreds of recommendations, one for each report address. */
const MAX_ADVICE = 20;

function limitAdvice(advice: Advice[]): Advice[] {
  if (advice.length <= MAX_ADVICE) return advice;
  const shown = advice.slice(0, MAX_ADVICE - 1);
  return [...shown, { code: 'more_advice', detail: { count: advice.length - shown.length }, points: 0 }];
}
