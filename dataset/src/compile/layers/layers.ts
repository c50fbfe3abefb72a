// Everything that the sources state about one address family, as named layers of numbers.
import { ianaLayer } from '../../data-files/rir.ts';
import type { Holder } from '../../feeds/parsed.ts';
import { flatten, type Layer, Ranges } from '../../ranges.ts';
import type { Source } from '../../record.ts';
import { specialPurposeRanges } from '../../special-purpose.ts';
import { LayerCursor, sweep } from '../../sweep.ts';
import type { CompileInput, DelegationSource, Stated } from '../input/compile-input.ts';
import { restrictGenericLists } from './generic-vpn-lists.ts';
import { combineOverlays, type Listing } from './overlays.ts';

export type FamilyLayers = {
  readonly version: 4 | 6;
  /** Values are AS numbers. */
  readonly routes: Layer;
  /** Per row of `routes`: the position of its source in `routeSources`. */
  readonly sourceOfRoute: ArrayLike<number>;
  readonly routeSources: readonly Source[];
  /** Space without records. The values mean nothing. */
  readonly reserved: Layer;
  /** Values are positions in `holders`. */
  readonly holder: Layer;
  readonly holders: readonly Stated<Holder>[];
  /** Values are countries. */
  readonly delegatedCountry: Layer;
  /** Values are positions in RIRS. */
  readonly ianaRir: Layer;
  /** Values are positions in `combinations`. */
  readonly overlays: Layer;
  readonly combinations: readonly (readonly Listing[])[];
  /** One layer per source of countries, in the order of the sources. Values are countries. */
  readonly countries: readonly Layer[];
};

export function familyLayers(input: CompileInput, version: 4 | 6): FamilyLayers {
  const { routes, countries, delegations, delegated, overlays } = input;
  const announced = joinRoutes(routes.map(({ ranges }) => ranges[version]));
  const { layer: holder, list: holders } = joinHolders(delegations, version);
  const { layer: overlaid, combinations } = combineOverlays(
    restrictGenericLists(overlays, announced.layer, version),
    version,
  );
  return {
    version,
    routes: announced.layer,
    sourceOfRoute: announced.sourceOf,
    routeSources: routes.map(({ source }) => source),
    reserved: reservedSpace(version),
    holder,
    holders,
    delegatedCountry: flatten(delegated.ranges[version]),
    ianaRir: ianaLayer(version),
    overlays: overlaid,
    combinations,
    countries: countries.map(({ ranges }) => flatten(ranges[version])),
  };
}

/** The blocks of all delegated files as one layer whose values are positions in `list`. */
function joinHolders(
  delegations: readonly DelegationSource[],
  version: 4 | 6,
): { layer: Layer; list: readonly Stated<Holder>[] } {
  const ranges = new Ranges();
  const list: Stated<Holder>[] = [];
  // The later of equally narrow rows decides in a layer, so the most trusted file is added last.
  for (const { source, ranges: blocks, holders } of [...delegations].reverse()) {
    const offset = list.length;
    for (const value of holders) list.push({ value, source });
    blocks[version].forEach((start, end, value) => {
      ranges.add(start, end, offset + value);
    });
  }
  return { layer: flatten(ranges), list };
}

/**
 * Addresses without a record, whatever is announced there: special-purpose space, IPv6 outside
 * 2000::/3.
 */
function reservedSpace(version: 4 | 6): Layer {
  const ranges = new Ranges();
  for (const { start, end } of specialPurposeRanges(version)) ranges.add(start, end, RESERVED);
  if (version === 6) {
    ranges.add(0n, (1n << 125n) - 1n, RESERVED);
    ranges.add(1n << 126n, (1n << 128n) - 1n, RESERVED);
  }
  return flatten(ranges);
}

const RESERVED = 0;

/** `sourceOf[row]` is the position of the row's source. */
type JoinedRoutes = { readonly layer: Layer; readonly sourceOf: ArrayLike<number> };

// One table from several sources. A later one is used only where no earlier one covers the address:
// where two tables disagree, the more trusted decides. Within a table the longest prefix does.
function joinRoutes(sources: readonly Ranges[]): JoinedRoutes {
  const [only, ...others] = sources;
  if (only !== undefined && others.length === 0)
    return { layer: flatten(only), sourceOf: new Uint8Array(only.length) };
  const ranges = new Ranges();
  const sourceOf: number[] = [];
  const add = (start: bigint, end: bigint, asn: number, source: number) => {
    ranges.add(start, end, asn);
    sourceOf.push(source);
  };
  sources.forEach((later, source) => {
    const isCut = new Uint8Array(later.length);
    const gaps: [start: bigint, end: bigint, row: number][] = [];
    if (ranges.length > 0) {
      const atEarlier = new LayerCursor(flatten(ranges));
      const atLater = new LayerCursor(flatten(later));
      sweep([atEarlier, atLater], (start, end) => {
        if (atLater.row < 0) return;
        if (atEarlier.row >= 0) isCut[atLater.row] = 1;
        else gaps.push([start, end, atLater.row]);
      });
    }
    // A row that no earlier source cuts stays whole, so that announcements inside it keep their own
    // prefixes.
    later.forEach((start, end, asn, row) => {
      if (isCut[row] === 0) add(start, end, asn, source);
    });
    for (const [start, end, row] of gaps)
      if (isCut[row] === 1) add(start, end, later.values[row] as number, source);
  });
  return { layer: flatten(ranges), sourceOf };
}
