/**
 * Maltrail's list of mass scanners: an address and after `#` its reverse name or a remark. Rows are taken whose name ends
 * with one of an operator in `scanner-names.csv`; the list also has scanners whose operator is not known, and servers
 * that a scanner rented years ago.
 */
import { scannerNames } from '../../../data-files/data-files.ts';
import type { Content } from '../../../io/content.ts';
import type { PrefixList } from '../../parsed.ts';
import { PrefixListBuilder, withoutComment } from '../prefix-list.ts';

export function parseNamedScanners(content: Content): PrefixList {
  const list = new PrefixListBuilder();
  for (const line of content.lines()) {
    const text = withoutComment(line);
    if (text === '') continue;
    const name = line.slice(line.indexOf('#') + 1);
    const operator = line.includes('#') ? operatorOf(name) : undefined;
    if (operator !== undefined) list.add(text, operator);
  }
  return list.finish();
}

/** `census1.shodan.io` ends with `shodan.io`; `notshodan.io` does not. */
function operatorOf(name: string): string | undefined {
  const words = `.${name.trim().toLowerCase().replace(/\.$/, '')}`;
  return scannerNames.rows.find(({ ending }) => words.endsWith(`.${ending.toLowerCase()}`))?.operator;
}
