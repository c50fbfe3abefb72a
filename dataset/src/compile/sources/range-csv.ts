/**
 * The CSV files of ip-location-db: `first,last,asn,"name"` and `first,last,country`. Only what follows the second comma may be
 * quoted. A row that does not read is an error, not a gap: these files are pinned, so it means that they are not what we think.
 */
import { parseAddress } from '../../address.ts';
import { toBigInt } from '../../prefix.ts';
import { encodeCountry } from '../country-code.ts';
import { Ranges } from '../ranges.ts';

/** Values are AS numbers; a name for each number, the first that is met. */
export function parseAsnRanges(
  lines: Iterable<string>,
  version: 4 | 6,
): { ranges: Ranges; names: Map<number, string> } {
  const names = new Map<number, string>();
  const ranges = parseRanges(lines, version, (rest) => {
    const comma = rest.indexOf(',');
    const asn = Number(rest.slice(0, comma));
    if (comma < 0 || !Number.isInteger(asn) || asn <= 0 || asn > 0xffffffff) return undefined;
    if (!names.has(asn)) names.set(asn, unquote(rest.slice(comma + 1)));
    return asn;
  });
  return { ranges, names };
}

/** Values are countries as numbers, see `country-code`. */
export function parseCountryRanges(lines: Iterable<string>, version: 4 | 6): Ranges {
  return parseRanges(lines, version, (rest) => (/^[A-Z]{2}$/.test(rest) ? encodeCountry(rest) : undefined));
}

function parseRanges(
  lines: Iterable<string>,
  version: 4 | 6,
  parseValue: (rest: string) => number | undefined,
): Ranges {
  const ranges = new Ranges();
  let number = 0;
  for (const line of lines) {
    number++;
    const first = line.indexOf(',');
    const second = line.indexOf(',', first + 1);
    const start = parseAddress(line.slice(0, first));
    const end = parseAddress(line.slice(first + 1, second));
    const value = second < 0 ? undefined : parseValue(line.slice(second + 1));
    if (start?.version !== version || end?.version !== version || value === undefined) {
      throw new Error(`line ${number} is not a range: ${JSON.stringify(line.slice(0, 80))}`);
    }
    const from = toBigInt(start);
    const to = toBigInt(end);
    if (from > to) throw new Error(`line ${number} ends before it starts: ${JSON.stringify(line.slice(0, 80))}`);
    ranges.add(from, to, value);
  }
  return ranges;
}

/** RFC 4180: a quoted field doubles its quotes. */
function unquote(field: string): string {
  return field.startsWith('"') && field.endsWith('"') ? field.slice(1, -1).replaceAll('""', '"') : field;
}
