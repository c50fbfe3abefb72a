/**
 * A file for `ipset restore -exist`: two sets, NAME_ipv4 and NAME_ipv6.
 *
 * The elements are loaded into a set of another name, which is then swapped with the one that rules use: the kernel
 * swaps in one step, so loading a newer file leaves no moment with an empty or half filled set.
 */
import type { Sink } from '../terminal/output.ts';
import { formatPrefixes, mergedRanges } from './merged-ranges.ts';
import { commentLines, creditedMeta } from './notice.ts';
import type { Selection } from './rows.ts';

/**
 * A limit, not memory that is reserved. The same for every file: ipset refuses to create a set that exists with
 * another limit.
 */
const MAX_ELEMENTS = 16_777_216;
const FAMILIES = { 4: 'inet', 6: 'inet6' } as const;

/** Returns the number of elements. */
export async function writeIpset(selection: Selection, sink: Sink, name: string, command: string): Promise<number> {
  let text = `# ${command}\n${commentLines(creditedMeta(selection))}`;
  for (const version of [4, 6] as const) {
    const set = `${name}_ipv${version}`;
    const type = `hash:net family ${FAMILIES[version]} maxelem ${MAX_ELEMENTS}`;
    text += `create ${set} ${type}\ncreate ${set}_new ${type}\nflush ${set}_new\n`;
  }
  let count = 0;
  for await (const batch of mergedRanges(selection, () => true)) {
    for (const { range } of batch)
      for (const prefix of formatPrefixes(range)) {
        text += `add ${name}_ipv${range.version}_new ${prefix}\n`;
        count++;
      }
    // Nothing is written before the first element, so that an export without any leaves no output.
    if (count === 0) continue;
    await sink.write(text);
    text = '';
  }
  if (count === 0) return 0;
  for (const version of [4, 6] as const) {
    const set = `${name}_ipv${version}`;
    text += `swap ${set}_new ${set}\ndestroy ${set}_new\n`;
  }
  await sink.write(text);
  return count;
}
