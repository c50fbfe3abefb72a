// Where an address is, from the supplement. Places outside the country, which more sources decide, are left out.
import type { Location } from '@whence/dataset/internal/supplement/supplement';
import type { FoundAddress } from './routing/routing.ts';

export function locationOf({ dataset, supplement, address, match }: FoundAddress): Location | undefined {
  return supplement?.location(supplement.placeOf(address), dataset.country(match));
}

/** The same as JSON, for many addresses: it is made once for each place. */
export function locationJsonOf({ dataset, supplement, address, match }: FoundAddress): string | undefined {
  return supplement?.locationJson(supplement.placeOf(address), dataset.country(match));
}
