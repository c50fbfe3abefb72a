/** PeeringDB `/api/ix`: `{"data":[{"id":26,"name":"AMS-IX",…}]}`, the names of internet exchanges. */
import type { Content } from '../../../io/content.ts';
import type { Exchanges } from '../../parsed.ts';
import { jsonDocument, member, requiredList, textMember } from '../json-value.ts';
import { placeName } from '../locations/place-list.ts';

const WHAT = 'a PeeringDB list of exchanges';

export function parsePeeringdbIx(content: Content): Exchanges {
  const names = new Map<string, string>();
  let skipped = 0;
  for (const row of requiredList(jsonDocument(content, WHAT), 'data', WHAT)) {
    const id = member(row, 'id');
    const name = placeName(textMember(row, 'name'));
    if (Number.isInteger(id) && name !== '') names.set(String(id), name);
    else skipped++;
  }
  return { shape: 'exchanges', names, records: names.size, skipped };
}
