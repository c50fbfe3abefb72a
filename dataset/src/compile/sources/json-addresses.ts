/**
 * Any JSON: every text in it that is an address or a prefix. For the server lists of VPN providers (Mullvad, NordVPN, Proton), of
 * which each has its own form and changes it. All other texts are names and the like, so nothing counts as skipped.
 */
import { parsePrefix } from '../../prefix.ts';
import type { PrefixList } from '../parsed.ts';
import { PrefixListBuilder } from '../prefix-list.ts';
import type { Content } from './content.ts';
import { jsonDocument } from './json-value.ts';

const WHAT = 'a list of servers';

export function parseJsonAddresses(content: Content): PrefixList {
  const document = jsonDocument(content, WHAT);
  if (typeof document !== 'object' || document === null) throw new Error(`not ${WHAT}: neither a list nor an object`);
  const list = new PrefixListBuilder();
  // A list that grows while it is walked, instead of recursion: JSON may be nested deeper than the stack.
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
