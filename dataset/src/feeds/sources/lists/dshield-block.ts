/**
 * DShield's `block.txt`: tab-separated first and last address of a /24, length, number of attacks; a header, `#`
 * comments.
 */

import type { Content } from '../../../io/content.ts';
import type { PrefixList } from '../../parsed.ts';
import { dayOfComment } from '../feed-day.ts';
import { PrefixListBuilder } from '../prefix-list.ts';

export function parseDshieldBlock(content: Content): PrefixList {
  const list = new PrefixListBuilder();
  let asOf: string | undefined;
  for (const line of content.lines()) {
    asOf ??= dayOfComment(line);
    if (line.trim() === '' || line.startsWith('#') || /^start\t/i.test(line)) continue;
    const [first = '', last = ''] = line.split('\t');
    list.addRange(first, last);
  }
  return list.finish(asOf);
}
