/**
 * The kind of a network that no table, list or rule on names knows, by adding up weak evidence: words of its name, where
 * it is registered, what it announces, what lists say about its addresses. The points of each signal are in
 * tables/type-signals/points.ts. A kind must be ahead of the others by a margin, because a missing flag does less harm
 * than a wrong one; `business`, which sets no flag, needs none and is called assumed where it is not clearly ahead.
 */
import type { ConnectionType } from '../../record.ts';
import { typePoints } from '../../tables/type-signals/points.ts';

/** What a kind must be ahead of the next. Chosen on the part of the labels that the points were fitted on. */
const MARGIN = { residential: 1, datacenter: 5, business: 4 } as const;
const KINDS = ['residential', 'datacenter', 'business'] as const satisfies readonly ConnectionType[];

export type ScoredType = {
  readonly type: (typeof KINDS)[number];
  readonly isAssumed: boolean;
  /** The signal that says most for the type, or `assumed`. */
  readonly signal: string;
};

/** In the evidence, where the type is the default. */
export const ASSUMED_SIGNAL = 'assumed';
const ASSUMED: ScoredType = { type: 'business', isAssumed: true, signal: ASSUMED_SIGNAL };

export function scoreType(signals: Iterable<string>): ScoredType {
  const known = [...signals, 'every network'].flatMap((signal) => {
    const points = Object.hasOwn(typePoints, signal) ? typePoints[signal] : undefined;
    return points === undefined ? [] : [{ signal, points }];
  });
  const sums = KINDS.map((_, kind) => known.reduce((sum, { points }) => sum + (points[kind] ?? 0), 0));
  for (const [kind, type] of KINDS.entries()) {
    const best = Math.max(...sums.filter((_, other) => other !== kind));
    if ((sums[kind] ?? 0) - best < MARGIN[type]) continue;
    const strongest = known.reduce((a, b) => ((b.points[kind] ?? 0) > (a.points[kind] ?? 0) ? b : a));
    return { type, isAssumed: false, signal: strongest.signal };
  }
  return ASSUMED;
}
