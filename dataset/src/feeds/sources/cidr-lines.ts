/**
 * Plain lists with an address or a prefix per line: Tor's bulk exit list, blocklist.de, CINS, Emerging Threats, X4BNet,
 * Cloudflare. The formats `ip-lines` and `cidr-lines` are the same here: lists of addresses contain prefixes now and
 * then, and lists of prefixes contain addresses.
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
