/**
 * monosans/proxy-list, `proxies.json`: `[{"protocol":"http","host":"192.0.2.1","port":8080,"exit_ip":"192.0.2.2",…}]`.
 * A site sees the address from which a proxy sends (`exit_ip`), not the one on which it listens. `host` is used where
 * there is no exit address, and may be a host name.
 */

import type { Content } from '../../../io/content.ts';
import type { PrefixList } from '../../parsed.ts';
import { jsonDocument, textMember } from '../json-value.ts';
import { PrefixListBuilder } from '../prefix-list.ts';

const WHAT = "monosans's proxies.json";

export function parseMonosansJson(content: Content): PrefixList {
  const proxies = jsonDocument(content, WHAT);
  if (!Array.isArray(proxies)) throw new Error(`not ${WHAT}: not a list of proxies`);
  const list = new PrefixListBuilder();
  for (const proxy of proxies) list.add(textMember(proxy, 'exit_ip') || textMember(proxy, 'host'));
  return list.finish();
}
