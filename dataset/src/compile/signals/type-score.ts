// The kind of a network by adding up weak evidence (type-points.csv). A kind must be ahead by a
// margin, because a missing flag does less harm than a wrong one; else the type is `business`,
// which sets no flag, and called assumed.
import { typePoints } from '../../data-files/data-files.ts';
import type { ConnectionType, TypeSignal } from '../../record.ts';
import type { NetworkSignals } from './network-signals.ts';

// Lead over residential, datacenter, business. With 10 over both, a third of the hosting companies
// of the fitted labels were found, with these half, at the same share of access networks called
// datacenters (1.3%).
const MARGINS = { residential: [0, 1, 1], datacenter: [10, 0, 4], business: [2, 2, 0] } as const;
const KINDS = [
  'residential',
  'datacenter',
  'business',
] as const satisfies readonly ConnectionType[];
const GROUPS = [
  'name',
  'registration',
  'announcements',
] as const satisfies readonly (keyof NetworkSignals)[];

type ScoredType = {
  readonly type: (typeof KINDS)[number];
  readonly isAssumed: boolean;
  /** The kind of signals that says most for the type, or `assumed`. */
  readonly signal: TypeSignal;
};

/** Points were fitted on one half of the networks; the other half measures them. */
export const isFitted = (asn: number): boolean => Math.imul(asn, 0x9e3779b1) >= 0;

type Points = [residential: number, datacenter: number, business: number];

export function scoreType(signals: NetworkSignals): ScoredType {
  const groups = GROUPS.map((group) => [group, pointsOf(signals[group])] as const);
  const total = pointsOf(['every network']);
  for (const [, points] of groups) add(total, points);
  for (const [kind, type] of KINDS.entries()) {
    if (
      total.some(
        (points, other) =>
          other !== kind && (total[kind] ?? 0) - points < (MARGINS[type][other] ?? 0),
      )
    )
      continue;
    const [signal] = groups.reduce((a, b) => ((b[1][kind] ?? 0) > (a[1][kind] ?? 0) ? b : a));
    return { type, isAssumed: false, signal };
  }
  return { type: 'business', isAssumed: true, signal: 'assumed' };
}

function pointsOf(signals: Iterable<string>): Points {
  const sum: Points = [0, 0, 0];
  for (const signal of signals) {
    const row = typePoints.find(signal);
    if (row !== undefined) add(sum, [row.residential, row.datacenter, row.business]);
  }
  return sum;
}

function add(sum: Points, points: Points): void {
  for (const kind of [0, 1, 2] as const) sum[kind] += points[kind];
}
