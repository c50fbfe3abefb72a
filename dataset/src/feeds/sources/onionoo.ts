/**
 * Onionoo's `details` of Tor relays. `exit_addresses` are addresses from which exit traffic was seen; a relay without
 * them exits from the addresses it listens on (`or_addresses`, with a port). A relay that has flags, but not `Exit`, is
 * left out: lists of all relays have five times as many addresses.
 */
import type { PrefixList } from '../parsed.ts';
import { PrefixListBuilder } from '../prefix-list.ts';
import type { Content } from './content.ts';
import { dayOfText } from './feed-day.ts';
import { withoutPort } from './ip-port.ts';
import { jsonDocument, listMember, requiredList, textMember } from './json-value.ts';

const WHAT = 'an Onionoo details document';

export function parseOnionoo(content: Content): PrefixList {
  const document = jsonDocument(content, WHAT);
  const list = new PrefixListBuilder();
  for (const relay of requiredList(document, 'relays', WHAT)) {
    const exits = listMember(relay, 'exit_addresses') ?? [];
    if (exits.length === 0 && listMember(relay, 'flags')?.includes('Exit') === false) continue;
    const addresses = exits.length > 0 ? exits : listMember(relay, 'or_addresses');
    if (addresses === undefined) list.skip();
    for (const address of addresses ?? []) list.add(typeof address === 'string' ? withoutPort(address) : '');
  }
  return list.finish(dayOfText(textMember(document, 'relays_published')));
}
