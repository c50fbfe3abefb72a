/** Lists of open proxies: `192.0.2.1:8080`, `[2001:db8::1]:8080`, or an address alone. The port is dropped. */
import type { PrefixList } from '../parsed.ts';
import { PrefixListBuilder } from '../prefix-list.ts';
import type { Content } from './content.ts';
import { withoutComment } from './line-comment.ts';

export function parseIpPort(content: Content): PrefixList {
  const list = new PrefixListBuilder();
  for (const line of content.lines()) {
    const text = withoutComment(line);
    if (text !== '') list.add(withoutPort(text));
  }
  return list.finish();
}

/** A text that is no address with a port is answered as it is. One colon parts a port; more are an IPv6 address without one. */
export function withoutPort(text: string): string {
  const [, bracketed, plain] = /^(?:\[([^\]]*)\]|([^:]*))(?::[0-9]{1,5})?$/.exec(text) ?? [];
  return bracketed ?? plain ?? text;
}
