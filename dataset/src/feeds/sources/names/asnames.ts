/**
 * RIPE's list of AS numbers: `28 DFVLR-SYS Deutsches Zentrum fuer Luft- und Raumfahrt e.V., DE`. The country follows
 * the last comma, the handle is the first word, and the description is the rest; without a description the handle is
 * the name. LACNIC has no handles: its rows begin with the holder's name. Unassigned numbers are listed as `-Reserved
 * AS-` and the like.
 */

import { isReservedAsn, parseAsn } from '../../../as-number.ts';
import { isCountry } from '../../../country-code.ts';
import { rirOfCountry, rirOfNetwork } from '../../../data-files/rir.ts';
import type { Content } from '../../../io/content.ts';
import type { Names, NetworkName } from '../../parsed.ts';

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
