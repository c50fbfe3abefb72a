// Regions and cities of a geofeed (RFC 8805 §2.1.1). A row without a country means that its addresses should not be
// located (§2.1.1.1). The rows of `parseGeofeed` are not enough: it keeps one row per prefix and country.
import type { Content } from '../../../io/content.ts';
import { csvRow } from '../../../io/csv-row.ts';
import { parsePrefix } from '../../../prefix.ts';
import { type FamilyRanges, Ranges } from '../../../ranges.ts';
import { countryLabel, withoutRemark } from '../prefixes/geofeed.ts';
import { type Place, PlaceList, placeName } from './place-list.ts';

/** Values are positions in `places`. */
export function parseGeofeedPlaces(content: Content): { ranges: FamilyRanges; places: readonly Place[] } {
  const ranges = { 4: new Ranges(), 6: new Ranges() };
  const places = new PlaceList();
  for (const line of content.lines()) {
    const text = line.trim();
    if (text === '' || text.startsWith('#')) continue;
    const [prefix = '', country = '', region = '', city = ''] = csvRow(withoutRemark(text));
    const range = parsePrefix(prefix.trim());
    if (range === undefined) continue;
    const place = { country: countryLabel(country), region: placeName(region).toUpperCase(), city: placeName(city) };
    ranges[range.version].add(range.start, range.end, places.add(place));
  }
  return { ranges, places: places.places };
}
