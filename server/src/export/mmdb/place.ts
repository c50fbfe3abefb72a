/** The location of an address in the form of MaxMind's City files. */
import type { Location } from '@whence/dataset/internal/supplement/supplement';
import { type Members, mapOf } from './mmdb-data.ts';

/** A region that is a code, from a geofeed, has no name there. */
export function placeOf({ city, region = '', latitude, longitude }: Location): Members {
  const named = (name: string) => mapOf({ names: mapOf({ en: name }) });
  const isCode = /^[A-Z]{2}-[A-Z0-9]{1,3}$/.test(region);
  const isLocated = latitude !== undefined && longitude !== undefined;
  return {
    city: city === undefined ? undefined : named(city),
    subdivisions: region === '' ? undefined : [isCode ? mapOf({ iso_code: region.slice(3) }) : named(region)],
    location: isLocated ? mapOf({ latitude, longitude }) : undefined,
  };
}
