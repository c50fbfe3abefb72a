/**
 * Plain lists with an address or a prefix per line: Tor's bulk exit list, blocklist.de, CINS, Emerging Threats, X4BNet,
 * Cloudflare. The formats `ip-lines` and `cidr-lines` are the same here: lists of addresses sometimes contain
 * prefixes, and lists of prefixes contain addresses. The date of the list is the first in a comment about it.
 */

import type { Content } from '../../../io/content.ts';
import type { PrefixList } from '../../parsed.ts';
import { dayOfComment } from '../feed-day.ts';
import { PrefixListBuilder, withoutComment } from '../prefix-list.ts';

export function parseCidrLines(content: Content): PrefixList {
  const list = new PrefixListBuilder();
  let asOf: string | undefined;
  for (const line of content.lines()) {
    const text = withoutComment(line);
    if (text !== '') list.add(text);
    else asOf ??= dayOfComment(line);
  }
  return list.finish(asOf);
}
