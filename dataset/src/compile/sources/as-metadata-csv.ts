/** ipverse as-metadata: `asn,handle,description,country-code`, the country `XX` where it is not known. */
import type { Names } from '../parsed.ts';
import type { Content } from './content.ts';
import { namesFromCsv } from './names-csv.ts';

export function parseAsMetadataCsv(content: Content): Names {
  return namesFromCsv(content, { name: 'description', handle: 'handle', country: 'country-code' });
}
