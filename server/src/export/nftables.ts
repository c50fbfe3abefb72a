/**
 * A file for `nft -f`: two sets in the table `inet whence` that rules of that table can name.
 *
 * Loading it again replaces what the sets hold, in one transaction, and leaves rules alone: the sets are declared (which does
 * nothing if they are there), emptied and filled. Neighbouring networks are joined, so an element can be a range.
 */
import { formatAddress } from '@whence/dataset/address';
import { addressBits, fromBigInt, prefixesOfRange, type Range } from '@whence/dataset/prefix';
import type { Sink } from '../output/sink.ts';
import { commentLine } from './notice.ts';
import { RangeJoiner } from './range-joiner.ts';
import { type Selection, selectRuns } from './rows.ts';

/** Returns the number of elements. `filterText` says in the file what was selected. */
export async function writeNftables(selection: Selection, sink: Sink, filterText: string): Promise<number> {
  const elements: Record<4 | 6, string[]> = { 4: [], 6: [] };
  const joiner = new RangeJoiner<true>((range) => elements[range.version].push(formatElement(range)));
  for await (const batch of selectRuns(selection)) for (const run of batch) joiner.add(run, true);
  joiner.finish();
  const count = elements[4].length + elements[6].length;
  if (count === 0) return 0;
  await sink.write(
    `# whence dataset export --format nftables ${filterText}\n${commentLine(selection.dataset.meta, '#')}` +
      `table inet whence {\n${declareSet(4)}${declareSet(6)}}\n` +
      `flush set inet whence whence_ipv4\nflush set inet whence whence_ipv6\n`,
  );
  for (const version of [4, 6] as const) {
    // nft knows no empty list of elements.
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
