/** CSV as in RFC 4180 with a header, but with LF line breaks, as most tools write it. */

import type { Sink } from '../terminal/sink.ts';
import { FIELDS, type Fields } from './fields.ts';
import { COLUMNS, rowsOf, type Selection, selectRuns } from './rows.ts';

/** The texts for false and true. */
export type BooleanTexts = readonly [ifFalse: string, ifTrue: string];

/** Returns the number of rows. Without rows, not even the header is written. */
export async function writeCsv(
  selection: Selection,
  sink: Sink,
  booleans: BooleanTexts = ['false', 'true'],
): Promise<number> {
  const texts = new Map<Fields, string>();
  let rows = 0;
  for await (const batch of selectRuns(selection)) {
    let chunk = rows === 0 ? `${COLUMNS.join(',')}\n` : '';
    for (const run of batch) {
      let text = texts.get(run.fields);
      if (text === undefined) {
        text = formatFields(run.fields, booleans);
        texts.set(run.fields, text);
      }
      for (const { network, prefix } of rowsOf(run)) {
        chunk += `${network},${prefix},${text}\n`;
        rows++;
      }
    }
    await sink.write(chunk);
  }
  return rows;
}

function formatFields(fields: Fields, booleans: BooleanTexts): string {
  return FIELDS.map((name) => {
    const value = fields[name] ?? '';
    return typeof value === 'boolean' ? booleans[Number(value) as 0 | 1] : quote(String(value));
  }).join(',');
}

/**
 * RFC 4180 §2: a field with a comma, a quote or a line break is quoted, and quotes in it are doubled. Any field may be
 * quoted; some readers need it because they treat ' as a quote, \\N as null, or trim spaces.
 */
function quote(text: string): string {
  return /[",\r\n'\\]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
