/** Names of networks from CSV files with a header row. Columns are found by name, because feeds add and move them. */

import { isReservedAsn, parseAsn } from '../../../as-number.ts';
import { isCountry } from '../../../country-code.ts';
import type { Content } from '../../../io/content.ts';
import { csvRow } from '../../../io/csv-row.ts';
import type { Names, NetworkName } from '../../parsed.ts';

/** asn2org: `"asn","name","source"`, with the name of the organisation that holds the AS number. */
export function parseAsn2orgCsv(content: Content): Names {
  return namesFromCsv(content, { name: 'name' });
}

/** ipverse as-metadata: `asn,handle,description,country-code`, with `XX` for an unknown country. */
export function parseAsMetadataCsv(content: Content): Names {
  return namesFromCsv(content, { name: 'description', handle: 'handle', country: 'country-code' });
}

/** The column names of the feed. The AS number is always in `asn`. */
type NameColumns = { readonly name: string; readonly handle?: string; readonly country?: string };

/** Throws if the header lacks the column of the number or of the name. */
function namesFromCsv(content: Content, columns: NameColumns): Names {
  const names = new Map<number, NetworkName>();
  let skipped = 0;
  let header: readonly string[] | undefined;
  for (const line of content.lines()) {
    if (line === '') continue;
    const fields = csvRow(line);
    if (header === undefined) {
      checkHeader(fields, columns);
      header = fields;
      continue;
    }
    const field = (column = '') => fields[header?.indexOf(column) ?? -1] ?? '';
    const asn = parseAsn(field('asn'));
    const name = field(columns.name).trim();
    const handle = field(columns.handle).trim();
    const country = field(columns.country);
    // A row with another number of fields has lost or gained a comma, so its fields do not match the header.
    if (asn === undefined || fields.length !== header.length || (name === '' && handle === '')) skipped++;
    else if (!isReservedAsn(asn)) {
      names.set(asn, {
        name: name === '' ? handle : name,
        ...(handle !== '' && { handle }),
        ...(isCountry(country) && { country }),
      });
    }
  }
  return { shape: 'names', records: names.size, skipped, names };
}

function checkHeader(fields: readonly string[], { name }: NameColumns): void {
  for (const column of ['asn', name]) {
    if (!fields.includes(column)) {
      throw new Error(`no column ${column} in the first line: ${JSON.stringify(fields.join().slice(0, 80))}`);
    }
  }
}
