/**
 * A file for `nft -f`: two sets in the table `inet whence`, for use in rules of that table.
 *
 * Loading it again replaces the elements in one transaction and keeps the rules: the sets are declared (no effect if
 * they exist), flushed and filled. Adjacent networks are merged, so an element can be a range.
 */
import { formatAddress } from '@whence/dataset/address';
import { addressBits, fromBigInt, prefixesOfRange, type Range } from '@whence/dataset/prefix';
import { printable } from '../terminal/printable.ts';
import type { Sink } from '../terminal/sink.ts';
import { commentLine } from './notice.ts';
import { RangeMerger } from './range-merger.ts';
import { type Selection, selectRuns } from './rows.ts';

/** Returns the number of elements. `filterText` is written to the file as a comment. */
export async function writeNftables(selection: Selection, sink: Sink, filterText: string): Promise<number> {
  const elements: Record<4 | 6, string[]> = { 4: [], 6: [] };
  const merger = new RangeMerger<true>((range) => elements[range.version].push(formatElement(range)));
  for await (const batch of selectRuns(selection)) for (const run of batch) merger.add(run, true);
  merger.finish();
  const count = elements[4].length + elements[6].length;
  if (count === 0) return 0;
  await sink.write(
    `# whence dataset export --format nftables ${printable(filterText)}\n${commentLine(selection.dataset.meta, '#')}` +
      `table inet whence {\n${declareSet(4)}${declareSet(6)}}\n` +
      `flush set inet whence whence_ipv4\nflush set inet whence whence_ipv6\n`,
  );
  for (const version of [4, 6] as const) {
    // nft does not accept an empty list of elements.
    if (elements[version].length > 0)
      await sink.write(`add element inet whence whence_ipv${version} {\n\t${elements[version].join(',\n\t')}\n}\n`);
  }
  return count;
}

function declareSet(version: 4 | 6): string {
  return `\tset whence_ipv${version} {\n\t\ttype ipv${version}_addr\n\t\tflags interval\n\t\tauto-merge\n\t}\n`;
}

function formatElement({ version, start, end }: Range): string {
  const bits = addressBits(version);
  const [[, length] = [0n, 0], next] = prefixesOfRange(start, end, bits);
  const first = fromBigInt(start, version);
  if (next === undefined) return `${formatAddress(first)}/${length}`;
  return `${formatAddress(first)}-${formatAddress(fromBigInt(end, version))}`;
}
