/**
 * Onionoo's `details` of Tor relays. `exit_addresses` are addresses from which exit traffic was seen; a relay without
 * them exits from the addresses it listens on (`or_addresses`, with a port). The families are separate: traffic is
 * observed over IPv4, so a relay with an observed IPv4 address still exits over IPv6 from the one it listens on, unless
 * its policy allows no IPv6. A relay that has flags, but not `Exit`, is left out: lists of all relays have five times
 * as many addresses. The label is the operator, by the web address that many put into the contact.
 */

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
      if (exits.some((address) => isIpv6Text(address) === isIpv6) || (isIpv6 && !exitsOverIpv6(relay))) continue;
      for (const address of listens ?? []) if (isIpv6Text(address) === isIpv6) list.add(addressOf(address), operator);
    }
  }
  return list.finish(dayOfText(textMember(document, 'relays_published')));
}

const addressOf = (value: unknown) => (typeof value === 'string' ? withoutPort(value) : '');

const isIpv6Text = (value: unknown) => addressOf(value).includes(':');

/** A relay has a summary of each policy; the one for IPv6 is missing where it lets no IPv6 out. */
function exitsOverIpv6(relay: unknown): boolean {
  const has = (field: string) => typeof relay === 'object' && relay !== null && Object.hasOwn(relay, field);
  return has('exit_policy_v6_summary') || !has('exit_policy_summary');
}

/** `url:https://example.org` of a contact, as `example.org`. The rest is free text, mostly email addresses. */
function operatorOf(contact: string): string {
  return (
    /(?:^|\s)url:(?:https?:\/\/)?([a-z0-9](?:[a-z0-9.-]{0,80}[a-z0-9])?)(?=[/\s]|$)/i
      .exec(contact)?.[1]
      ?.toLowerCase() ?? ''
  );
}
