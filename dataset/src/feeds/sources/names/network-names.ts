// Names of networks. Columns are found by name, because feeds add and move them.
import { isReservedAsn, parseAsn } from '../../../as-number.ts';
import { rirOfCountry, rirOfNetwork } from '../../../data-files/rir.ts';
import type { Content } from '../../../io/content.ts';
import { csvRow } from '../../../io/csv-row.ts';
import { isCountry } from '../../../record.ts';
import type { Names, NetworkName } from '../../parsed.ts';

/** asn2org: `"asn","name","source"`, with the name of the organisation that holds the AS number. */
export function parseAsn2orgCsv(content: Content): Names {
  const names = new Map<number, NetworkName>();
  let skipped = 0;
  let header: readonly string[] | undefined;
  for (const line of content.lines()) {
    if (line === '') continue;
    const fields = csvRow(line);
    if (header === undefined) {
      header = requireColumns(fields, ['asn', 'name']);
      continue;
    }
    const asn = parseAsn(fields[header.indexOf('asn')] ?? '');
    const name = fields[header.indexOf('name')]?.trim() ?? '';
    // A row with another number of fields has lost or gained a comma, so its fields do not match
    // the header.
    if (asn === undefined || fields.length !== header.length || name === '') skipped++;
    else if (!isReservedAsn(asn)) names.set(asn, { name });
  }
  return { shape: 'names', records: names.size, skipped, names };
}

function requireColumns(header: readonly string[], columns: readonly string[]): readonly string[] {
  const missing = columns.find((column) => !header.includes(column));
  if (missing === undefined) return header;
  throw new Error(
    `no column ${missing} in the first line: ${JSON.stringify(header.join().slice(0, 80))}`,
  );
}

/**
 * RIPE's list: `28 DFVLR-SYS Deutsches Zentrum …, DE`: number, handle, description, country. LACNIC
 * has no handles.
 */
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
