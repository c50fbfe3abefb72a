/** A `geo` block for the http context of nginx (ngx_http_geo_module): a variable with a value for the client's address. */
import { printable } from '../terminal/printable.ts';
import type { Sink } from '../terminal/sink.ts';
import type { MappedValue } from './mapped-value.ts';
import { formatPrefixes, mergedRanges } from './merged-ranges.ts';
import { commentLines } from './notice.ts';
import type { Selection } from './rows.ts';

/** Returns the number of lines with a network. */
export async function writeNginxGeo(
  selection: Selection,
  sink: Sink,
  name: string,
  value: MappedValue,
  command: string,
): Promise<number> {
  // Without --value the variable is 1 or 0, which `if` and `map` can test; else empty where nothing is known.
  const fallback = value.field === undefined ? '0' : '""';
  let text = `# ${command}\n${commentLines(selection.dataset.meta)}geo $${name} {\n\tdefault ${fallback};\n`;
  let count = 0;
  for await (const batch of mergedRanges(selection, value.of)) {
    for (const merged of batch)
      for (const prefix of formatPrefixes(merged.range)) {
        text += `\t${prefix} ${quote(merged.value)};\n`;
        count++;
      }
    if (count === 0) continue;
    await sink.write(text);
    text = '';
  }
  if (count > 0) await sink.write('}\n');
  return count;
}

/** Inside quotes, only the quote and the backslash are special: geo expands no variables in values. */
function quote(value: string): string {
  const text = printable(value);
  return /^[A-Za-z0-9_.-]+$/.test(text) ? text : `"${text.replaceAll(/["\\]/g, '\\$&')}"`;
}
