/**
 * Tor's `exit-addresses`: four or more lines per exit. `ExitAddress 192.0.2.1 2024-02-27 01:02:03` has an address from
 * which exit traffic was seen, and when. The newest of these dates is the date of the list.
 */

import type { Content } from '../../../io/content.ts';
import type { PrefixList } from '../../parsed.ts';
import { dayOfText } from '../feed-day.ts';
import { PrefixListBuilder } from '../prefix-list.ts';

export function parseTorExitAddresses(content: Content): PrefixList {
  const list = new PrefixListBuilder();
  let asOf: string | undefined;
  for (const line of content.lines()) {
    const [word, address = '', day = ''] = line.trim().split(/\s+/);
    if (word === 'ExitAddress') {
      if (!list.add(address)) continue;
      const seen = dayOfText(day);
      if (seen !== undefined && (asOf === undefined || seen > asOf)) asOf = seen;
    } else if (word !== '' && word !== 'ExitNode' && word !== 'Published' && word !== 'LastStatus') list.skip();
  }
  return list.finish(asOf);
}
