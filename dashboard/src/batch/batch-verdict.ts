/** What was found about the addresses of a batch, in a sentence: whose, where, and what is inside. */
import { contentWords } from '../format/contents.ts';
import { count } from '../format/number.ts';
import type { BatchRow } from './batch-run.ts';
import { type Facet, facetOf } from './filter-rows.ts';

/** `caveat`: what threat levels leave out. */
export function batchVerdict(rows: readonly BatchRow[], caveat = ''): string {
  const valuesOf = (facet: Facet) => facetOf(rows, facet, {}).values;
  const shares = (facet: Facet) =>
    valuesOf(facet).map(({ key, amount }) => ({ value: key, addresses: amount }));
  const networks = count(valuesOf('network').length, 'network');
  const countries = count(valuesOf('country').length, 'country', 'countries');
  const subject = `${count(rows.length, 'address', 'addresses')} of ${networks} in ${countries}`;
  const content = contentWords({ flags: shares('flag'), threat_levels: shares('level') });
  return `${subject}${content === '' ? '' : `: ${content}`}. ${caveat}`.trimEnd();
}
