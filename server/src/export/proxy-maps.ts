/**
 * Maps from the client's address to a value, for proxies:
 *
 *   HAProxy    a file for the converter `map_ip`: a network and its value per line; the longest matching network wins
 *   nginx      a `geo` block for the http context (ngx_http_geo_module), which sets a variable
 *
 * Both functions return the number of lines with a network, and write `command` to the file as a
 * comment.
 */
import type { Sink } from '../terminal/output.ts';
import { printable } from '../terminal/printable.ts';
import { writePrefixLines } from './merged-ranges.ts';
import { commentLines, creditedMeta } from './notice.ts';
import type { MappedValue } from './options.ts';
import type { Selection } from './rows.ts';

export function writeHaproxyMap(
  selection: Selection,
  sink: Sink,
  value: MappedValue,
  command: string,
): Promise<number> {
  const head = `# ${command}\n${commentLines(creditedMeta(selection))}`;
  const lineOf = (prefix: string, text: string) => `${prefix} ${printable(text)}\n`;
  return writePrefixLines(selection, sink, { head, valueFor: value.of, lineOf, tail: '' });
}

export function writeNginxGeo(
  selection: Selection,
  sink: Sink,
  name: string,
  value: MappedValue,
  command: string,
): Promise<number> {
  // Without --value the variable is 1 or 0, which `if` and `map` can test. With it, the default is
  // an empty text.
  const fallback = value.field === undefined ? '0' : '""';
  const head = `# ${command}\n${commentLines(creditedMeta(selection))}geo $${name} {\n\tdefault ${fallback};\n`;
  const lineOf = (prefix: string, text: string) => `\t${prefix} ${quote(text)};\n`;
  return writePrefixLines(selection, sink, { head, valueFor: value.of, lineOf, tail: '}\n' });
}

/**
 * Inside quotes, only the quote and the backslash are special: geo expands no variables in values.
 */
function quote(value: string): string {
  const text = printable(value);
  return /^[A-Za-z0-9_.-]+$/.test(text) ? text : `"${text.replaceAll(/["\\]/g, '\\$&')}"`;
}
