/** ipverse as-metadata: `asn,handle,description,country-code`, with `XX` for an unknown country. */
import type { Names } from '../parsed.ts';
import type { Content } from './content.ts';
import { namesFromCsv } from './names-csv.ts';

export function parseAsMetadataCsv(content: Content): Names {
  return namesFromCsv(content, { name: 'description', handle: 'handle', country: 'country-code' });
}
