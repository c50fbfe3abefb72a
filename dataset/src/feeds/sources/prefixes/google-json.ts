/**
 * Google's format for lists of prefixes, which operators of crawlers use too (OpenAI, Anthropic, Perplexity, Bing,
 * Apple, DuckDuckGo, Mistral, Common Crawl): `{"creationTime":…,"prefixes":[{"ipv4Prefix":…},{"ipv6Prefix":…}]}`. In
 * `cloud.json` an entry also has the region (`scope`), which is the label.
 */

import type { Content } from '../../../io/content.ts';
import type { PrefixList } from '../../parsed.ts';
import { dayOfText } from '../feed-day.ts';
import { jsonDocument, requiredList, textMember } from '../json-value.ts';
import { PrefixListBuilder } from '../prefix-list.ts';

const WHAT = "a list of prefixes in Google's format";

export function parseGoogleJson(content: Content): PrefixList {
  const document = jsonDocument(content, WHAT);
  const list = new PrefixListBuilder();
  for (const entry of requiredList(document, 'prefixes', WHAT)) {
    const prefixes = [textMember(entry, 'ipv4Prefix'), textMember(entry, 'ipv6Prefix')].filter(
      (prefix) => prefix !== '',
    );
    if (prefixes.length === 0) list.skip();
    for (const prefix of prefixes) list.add(prefix, textMember(entry, 'scope'));
  }
  return list.finish(dayOfText(textMember(document, 'creationTime')));
}
