/** ipcat's list of datacenters: `first,last,name,url`, both addresses included. The label is the name. */
import type { PrefixList } from '../parsed.ts';
import { PrefixListBuilder } from '../prefix-list.ts';
import type { Content } from './content.ts';
import { csvRow } from './csv-row.ts';

export function parseIpcatCsv(content: Content): PrefixList {
  const list = new PrefixListBuilder();
  for (const line of content.lines()) {
    if (line.trim() === '' || line.startsWith('#')) continue;
    const [first = '', last = '', name = ''] = csvRow(line);
    list.addRange(first, last, name.trim());
  }
  return list.finish();
}
