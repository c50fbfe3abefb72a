/**
 * monosans/proxy-list, `proxies.json`: `[{"protocol":"http","host":"192.0.2.1","port":8080,"exit_ip":"192.0.2.2",…}]`. What visits a
 * site is the address a proxy sends from (`exit_ip`), not the one it listens on; `host` stands in where no exit was measured,
 * and may be a name.
 */
import type { PrefixList } from '../parsed.ts';
import { PrefixListBuilder } from '../prefix-list.ts';
import type { Content } from './content.ts';
import { jsonDocument, textMember } from './json-value.ts';

const WHAT = "monosans's proxies.json";

export function parseMonosansJson(content: Content): PrefixList {
  const proxies = jsonDocument(content, WHAT);
  if (!Array.isArray(proxies)) throw new Error(`not ${WHAT}: not a list of proxies`);
  const list = new PrefixListBuilder();
  for (const proxy of proxies) list.add(textMember(proxy, 'exit_ip') || textMember(proxy, 'host'));
  return list.finish();
}
