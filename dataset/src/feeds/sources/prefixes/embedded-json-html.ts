/**
 * HTML pages with a list of addresses that is not published in another form (Amazon's crawlers). The list is JSON
 * somewhere in the page, as text (`&quot;`) or inside a script (`\"`), or a table.
 *
 * To exclude version numbers in URLs of scripts and the like, only these count as addresses of the list:
 * - a quoted text that is exactly an address or a prefix and is
 *   - the value of a member that is named like an address (`ip_prefix`, `ipv4Prefix`, `cidr`, `address`, `ip`), or
 *   - an element of a list that begins with an address;
 * - the whole content of a table cell.
 * An attribute (`src="…"`), a member like `"version":"1.2.3.4"` and an address in running text do not count.
 */

import type { Content } from '../../../io/content.ts';
import type { PrefixList } from '../../parsed.ts';
import { dayOfText } from '../feed-day.ts';
import { PrefixListBuilder } from '../prefix-list.ts';

export function parseEmbeddedJsonHtml(content: Content): PrefixList {
  const page = unescaped(content.text());
  const list = new PrefixListBuilder();
  for (const text of quotedAddresses(page)) list.add(text);
  for (const [, text = ''] of page.matchAll(CELL)) if (ADDRESS_LIKE.test(text)) list.add(text);
  const parsed = list.finish(dayOfText(/"creationTime"\s*:\s*"([^"]{1,40})"/.exec(page)?.[1] ?? ''));
  if (parsed.records === 0) throw new Error('not a page with a list of addresses: none in JSON, none in a table');
  return parsed;
}

const QUOTED = /"([0-9a-f:.]{2,45}(?:\/[0-9]{1,3})?)"/gi;
const CELL = /<td\b[^<>]*>\s*(?:<[a-z]+\b[^<>]*>\s*){0,4}([0-9a-f:.]{2,45}(?:\/[0-9]{1,3})?)\s*</gi;
/** Four numbers or two colons, to skip prices and decimals. PrefixListBuilder checks whether it is an address. */
const ADDRESS_LIKE = /^[0-9]+(?:\.[0-9]+){3}|:.*:/;
const ADDRESS_MEMBER = /(?:^|[^\w-])(?:ip|ip[_v-]\w*|\w*[_-]ip|\w*(?:prefix|cidr|addr|subnet)\w*)"?\s*:\s*$/i;
/** The maximum distance between a value and the start of its member's name. */
const LOOK_BACK = 64;

function* quotedAddresses(page: string): Generator<string> {
  let endOfElement = -1;
  for (const { 0: quoted, 1: text = '', index } of page.matchAll(QUOTED)) {
    if (!ADDRESS_LIKE.test(text)) continue;
    const before = page.slice(Math.max(0, index - LOOK_BACK), index);
    const isNext =
      endOfElement >= 0 && index - endOfElement <= LOOK_BACK && /^\s*,\s*$/.test(page.slice(endOfElement, index));
    if (isNext || /\[\s*$/.test(before)) endOfElement = index + quoted.length;
    else if (!ADDRESS_MEMBER.test(before)) continue;
    yield text;
  }
}

/** Decodes only what can occur around or inside an address. */
function unescaped(page: string): string {
  return page
    .replace(/&(?:quot|#34|#x22);/gi, '"')
    .replace(/&(?:#47|#x2f|sol);/gi, '/')
    .replace(/\\u002f|\\\//gi, '/')
    .replace(/\\"/g, '"');
}
