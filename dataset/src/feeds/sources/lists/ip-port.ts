/** Lists of open proxies: `192.0.2.1:8080`, `[2001:db8::1]:8080`, or a single address. The port is dropped. */

import type { Content } from '../../../io/content.ts';
import type { PrefixList } from '../../parsed.ts';
import { PrefixListBuilder, withoutComment } from '../prefix-list.ts';

export function parseIpPort(content: Content): PrefixList {
  const list = new PrefixListBuilder();
  for (const line of content.lines()) {
    const text = withoutComment(line);
    if (text !== '') list.add(withoutPort(text));
  }
  return list.finish();
}

/** Returns other texts unchanged. One colon separates a port; more colons are an IPv6 address without a port. */
export function withoutPort(text: string): string {
  const [, bracketed, plain] = /^(?:\[([^\]]*)\]|([^:]*))(?::[0-9]{1,5})?$/.exec(text) ?? [];
  return bracketed ?? plain ?? text;
}
