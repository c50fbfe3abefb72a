/** Places, each once. A file of locations repeats about 200,000 of them in millions of rows. */

import { encodeCountry } from '../../../country-code.ts';
import { getOrInsert } from '../../../get-or-insert.ts';

export type Place = {
  /** Two letters; empty if the source names none. */
  readonly country: string;
  readonly region: string;
  readonly city: string;
  /** In millionths of a degree. */
  readonly latitude?: number;
  readonly longitude?: number;
};

/** A feed with more distinct places, or longer names, has another format. */
export const MAX_PLACES = 1_000_000;
const MAX_NAME_LENGTH = 100;

export class PlaceList {
  readonly places: Place[] = [];
  readonly #numbers = new Map<string, number>();

  add(place: Place): number {
    const key = `${place.country}\t${place.region}\t${place.city}\t${place.latitude}\t${place.longitude}`;
    return getOrInsert(this.#numbers, key, () => {
      if (this.places.length === MAX_PLACES)
        throw new Error(`more than ${MAX_PLACES.toLocaleString('en-US')} different places`);
      return this.places.push(place) - 1;
    });
  }
}

/** A name as it is shown: without control characters and blanks at its ends; empty if it is too long to be one. */
export function placeName(text: string): string {
  const name = text.replaceAll(/\p{Cc}+/gu, ' ').trim();
  return name.length > MAX_NAME_LENGTH || name === '-' ? '' : name;
}

/** Both or neither, in millionths of a degree. 0, 0 is what databases write for "unknown". */
export function coordinates(latitude: string, longitude: string): Pick<Place, 'latitude' | 'longitude'> {
  const [north, east] = [latitude, longitude].map((text) => (NUMBER.test(text.trim()) ? Number(text) : Number.NaN));
  if (north === undefined || east === undefined || !(Math.abs(north) <= 90) || !(Math.abs(east) <= 180)) return {};
  if (north === 0 && east === 0) return {};
  return { latitude: Math.round(north * 1e6), longitude: Math.round(east * 1e6) };
}

const NUMBER = /^-?\d{1,3}(?:\.\d{1,15})?$/;

/** Where a place is, in one word beside the number of its source. */
export const countryWord = ({ country }: Place): number => (country === '' ? 0 : encodeCountry(country));
