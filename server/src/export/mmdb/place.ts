/** The location of an address in the form of MaxMind's City files. */
import type { Location } from '@whence/dataset/internal/supplement/supplement';
import type { Value } from './mmdb-data.ts';

/** A region that is a code, from a geofeed, has no name there. */
export function placeOf({ city, region, latitude, longitude }: Location): [string, Value][] {
  const named = (name: string) => new Map([['names', new Map([['en', name]])]]);
  const isCode = region !== undefined && /^[A-Z]{2}-[A-Z0-9]{1,3}$/.test(region);
  const place = {
    ...(city !== undefined && { city: named(city) }),
    ...(region !== undefined && { subdivisions: [isCode ? new Map([['iso_code', region.slice(3)]]) : named(region)] }),
    ...(latitude !== undefined &&
      longitude !== undefined && { location: new Map(Object.entries({ latitude, longitude })) }),
  };
  return Object.entries<Value>(place);
}
