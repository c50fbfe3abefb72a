/**
 * ipsum: an address, a tab, and the number of blocklists that list it, which is the label. The date is in the header
 * (`# Last update: …`). The files under `levels/` have no count; their label is empty.
 */

import type { Content } from '../../../io/content.ts';
import type { PrefixList } from '../../parsed.ts';
import { dayOfText } from '../feed-day.ts';
import { PrefixListBuilder, withoutComment } from '../prefix-list.ts';

export function parseIpCount(content: Content): PrefixList {
  const list = new PrefixListBuilder();
  let asOf: string | undefined;
  for (const line of content.lines()) {
    if (/^#\s*Last update\s*:/i.test(line)) asOf ??= dayOfText(line);
    const text = withoutComment(line);
    if (text === '') continue;
    const [address = '', count = '', ...rest] = text.split(/\s+/);
    if (rest.length > 0 || !/^[0-9]{0,6}$/.test(count)) list.skip();
    else list.add(address, count === '' ? '' : String(Number(count)));
  }
  return list.finish(asOf);
}
