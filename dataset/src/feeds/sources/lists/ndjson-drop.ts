/**
 * Spamhaus DROP: NDJSON, `{"cidr":"192.0.2.0/24","sblid":"SBL1","rir":"arin"}`. The last line is metadata with the time
 * of the list. The label is the number of the listing (`sblid`).
 */

import type { Content } from '../../../io/content.ts';
import type { PrefixList } from '../../parsed.ts';
import { dayOfSeconds } from '../feed-day.ts';
import { jsonLine, member, textMember } from '../json-value.ts';
import { PrefixListBuilder } from '../prefix-list.ts';

export function parseNdjsonDrop(content: Content): PrefixList {
  const list = new PrefixListBuilder();
  let asOf: string | undefined;
  for (const line of content.lines()) {
    if (line.trim() === '') continue;
    const row = jsonLine(line);
    if (textMember(row, 'type') === 'metadata') asOf = dayOfSeconds(member(row, 'timestamp'));
    else list.add(textMember(row, 'cidr'), textMember(row, 'sblid'));
  }
  return list.finish(asOf);
}
