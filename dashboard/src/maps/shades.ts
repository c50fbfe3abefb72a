/** How dark a country is on the map. */
export type CountryAmount = { readonly code: string; readonly amount: number };

const LIGHTEST = 0.18;

/**
 * By the logarithm: one country often has most of the addresses, and the others would all look the same. The mixture
 * follows the theme.
 */
export function shadeOf(amount: number, largest: number): string {
  const share = largest <= 1 ? 1 : Math.log(1 + amount) / Math.log(1 + largest);
  const strength = LIGHTEST + (1 - LIGHTEST) * share;
  return `color-mix(in srgb, var(--map-strong) ${Math.round(strength * 100)}%, var(--map-empty))`;
}
