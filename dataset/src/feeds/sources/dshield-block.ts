/**
 * DShield's `block.txt`: tab-separated first and last address of a /24, length, number of attacks; a header, `#`
 * comments.
 */
import type { PrefixList } from '../parsed.ts';
import { PrefixListBuilder } from '../prefix-list.ts';
import type { Content } from './content.ts';

export function parseDshieldBlock(content: Content): PrefixList {
  const list = new PrefixListBuilder();
  for (const line of content.lines()) {
    if (line.trim() === '' || line.startsWith('#') || /^start\t/i.test(line)) continue;
    const [first = '', last = ''] = line.split('\t');
    list.addRange(first, last);
  }
  return list.finish();
}
