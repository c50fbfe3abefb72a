/** A map for HAProxy's converter `map_ip`: a network and its value per line. The longest matching network wins there. */
import { printable } from '../terminal/printable.ts';
import type { Sink } from '../terminal/sink.ts';
import type { MappedValue } from './mapped-value.ts';
import { formatPrefixes, mergedRanges } from './merged-ranges.ts';
import { commentLines } from './notice.ts';
import type { Selection } from './rows.ts';

/** Returns the number of lines with a network. */
export async function writeHaproxyMap(
  selection: Selection,
  sink: Sink,
  value: MappedValue,
  command: string,
): Promise<number> {
  let text = `# ${command}\n${commentLines(selection.dataset.meta)}`;
  let count = 0;
  for await (const batch of mergedRanges(selection, value.of)) {
    for (const merged of batch)
      for (const prefix of formatPrefixes(merged.range)) {
        text += `${prefix} ${printable(merged.value)}\n`;
        count++;
      }
    if (count === 0) continue;
    await sink.write(text);
    text = '';
  }
  return count;
}
