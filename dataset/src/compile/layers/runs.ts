// The layers of a family side by side: a run is a range of addresses in which no layer changes.
import { LayerCursor, sweep } from '../../sweep.ts';
import type { FamilyLayers } from './layers.ts';

export type RunCursors = Readonly<ReturnType<typeof cursorsOf>>;

/** The runs that a route covers, also those in reserved space. */
export function forEachRun(
  layers: FamilyLayers,
  visit: (run: RunCursors, start: bigint, end: bigint) => void,
): void {
  const run = cursorsOf(layers);
  const { countries, ...others } = run;
  sweep([...Object.values(others), ...countries], (start, end) => {
    if (run.routes.row >= 0) visit(run, start, end);
  });
}

function cursorsOf(layers: FamilyLayers) {
  return {
    routes: new LayerCursor(layers.routes),
    reserved: new LayerCursor(layers.reserved),
    holder: new LayerCursor(layers.holder),
    delegatedCountry: new LayerCursor(layers.delegatedCountry),
    ianaRir: new LayerCursor(layers.ianaRir),
    overlays: new LayerCursor(layers.overlays),
    countries: layers.countries.map((layer) => new LayerCursor(layer)),
  };
}
