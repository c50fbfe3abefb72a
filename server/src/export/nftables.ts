/**
 * A file for `nft -f`: two sets in a table of family inet, for use in rules of that table.
 *
 * Loading it again replaces the elements in one transaction and keeps the rules: the sets are declared (no effect if
 * they exist), flushed and filled. Adjacent networks are merged, so an element can be a range.
 */
import { formatAddress } from '@whence/dataset/address';
import { addressBits, fromBigInt, prefixesOfRange, type Range } from '@whence/dataset/prefix';
import type { Sink } from '../terminal/output.ts';
import { mergedRanges } from './merged-ranges.ts';
import { commentLine, creditedMeta } from './notice.ts';
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
    for (const { range } of batch) elements[range.version].push(formatElement(range));
  const count = elements[4].length + elements[6].length;
  if (count === 0) return 0;
  await sink.write(
    nftablesText({ table, name }, elements, `# ${command}\n${commentLine(creditedMeta(selection), '#')}`),
  );
  return count;
}

/** Elements are prefixes or ranges. */
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
      .map((version) => `add element inet ${table} ${name}_ipv${version} {\n\t${elements[version].join(',\n\t')}\n}\n`)
      .join('')
  );
}

function declareSet(name: string, version: 4 | 6): string {
  return `\tset ${name}_ipv${version} {\n\t\ttype ipv${version}_addr\n\t\tflags interval\n\t\tauto-merge\n\t}\n`;
}

function formatElement({ version, start, end }: Range): string {
  const bits = addressBits(version);
  const [[, length] = [0n, 0], next] = prefixesOfRange(start, end, bits);
  const first = fromBigInt(start, version);
  if (next === undefined) return `${formatAddress(first)}/${length}`;
  return `${formatAddress(first)}-${formatAddress(fromBigInt(end, version))}`;
}
