/**
 * Compares the result of an update with the version before, before it is published. A feed can pass every check of its
 * own and still be wrong; what it does to the answers is the last chance to notice. Held against each other are the
 * answered space, the space per flag, country and registry, and the size of the file.
 */
import type { FlaggedHome } from '../file/write.ts';
import type { Figures, SpaceFigures } from '../record.ts';
import { MAX_FLAGGED_SHARE } from './flagged-homes.ts';

export type Version = { readonly figures: Figures; readonly bytes: number };

export type Measure =
  | { readonly kind: 'flag' | 'country' | 'registry'; readonly name: string; readonly version: 4 | 6 }
  | { readonly kind: 'answered'; readonly version: 4 | 6 }
  /** A flag on the addresses of one network of homes or phones. */
  | { readonly kind: 'home'; readonly name: string; readonly asn: number; readonly version: 4 }
  | { readonly kind: 'bytes' };

export type ImplausibleChange = {
  readonly measure: Measure;
  readonly before: number;
  readonly after: number;
  /** What is allowed, in words. */
  readonly limit: string;
};

const MAX_GROWTH = 3;
const MAX_LOSS = 0.5;
/** Of the announced space. Smaller growth is plausible however many times it is: a new feed, a new provider. */
const SMALL_SHARE = 0.001;
const MAX_ANSWERED_LOSS = 0.02;

/** Changes that stop a publication. `before` is the newest version that was made of feeds too. */
export function implausibleChanges(before: Version, after: Version): ImplausibleChange[] {
  const changes: ImplausibleChange[] = [];
  const compare = (measure: Measure, from: number, to: number, small: Readonly<{ growth: number; loss: number }>) => {
    const isGrown = to > from * MAX_GROWTH && to - from > small.growth;
    const isLost = to < from * (1 - MAX_LOSS) && from - to > small.loss;
    if (isGrown || isLost)
      changes.push({ measure, before: from, after: to, limit: isGrown ? 'at most 3 times' : 'at least half' });
  };
  for (const version of [4, 6] as const) {
    const answered = (figures: Figures) => {
      const { announced, answered_share } = figures[`ipv${version}`];
      return Math.round(announced * answered_share);
    };
    const [from, to] = [answered(before.figures), answered(after.figures)];
    if (to < from * (1 - MAX_ANSWERED_LOSS))
      changes.push({ measure: { kind: 'answered', version }, before: from, after: to, limit: 'at least 98 %' });
    const small = after.figures[`ipv${version}`].announced * SMALL_SHARE;
    for (const [kind, table] of [
      ['flag', 'flags'],
      ['country', 'countries'],
      ['registry', 'registries'],
    ] as const) {
      // Versions that were built before there were these figures are not compared.
      const spaceBefore: Record<string, SpaceFigures> | undefined = before.figures[table];
      if (spaceBefore === undefined) continue;
      const spaceAfter: Record<string, SpaceFigures> = after.figures[table];
      // A flag that disappears is serious however few addresses had it. Small countries do lose half of their space.
      const loss = kind === 'flag' ? (version === 4 ? 0 : 1) : small;
      for (const name of new Set([...Object.keys(spaceBefore), ...Object.keys(spaceAfter)]))
        compare({ kind, name, version }, spaceIn(spaceBefore[name], version), spaceIn(spaceAfter[name], version), {
          growth: small,
          loss,
        });
    }
  }
  compare({ kind: 'bytes' }, before.bytes, after.bytes, { growth: 0, loss: 0 });
  return changes;
}

/**
 * At most so large a share of the answered IPv4 space may have a flag. Several times what feeds of 2026 flag; for the
 * first version that is made of feeds, which no other can be compared with.
 */
export const LARGEST_SHARES: Readonly<Record<string, number>> = {
  is_tor_exit: 0.0001,
  is_proxy: 0.001,
  is_ai_crawler: 0.001,
  is_vpn: 0.02,
  threat: 0.05,
  is_mobile: 0.3,
  is_datacenter: 0.4,
  is_residential: 0.8,
};

/** No country has more of IPv4 than the United States, with less than half; no registry more than ARIN. */
const LARGEST_COUNTRY = 0.6;
const LARGEST_REGISTRY = 0.75;

/** Below this number of addresses a share says nothing: a catalogue may consist of a few own networks. */
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
    const limit = `at most ${Number((share * 100).toFixed(2))} % of IPv4`;
    return [{ measure: { kind, name, version: 4 as const }, before: 0, after, limit }];
  };
  return [
    ...Object.entries(LARGEST_SHARES).flatMap(([name, share]) => tooLarge('flag', name, figures.flags[name], share)),
    ...Object.entries(figures.countries).flatMap(([name, space]) => tooLarge('country', name, space, LARGEST_COUNTRY)),
    ...Object.entries(figures.registries).flatMap(([name, space]) =>
      tooLarge('registry', name, space, LARGEST_REGISTRY),
    ),
  ];
}

/** Homes that a list flags, and that the version before did not flag as much. */
export function implausibleHomes(
  flagged: readonly FlaggedHome[],
  flaggedBefore: (asn: number, flag: string) => number,
): ImplausibleChange[] {
  return flagged.flatMap(({ asn, flag, flagged: after, addresses }) => {
    const before = flaggedBefore(asn, flag);
    // It was published then, so it was accepted.
    if (before > addresses * MAX_FLAGGED_SHARE) return [];
    const limit = `at most ${MAX_FLAGGED_SHARE * 100} % of a home network`;
    return [{ measure: { kind: 'home', name: flag, asn, version: 4 }, before, after, limit }];
  });
}

function spaceIn(figures: SpaceFigures | undefined, version: 4 | 6): number {
  return Math.round((version === 4 ? figures?.ipv4_addresses : figures?.ipv6_48s) ?? 0);
}
