/**
 * All overlays of one family as a single layer. There are dozens of them and each covers little; walked together with the routes they would be asked
 * a million times and be silent nearly always. What the overlays say of a run is a combination; equal combinations are one.
 */

import { flatten, type Layer, Ranges, sweep } from './ranges.ts';
import type { Overlay, Statement } from './statements.ts';

export type Listing = { readonly overlay: Overlay; readonly statement: Statement };

/** The layer's values are positions in `combinations`. Listings stand in the order of the overlays. */
export type CombinedOverlays = { readonly layer: Layer; readonly combinations: readonly (readonly Listing[])[] };

export function combineOverlays(overlays: readonly Overlay[], version: 4 | 6): CombinedOverlays {
  const layers = overlays.map(({ ranges }) => flatten(ranges[version]));
  const combinations: (readonly Listing[])[] = [];
  const known = new Map<string, number>();
  const ranges = new Ranges();
  sweep(layers, (start, end, rows) => {
    const listings: Listing[] = [];
    let key = '';
    rows.forEach((row, i) => {
      if (row < 0) return;
      const value = (layers[i] as Layer).ranges.values[row] as number;
      const overlay = overlays[i] as Overlay;
      listings.push({ overlay, statement: overlay.statements[value] ?? {} });
      key += `${i} ${value} `;
    });
    let combination = known.get(key);
    if (combination === undefined) {
      combination = combinations.push(listings) - 1;
      known.set(key, combination);
    }
    ranges.add(start, end, combination);
  });
  return { layer: flatten(ranges), combinations };
}
