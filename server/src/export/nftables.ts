// A file for `nft -f`: two sets in an inet table. Loading it again declares, flushes and fills them
// in one transaction and keeps the rules. Adjacent networks are merged, so an element can be a
// range.
import { formatRange } from '@whence/dataset/prefix';
import type { Sink } from '../terminal/output.ts';
import { mergedRanges, writePrefixLines } from './merged-ranges.ts';
import { commentLine, commentLines, creditedMeta } from './notice.ts';
import type { Selection } from './rows.ts';

type NftNames = { readonly table: string; readonly name: string };

/** Returns the number of elements. `command` is written to the file as a comment. */
export async function writeNftables(
  selection: Selection,
  sink: Sink,
  { table, name }: NftNames,
  command: string,
): Promise<number> {
  const elements: Record<4 | 6, string[]> = { 4: [], 6: [] };
  for await (const batch of mergedRanges(selection, () => true))
    for (const { range } of batch) elements[range.version].push(formatRange(range));
  const count = elements[4].length + elements[6].length;
  if (count === 0) return 0;
  await sink.write(
    nftablesText(
      { table, name },
      elements,
      `# ${command}\n${commentLine(creditedMeta(selection), '#')}`,
    ),
  );
  return count;
}

export function nftablesText(
  { table, name }: NftNames,
  elements: Readonly<Record<4 | 6, readonly string[]>>,
  comments: string,
): string {
  // nft does not accept an empty list of elements.
  const filled = ([4, 6] as const).filter((version) => elements[version].length > 0);
  return (
    `${comments}table inet ${table} {\n${declareSet(name, 4)}${declareSet(name, 6)}}\n` +
    `flush set inet ${table} ${name}_ipv4\nflush set inet ${table} ${name}_ipv6\n` +
    filled
      .map(
        (version) =>
          `add element inet ${table} ${name}_ipv${version} {\n\t${elements[version].join(',\n\t')}\n}\n`,
      )
      .join('')
  );
}

function declareSet(name: string, version: 4 | 6): string {
  return `\tset ${name}_ipv${version} {\n\t\ttype ipv${version}_addr\n\t\tflags interval\n\t\tauto-merge\n\t}\n`;
}

/**
 * A limit, not reserved memory. Fixed: ipset refuses to create a set that exists with another
 * limit.
 */
const MAX_ELEMENTS = 16_777_216;
const FAMILIES = { 4: 'inet', 6: 'inet6' } as const;

/**
 * A file for `ipset restore -exist`: sets NAME_ipv4 and NAME_ipv6, loaded under another name and
 * then swapped in one step, so that a set is never empty or half filled.
 */
export async function writeIpset(
  selection: Selection,
  sink: Sink,
  name: string,
  command: string,
): Promise<number> {
  let head = `# ${command}\n${commentLines(creditedMeta(selection))}`;
  let tail = '';
  for (const version of [4, 6] as const) {
    const set = `${name}_ipv${version}`;
    const type = `hash:net family ${FAMILIES[version]} maxelem ${MAX_ELEMENTS}`;
    head += `create ${set} ${type}\ncreate ${set}_new ${type}\nflush ${set}_new\n`;
    tail += `swap ${set}_new ${set}\ndestroy ${set}_new\n`;
  }
  return writePrefixLines(selection, sink, {
    head,
    tail,
    valueFor: () => 1,
    lineOf: (prefix) => `add ${name}_ipv${prefix.includes(':') ? 6 : 4}_new ${prefix}\n`,
  });
}
