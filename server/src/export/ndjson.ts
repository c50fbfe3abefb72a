/** One JSON object per line and network, with the columns as members; absent values are omitted. */

import type { Sink } from '../terminal/sink.ts';
import type { Fields } from './fields.ts';
import { rowsOf, type Selection, selectRuns } from './rows.ts';

export async function writeNdjson(selection: Selection, sink: Sink): Promise<number> {
  const texts = new Map<Fields, string>();
  let rows = 0;
  for await (const batch of selectRuns(selection)) {
    let chunk = '';
    for (const run of batch) {
      let text = texts.get(run.fields);
      if (text === undefined) {
        text = JSON.stringify(run.fields).slice(1);
        texts.set(run.fields, text);
      }
      for (const { network, prefix } of rowsOf(run)) {
        chunk += `{"network":"${network}","prefix":"${prefix}",${text}\n`;
        rows++;
      }
    }
    await sink.write(chunk);
  }
  return rows;
}
