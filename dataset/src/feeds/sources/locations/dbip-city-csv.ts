// DB-IP City Lite: `first,last,continent,country,region,city,latitude,longitude`, ascending, IPv4 first. A row that
// overlaps an earlier one is skipped. Rows of unknown or unused space have the country ZZ.
import { parseAddress } from '../../../address.ts';
import { AddressRows, wordsOfAddress } from '../../../address-rows.ts';
import { isCountry } from '../../../country-code.ts';
import type { Content } from '../../../io/content.ts';
import { csvRow } from '../../../io/csv-row.ts';
import type { Locations } from '../../parsed.ts';
import { coordinates, MAX_PLACES, PlaceList, placeName } from './place-list.ts';

export function parseDbipCityCsv(content: Content): Locations {
  const rows = { 4: new AddressRows(4), 6: new AddressRows(6) };
  const places = new PlaceList();
  /** Millions of rows share some hundred thousand texts, each of which is parsed once. */
  const numbers = new Map<string, number>();
  const numberOf = (columns: string): number => {
    const known = numbers.get(columns);
    if (known !== undefined) return known;
    // A copy: a slice would keep the whole chunk of the file that it was read with in memory.
    const text = Buffer.from(columns).toString();
    const number = addPlace(places, text);
    if (number >= 0 && numbers.size < MAX_PLACES) numbers.set(text, number);
    return number;
  };
  let records = 0;
  let skipped = 0;
  for (const line of content.lines()) {
    if (line === '') continue;
    // An address has no comma, not even in quotes.
    const range = line.indexOf(',', line.indexOf(',') + 1);
    const [first = '', last = ''] = csvRow(line.slice(0, range));
    const start = parseAddress(first);
    const end = parseAddress(last);
    const place = numberOf(line.slice(range + 1));
    if (start === undefined || end?.version !== start.version || place === UNREADABLE) skipped++;
    else if (place === UNKNOWN || rows[start.version].add(wordsOfAddress(start), wordsOfAddress(end), place)) records++;
    else skipped++;
  }
  return { shape: 'locations', rows, places: places.places, records, skipped };
}

const UNKNOWN = -1;
const UNREADABLE = -2;

/** `columns`: those after the range. */
function addPlace(places: PlaceList, columns: string): number {
  const [, country = '', region = '', city = '', latitude = '', longitude] = csvRow(columns);
  if (longitude === undefined) return UNREADABLE;
  if (!isCountry(country)) return UNKNOWN;
  const names = { region: placeName(region), city: placeName(city) };
  return places.add({ country, ...names, ...coordinates(latitude, longitude) });
}
