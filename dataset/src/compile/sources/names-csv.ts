/** Names of networks from a CSV file whose first row says which column is which: feeds add columns and move them. */

import { isCountry } from '../../country-code.ts';
import { isReservedAsn, parseAsn } from '../as-number.ts';
import type { Names, NetworkName } from '../parsed.ts';
import type { Content } from './content.ts';
import { csvRow } from './csv-row.ts';

/** What the feed calls the columns. That of the number is `asn` everywhere. */
export type NameColumns = { readonly name: string; readonly handle?: string; readonly country?: string };

/** Throws if the first row does not name the columns of number and name. */
export function namesFromCsv(content: Content, columns: NameColumns): Names {
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
    // A row of another width has lost or gained a comma, and then its fields are not what the header says.
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
      throw new Error(`the first line names no column ${column}: ${JSON.stringify(fields.join().slice(0, 80))}`);
    }
  }
}
