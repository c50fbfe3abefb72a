/** How dark a country is on the map. */
export type CountryAmount = { readonly code: string; readonly amount: number };

/** So that a country with a small share differs from one with none. */
const LIGHTEST = 0.12;

/** Linear: a country with half of the largest amount has half of its shade. The mixture follows the theme. */
export function shadeOf(share: number): string {
  const strength = LIGHTEST + (1 - LIGHTEST) * share;
  return `color-mix(in srgb, var(--map-strong) ${Math.round(strength * 100)}%, var(--map-empty))`;
}
