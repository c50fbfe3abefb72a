/**
 * Lists of networks, a number and a name: `64496,"Name"` (brianhama; also with a space after the comma, and with the
 * number in quotes), `AS64496,"Name"` (the tags of bgp.tools) and `AS64496 # Name` (X4BNet). A header in the first row
 * is skipped. The name is everything after the number, because not every list quotes names with commas.
 */

import type { Content } from '../../../io/content.ts';
import type { Networks } from '../../parsed.ts';
import { NetworkListBuilder } from './network-list.ts';

export function parseAsnCsv(content: Content): Networks {
  const list = new NetworkListBuilder();
  let isFirst = true;
  for (const line of content.lines()) {
    const text = line.trim();
    if (text === '' || text.startsWith('#')) continue;
    const [, asn, name = ''] = /^"?((?:AS)?[0-9]+)"?\s*(?:[,#]\s*(.*))?$/i.exec(text) ?? [];
    if (asn !== undefined) list.add(asn, unquote(name));
    else if (!isFirst || !/^"?asn?\b/i.test(text)) list.skip();
    isFirst = false;
  }
  return list.finish();
}

function unquote(name: string): string {
  const [, quoted] = /^"((?:[^"]|"")*)"/.exec(name) ?? [];
  return quoted?.replaceAll('""', '"') ?? name;
}
