/** asn2org: `"asn","name","source"`, with the name of the organisation that holds the AS number. */
import type { Names } from '../parsed.ts';
import type { Content } from './content.ts';
import { namesFromCsv } from './names-csv.ts';

export function parseAsn2orgCsv(content: Content): Names {
  return namesFromCsv(content, { name: 'name' });
}
