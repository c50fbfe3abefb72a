// Where an address is, from the supplement. Places outside the country, which more sources decide, are left out.
import type { Address } from '@whence/dataset/address';
import type { Match } from '@whence/dataset/internal/file/format';
import type { Dataset } from '@whence/dataset/internal/file/read';
import type { Location, Supplement } from '@whence/dataset/internal/supplement/supplement';

type LocatedAddress = {
  readonly dataset: Dataset;
  readonly supplement?: Supplement | undefined;
  readonly address: Address;
  readonly match: Match;
};

export function locationOf({ dataset, supplement, address, match }: LocatedAddress): Location | undefined {
  if (supplement === undefined) return undefined;
  const place = supplement.placeOf(address);
  return place === 0 ? undefined : supplement.location(place, dataset.country(match));
}

/** The same as JSON, for many addresses: it is made once for each place. */
export function locationJsonOf({ dataset, supplement, address, match }: LocatedAddress): string | undefined {
  if (supplement === undefined) return undefined;
  const place = supplement.placeOf(address);
  return place === 0 ? undefined : supplement.locationJson(place, dataset.country(match));
}
