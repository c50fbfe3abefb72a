/**
 * Plain lists, an address or a prefix on a line: Tor's bulk exit list, blocklist.de, CINS, Emerging Threats, X4BNet, Cloudflare.
 * The formats `ip-lines` and `cidr-lines` are both read here: lists of addresses have a prefix now and then, and the other way round.
 */
import type { PrefixList } from '../parsed.ts';
import { PrefixListBuilder } from '../prefix-list.ts';
import type { Content } from './content.ts';
import { withoutComment } from './line-comment.ts';

export function parseCidrLines(content: Content): PrefixList {
  const list = new PrefixListBuilder();
  for (const line of content.lines()) {
    const text = withoutComment(line);
    if (text !== '') list.add(text);
  }
  return list.finish();
}
