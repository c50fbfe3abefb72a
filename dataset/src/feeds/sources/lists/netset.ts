/**
 * FireHOL's `.netset` and `.ipset`: a header of `#` lines, then prefixes and addresses. The header has two dates; the
 * date of the source is preferred, because FireHOL rewrites its file even if the source has not changed for months.
 */

import type { Content } from '../../../io/content.ts';
import type { PrefixList } from '../../parsed.ts';
import { dayOfText } from '../feed-day.ts';
import { PrefixListBuilder, withoutComment } from '../prefix-list.ts';

export function parseNetset(content: Content): PrefixList {
  const list = new PrefixListBuilder();
  let sourceDay: string | undefined;
  let fileDay: string | undefined;
  for (const line of content.lines()) {
    if (/^#\s*Source File Date\s*:/.test(line)) sourceDay ??= dayOfText(line);
    if (/^#\s*This File Date\s*:/.test(line)) fileDay ??= dayOfText(line);
    const text = withoutComment(line);
    if (text !== '') list.add(text);
  }
  return list.finish(sourceDay ?? fileDay);
}
