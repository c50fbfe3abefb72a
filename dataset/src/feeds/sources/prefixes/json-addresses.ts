/**
 * Every text in a JSON document that is an address or a prefix. For the server lists of VPN providers (Mullvad,
 * NordVPN, Proton, IVPN), which have different structures and change them. Other texts are names and the like, so
 * nothing counts as skipped. PIA's document is one line, followed by its signature in Base64.
 */

import type { Content } from '../../../io/content.ts';
import { parsePrefix } from '../../../prefix.ts';
import type { PrefixList } from '../../parsed.ts';
import { jsonDocument } from '../json-value.ts';
import { PrefixListBuilder } from '../prefix-list.ts';

const WHAT = 'a list of servers';

export function parseJsonAddresses(content: Content): PrefixList {
  const document = jsonDocument({ ...content, text: () => withoutSignature(content.text()) }, WHAT);
  if (typeof document !== 'object' || document === null) throw new Error(`not ${WHAT}: neither a list nor an object`);
  const list = new PrefixListBuilder();
  // A list that grows during the loop, instead of recursion: JSON may be nested deeper than the call stack allows.
  const values: unknown[] = [document];
  for (const value of values) {
    if (typeof value === 'string') {
      if (parsePrefix(value) !== undefined) list.add(value);
    } else if (typeof value === 'object' && value !== null) {
      for (const inner of Object.values(value)) values.push(inner);
    }
  }
  return list.finish();
}

function withoutSignature(text: string): string {
  const end = text.indexOf('\n');
  return end > 0 && /^[A-Za-z0-9+/=\s]*$/.test(text.slice(end)) ? text.slice(0, end) : text;
}
