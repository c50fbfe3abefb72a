/**
 * Spamhaus ASN-DROP: NDJSON, `{"asn":64496,"rir":"arin","domain":"example.com","cc":"US","asname":"EXAMPLE-AS"}`. The
 * last line is metadata with the time of the list. The label is the name of the network, or its domain.
 */

import type { Content } from '../../../io/content.ts';
import type { Networks } from '../../parsed.ts';
import { dayOfSeconds } from '../feed-day.ts';
import { jsonLine, member, textMember } from '../json-value.ts';
import { NetworkListBuilder } from './network-list.ts';

export function parseNdjsonAsndrop(content: Content): Networks {
  const list = new NetworkListBuilder();
  let asOf: string | undefined;
  for (const line of content.lines()) {
    if (line.trim() === '') continue;
    const row = jsonLine(line);
    if (textMember(row, 'type') === 'metadata') asOf = dayOfSeconds(member(row, 'timestamp'));
    else list.add(member(row, 'asn'), textMember(row, 'asname') || textMember(row, 'domain'));
  }
  return list.finish(asOf);
}
