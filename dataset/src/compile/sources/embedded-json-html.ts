/**
 * Pages that show a list of addresses which is to be had in no other way (Amazon's crawlers). The list is JSON somewhere in the page,
 * as text (`&quot;`) or inside a script (`\"`), or else a table.
 *
 * What counts as an address of the list, so that a version number in a script's URL does not:
 * - a quoted text that is an address or a prefix from quote to quote, and is
 *   - the value of a member whose name speaks of addresses (`ip_prefix`, `ipv4Prefix`, `cidr`, `address`, `ip`), or
 *   - an element of a list that begins with an address;
 * - all there is in a table cell.
 * An attribute (`src="…"`) is neither, nor is `"version":"1.2.3.4"`, nor an address in running text.
 */
import type { PrefixList } from '../parsed.ts';
import { PrefixListBuilder } from '../prefix-list.ts';
import type { Content } from './content.ts';
import { dayOfText } from './feed-day.ts';

export function parseEmbeddedJsonHtml(content: Content): PrefixList {
  const page = unescaped(content.text());
  const list = new PrefixListBuilder();
  for (const text of quotedAddresses(page)) list.add(text);
  for (const [, text = ''] of page.matchAll(CELL)) if (ADDRESS_LIKE.test(text)) list.add(text);
  const read = list.finish(dayOfText(/"creationTime"\s*:\s*"([^"]{1,40})"/.exec(page)?.[1] ?? ''));
  if (read.records === 0) throw new Error('not a page with a list of addresses: none in its JSON, none in a table');
  return read;
}

const QUOTED = /"([0-9a-f:.]{2,45}(?:\/[0-9]{1,3})?)"/gi;
const CELL = /<td\b[^<>]*>\s*(?:<[a-z]+\b[^<>]*>\s*){0,4}([0-9a-f:.]{2,45}(?:\/[0-9]{1,3})?)\s*</gi;
/** Four numbers or two colons: a look that passes over prices and decimals. Whether it is an address the builder of the list decides. */
const ADDRESS_LIKE = /^[0-9]+(?:\.[0-9]+){3}|:.*:/;
const ADDRESS_MEMBER = /(?:^|[^\w-])(?:ip|ip[_v-]\w*|\w*[_-]ip|\w*(?:prefix|cidr|addr|subnet)\w*)"?\s*:\s*$/i;
/** How far back a member's name and its colon may begin. */
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

/** Only what may stand around or inside an address. */
function unescaped(page: string): string {
  return page
    .replace(/&(?:quot|#34|#x22);/gi, '"')
    .replace(/&(?:#47|#x2f|sol);/gi, '/')
    .replace(/\\u002f|\\\//gi, '/')
    .replace(/\\"/g, '"');
}
