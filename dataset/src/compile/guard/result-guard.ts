// Compares the result of an update with the version before: a feed can pass every check of its own
// and still be wrong.
import type { FlaggedAccessNetwork } from '../../file/write.ts';
import type { Figures, SpaceFigures } from '../../record.ts';
import { MAX_FLAGGED_SHARE } from './flagged-access-networks.ts';

export type Version = {
  readonly figures: Figures;
  readonly bytes: number;
};

export type Measure =
  | {
      readonly kind: 'flag' | 'country' | 'registry';
      readonly name: string;
      readonly version: 4 | 6;
    }
  | { readonly kind: 'answered'; readonly version: 4 | 6 }
  /** A flag on the addresses of one access network. */
  | {
      readonly kind: 'access network';
      readonly name: string;
      readonly asn: number;
      readonly version: 4;
    }
  /** A flag or points on addresses of a service in known-good.csv. */
  | { readonly kind: 'known good'; readonly name: string; readonly service: string }
  | { readonly kind: 'bytes' };

export type ImplausibleChange = {
  readonly measure: Measure;
  readonly before: number;
  readonly after: number;
  readonly limit: string;
};

const MAX_GROWTH = 3;
const MAX_LOSS = 0.5;
/**
 * Share of the announced space. Smaller growth is plausible at any factor: a new feed, a new
 * provider.
 */
const SMALL_SHARE = 0.001;
const MAX_ANSWERED_LOSS = 0.02;

/**
 * Changes that stop a publication. `before` is the newest version that was also built from feeds.
 */
export function implausibleChanges(before: Version, after: Version): ImplausibleChange[] {
  const changes: ImplausibleChange[] = [];
  const compare = (
    measure: Measure,
    from: number,
    to: number,
    small: Readonly<{ growth: number; loss: number }>,
  ) => {
    const isGrown = to > from * MAX_GROWTH && to - from > small.growth;
    const isLost = to < from * (1 - MAX_LOSS) && from - to > small.loss;
    if (isGrown || isLost)
      changes.push({
        measure,
        before: from,
        after: to,
        limit: isGrown ? 'at most 3 times' : 'at least half',
      });
  };
  for (const version of [4, 6] as const) {
    const answered = (figures: Figures) => {
      const { announced, answered_share } = figures[`ipv${version}`];
      return Math.round(announced * answered_share);
    };
    const from = answered(before.figures);
    const to = answered(after.figures);
    if (to < from * (1 - MAX_ANSWERED_LOSS))
      changes.push({
        measure: { kind: 'answered', version },
        before: from,
        after: to,
        limit: 'at least 98%',
      });
    const small = after.figures[`ipv${version}`].announced * SMALL_SHARE;
    for (const [kind, table] of [
      ['flag', 'flags'],
      ['country', 'countries'],
      ['registry', 'registries'],
    ] as const) {
      const spaceBefore: Record<string, SpaceFigures> = before.figures[table];
      const spaceAfter: Record<string, SpaceFigures> = after.figures[table];
      // A flag that disappears is serious even if few addresses had it. Small countries do lose
      // half of their space.
      const flagLoss = version === 4 ? 0 : 1;
      const loss = kind === 'flag' ? flagLoss : small;
      for (const name of new Set([...Object.keys(spaceBefore), ...Object.keys(spaceAfter)]))
        compare(
          { kind, name, version },
          spaceIn(spaceBefore[name], version),
          spaceIn(spaceAfter[name], version),
          {
            growth: small,
            loss,
          },
        );
    }
  }
  compare({ kind: 'bytes' }, before.bytes, after.bytes, { growth: 0, loss: 0 });
  return changes;
}

/**
 * Several times what the feeds of 2026 flag, of the IPv4 space. For the first version built from
 * feeds.
 */
const LARGEST_SHARES: Readonly<Record<string, number>> = {
  is_tor_exit: 0.0001,
  is_proxy: 0.001,
  is_ai_crawler: 0.001,
  is_vpn: 0.02,
  threat: 0.05,
  is_mobile: 0.3,
  is_datacenter: 0.4,
  is_residential: 0.8,
};

/**
 * The largest country, the United States, has less than half of IPv4; the largest registry is ARIN.
 */
const LARGEST_COUNTRY = 0.6;
const LARGEST_REGISTRY = 0.75;

/**
 * Below this number of addresses a share says nothing: a catalogue may consist of a few own
 * networks.
 */
const FEW_ADDRESSES = 1_000_000;

export function implausibleShares({ figures }: Version): ImplausibleChange[] {
  const answered = figures.ipv4.announced * figures.ipv4.answered_share;
  const tooLarge = (
    kind: 'flag' | 'country' | 'registry',
    name: string,
    space: SpaceFigures | undefined,
    share: number,
  ) => {
    const after = spaceIn(space, 4);
    if (after <= Math.max(answered, FEW_ADDRESSES) * share) return [];
    const limit = `at most ${Number((share * 100).toFixed(2))}% of IPv4`;
    return [{ measure: { kind, name, version: 4 as const }, before: 0, after, limit }];
  };
  return [
    ...Object.entries(LARGEST_SHARES).flatMap(([name, share]) =>
      tooLarge('flag', name, figures.flags[name], share),
    ),
    ...Object.entries(figures.countries).flatMap(([name, space]) =>
      tooLarge('country', name, space, LARGEST_COUNTRY),
    ),
    ...Object.entries(figures.registries).flatMap(([name, space]) =>
      tooLarge('registry', name, space, LARGEST_REGISTRY),
    ),
  ];
}

/** Access networks that a list flags, and that the previous version flagged less. */
export function implausibleAccessNetworks(
  flagged: readonly FlaggedAccessNetwork[],
  flaggedBefore: (asn: number, flag: string) => number,
): ImplausibleChange[] {
  return flagged.flatMap(({ asn, flag, flagged: after, addresses }) => {
    const before = flaggedBefore(asn, flag);
    // The previous version was published, so this share was accepted.
    if (before > addresses * MAX_FLAGGED_SHARE) return [];
    const limit = `at most ${MAX_FLAGGED_SHARE * 100}% of a home network`;
    return [
      { measure: { kind: 'access network', name: flag, asn, version: 4 }, before, after, limit },
    ];
  });
}

function spaceIn(figures: SpaceFigures | undefined, version: 4 | 6): number {
  return Math.round((version === 4 ? figures?.ipv4_addresses : figures?.ipv6_48s) ?? 0);
}
