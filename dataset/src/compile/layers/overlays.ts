// All overlays of a family as one layer of combinations: as layers of their own, dozens would be
// checked on each of a million runs, nearly always without a result.
import { getOrInsert } from '../../get-or-insert.ts';
import { flatten, type Layer, Ranges } from '../../ranges.ts';
import { LayerCursor, sweep } from '../../sweep.ts';
import type { Overlay, Statement } from '../input/compile-input.ts';

export type Listing = { readonly overlay: Overlay; readonly statement: Statement };

/**
 * The layer's values are positions in `combinations`. Listings are in the order of the overlays.
 */
type CombinedOverlays = {
  readonly layer: Layer;
  readonly combinations: readonly (readonly Listing[])[];
};

export function combineOverlays(overlays: readonly Overlay[], version: 4 | 6): CombinedOverlays {
  const cursors = overlays.map(({ ranges }) => new LayerCursor(flatten(ranges[version])));
  const combinations: (readonly Listing[])[] = [];
  const numbers = new Map<string, number>();
  const ranges = new Ranges();
  sweep(cursors, (start, end) => {
    const listings: Listing[] = [];
    let key = '';
    overlays.forEach((overlay, i) => {
      const value = cursors[i]?.value ?? -1;
      if (value < 0) return;
      listings.push({ overlay, statement: overlay.statements[value] ?? {} });
      key += `${i} ${value} `;
    });
    ranges.add(
      start,
      end,
      getOrInsert(numbers, key, () => combinations.push(listings) - 1),
    );
  });
  return { layer: flatten(ranges), combinations };
}
