/** ipcat's list of datacenters: `first,last,name,url`, both addresses included. The label is the name. */

import type { Content } from '../../../io/content.ts';
import { csvRow } from '../../../io/csv-row.ts';
import type { PrefixList } from '../../parsed.ts';
import { PrefixListBuilder } from '../prefix-list.ts';

export function parseIpcatCsv(content: Content): PrefixList {
  const list = new PrefixListBuilder();
  for (const line of content.lines()) {
    if (line.trim() === '' || line.startsWith('#')) continue;
    const [first = '', last = '', name = ''] = csvRow(line);
    list.addRange(first, last, name.trim());
  }
  return list.finish();
}
