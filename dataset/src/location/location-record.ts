// What a record of a location database says. Two shapes are in use, told apart by the type of
// `city` and `country`, because names of databases are not reliable:
//
//   GeoIP2   {city: {names: {en}}, subdivisions: [{names: {en}}], country: {iso_code}, location: {latitude, longitude}}
//            GeoLite2-City, GeoIP2-City, GeoIP2-Enterprise, DB-IP City Lite
//   flat     {city, region, country or country_code, lat and lng, or latitude and longitude}
//            IPinfo, whose coordinates are texts in some of its databases
import { isCountry } from '../record.ts';

/** What the record does not say is absent. */
export type LocationRecord = {
  readonly city?: string;
  readonly region?: string;
  readonly latitude?: number;
  readonly longitude?: number;
  /** Two letters. */
  readonly country?: string;
};

/** A longer name is no name. */
const MAX_NAME_LENGTH = 100;
const DECIMAL = /^-?\d{1,3}(?:\.\d{1,15})?$/;
/** 11 m. Databases that store single precision have no more than that. */
const DECIMALS = 10_000;

/** `record`: as it was decoded. Members of another type than expected are left out. */
export function readLocation(record: unknown): LocationRecord {
  const country = member(record, 'country');
  const subdivisions = member(record, 'subdivisions');
  const region = Array.isArray(subdivisions) ? englishName(subdivisions[0]) : undefined;
  const position = member(record, 'location') ?? record;
  return {
    ...named('city', nameOf(member(record, 'city'))),
    ...named('region', region ?? nameOf(member(record, 'region'))),
    ...coordinates(
      member(position, 'latitude') ?? member(position, 'lat'),
      member(position, 'longitude') ?? member(position, 'lng'),
    ),
    ...named(
      'country',
      [member(country, 'iso_code'), member(record, 'country_code'), country].find(isCountryCode),
    ),
  };
}

/** Whether it says more than the country. */
export const isLocated = ({ city, region, latitude }: LocationRecord): boolean =>
  city !== undefined || region !== undefined || latitude !== undefined;

function named<Name extends string>(
  name: Name,
  value: string | undefined,
): { [key in Name]?: string } {
  return (value === undefined ? {} : { [name]: value }) as { [key in Name]?: string };
}

const isCountryCode = (value: unknown): value is string =>
  typeof value === 'string' && isCountry(value);

function member(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return (value as Record<string, unknown>)[name];
}

const nameOf = (value: unknown): string | undefined =>
  typeof value === 'string' ? shownName(value) : englishName(value);

/** The English name, or else the first one. */
function englishName(value: unknown): string | undefined {
  const names = member(value, 'names');
  if (typeof names !== 'object' || names === null) return undefined;
  const name = member(names, 'en') ?? Object.values(names)[0];
  return typeof name === 'string' ? shownName(name) : undefined;
}

/** Without control characters and blanks at its ends; undefined if nothing is left of it. */
function shownName(text: string): string | undefined {
  if (text.length > MAX_NAME_LENGTH) return undefined;
  const name = text.replaceAll(/\p{Cc}+/gu, ' ').trim();
  return name === '' || name === '-' ? undefined : name;
}

/** Both or neither. Databases write 0, 0 for "unknown". */
function coordinates(
  latitude: unknown,
  longitude: unknown,
): Pick<LocationRecord, 'latitude' | 'longitude'> {
  const north = degrees(latitude);
  const east = degrees(longitude);
  if (!(Math.abs(north) <= 90) || !(Math.abs(east) <= 180)) return {};
  return north === 0 && east === 0 ? {} : { latitude: north, longitude: east };
}

/** NaN if it is not a number. */
function degrees(value: unknown): number {
  const isText = typeof value === 'string' && DECIMAL.test(value);
  return typeof value === 'number' || isText
    ? Math.round(Number(value) * DECIMALS) / DECIMALS
    : Number.NaN;
}
