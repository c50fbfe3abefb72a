// Onionoo's `details` of Tor relays. A relay exits from `exit_addresses`, else from those it
// listens on; for IPv6 always the latter, because traffic is observed over IPv4. A relay that has
// flags, but not `Exit`, is left out. The label is the operator, by the web address in its contact.
import type { Content } from '../../../io/content.ts';
import type { PrefixList } from '../../parsed.ts';
import { dayOfText } from '../feed-day.ts';
import { jsonDocument, listMember, requiredList, textMember } from '../json-value.ts';
import { PrefixListBuilder } from '../prefix-list.ts';
import { withoutPort } from './line-lists.ts';

const WHAT = 'an Onionoo details document';

export function parseOnionoo(content: Content): PrefixList {
  const document = jsonDocument(content, WHAT);
  const list = new PrefixListBuilder();
  for (const relay of requiredList(document, 'relays', WHAT)) {
    const exits = listMember(relay, 'exit_addresses') ?? [];
    if (exits.length === 0 && listMember(relay, 'flags')?.includes('Exit') === false) continue;
    const listens = listMember(relay, 'or_addresses');
    if (exits.length === 0 && listens === undefined) list.skip();
    const operator = operatorOf(textMember(relay, 'contact'));
    for (const address of exits) list.add(addressOf(address), operator);
    for (const isIpv6 of [false, true]) {
      if (
        exits.some((address) => isIpv6Text(address) === isIpv6) ||
        (isIpv6 && !exitsOverIpv6(relay))
      )
        continue;
      for (const address of listens ?? [])
        if (isIpv6Text(address) === isIpv6) list.add(addressOf(address), operator);
    }
  }
  return list.finish(dayOfText(textMember(document, 'relays_published')));
}

const addressOf = (value: unknown) => (typeof value === 'string' ? withoutPort(value) : '');

const isIpv6Text = (value: unknown) => addressOf(value).includes(':');

/** A relay has a summary of each policy; the one for IPv6 is missing where it lets no IPv6 out. */
function exitsOverIpv6(relay: unknown): boolean {
  const has = (field: string) =>
    typeof relay === 'object' && relay !== null && Object.hasOwn(relay, field);
  return has('exit_policy_v6_summary') || !has('exit_policy_summary');
}

/**
 * `url:https://example.org` of a contact, as `example.org`. The rest is free text, mostly email
 * addresses.
 */
function operatorOf(contact: string): string {
  return (
    /(?:^|\s)url:(?:https?:\/\/)?([a-z0-9](?:[a-z0-9.-]{0,80}[a-z0-9])?)(?=[/\s]|$)/i
      .exec(contact)?.[1]
      ?.toLowerCase() ?? ''
  );
}
