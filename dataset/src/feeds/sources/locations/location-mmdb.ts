// A database of cities in the MMDB format. No version of the dataset contains it: it is checked
// here, stored as it is, and looked up in answers (location/).
import type { Content } from '../../../io/content.ts';
import { checkRecords, LocationDatabase } from '../../../location/location-database.ts';
import type { Locations } from '../../parsed.ts';

export function parseLocationDatabase(content: Content): Locations {
  // Copies: a chunk is only valid until the next one is read.
  const file = Buffer.concat(Array.from(content.chunks(), (chunk) => Buffer.from(chunk)));
  const records = checkRecords(file);
  return { shape: 'locations', records, skipped: 0, asOf: new LocationDatabase(file).as_of };
}
