// Names of networks and exchanges. Columns are found by name, because feeds add and move them.
import { isReservedAsn, parseAsn } from '../../../as-number.ts';
import { isCountry } from '../../../country-code.ts';
import { rirOfCountry, rirOfNetwork } from '../../../data-files/rir.ts';
import type { Content } from '../../../io/content.ts';
import { csvRow } from '../../../io/csv-row.ts';
import type { Exchanges, Names, NetworkName } from '../../parsed.ts';
import { jsonDocument, member, requiredList, textMember } from '../json-value.ts';
import { placeName } from '../locations/place-list.ts';

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

/** RIPE's list: `28 DFVLR-SYS Deutsches Zentrum …, DE`: number, handle, description, country. LACNIC has no handles. */
export function parseAsnames(content: Content): Names {
  const names = new Map<number, NetworkName>();
  let skipped = 0;
  for (const line of content.lines()) {
    if (line === '' || line.startsWith('#')) continue;
    const blank = line.indexOf(' ');
    const asn = parseAsn(line.slice(0, Math.max(blank, 0)));
    const text = line.slice(blank + 1).trim();
    if (asn === undefined || text === '') skipped++;
    else if (!isReservedAsn(asn) && !/^-.* AS-/.test(text)) names.set(asn, parseName(asn, text));
  }
  return { shape: 'names', records: names.size, skipped, names };
}

function parseName(asn: number, text: string): NetworkName {
  const [, whole = text, code = ''] = /^(.*), ([A-Z]{2})$/.exec(text) ?? [];
  const country = isCountry(code) ? { country: code } : {};
  if (rirOfNetwork(asn, rirOfCountry(code)) === 'LACNIC') return { name: whole, ...country };
  const blank = whole.indexOf(' ');
  const handle = blank < 0 ? whole : whole.slice(0, blank);
  return { name: blank < 0 ? whole : whole.slice(blank + 1).trim(), handle, ...country };
}

/** PeeringDB `/api/ix`: `{"data":[{"id":26,"name":"AMS-IX",…}]}`, the names of internet exchanges. */
export function parsePeeringdbIx(content: Content): Exchanges {
  const what = 'a PeeringDB list of exchanges';
  const names = new Map<string, string>();
  let skipped = 0;
  for (const row of requiredList(jsonDocument(content, what), 'data', what)) {
    const id = member(row, 'id');
    const name = placeName(textMember(row, 'name'));
    if (Number.isInteger(id) && name !== '') names.set(String(id), name);
    else skipped++;
  }
  return { shape: 'exchanges', names, records: names.size, skipped };
}
