/**
 * ipverse as-metadata: `[{"asn":64496,"metadata":{…,"category":"isp",…},"stats":{…}},…]`, a file of 60 MB. It is read in
 * pieces, because only two members of an entry are of use: a parsed document would take ten times its size.
 */
import { StringDecoder } from 'node:string_decoder';
import { type Content, tooManyRecords } from '../../../io/content.ts';
import type { ConnectionType } from '../../../record.ts';
import type { Networks } from '../../parsed.ts';
import { NetworkListBuilder } from './network-list.ts';

const ROLES: Readonly<Record<string, ConnectionType>> = {
  isp: 'residential',
  hosting: 'datacenter',
  business: 'business',
  education_research: 'education',
  government_admin: 'business',
};

/** Begins an entry. Quotes inside a text are escaped, so this is no part of one. */
const ENTRY = '"asn"';
const MAX_ENTRY_LENGTH = 1_000_000;

export function parseAsMetadataJson(content: Content): Networks {
  const list = new NetworkListBuilder();
  let entries = 0;
  for (const entry of entriesOf(content)) {
    if (++entries > content.maxRecords) throw tooManyRecords(content.maxRecords);
    const asn = /^\s*:\s*(\d+)/.exec(entry)?.[1];
    const category = /"category"\s*:\s*(?:"([a-z_]+)"|null)/.exec(entry);
    if (asn === undefined || category === null) list.skip();
    else if (category[1] !== undefined) list.add(asn, category[1], ROLES[category[1]]);
  }
  if (entries === 0) throw new Error('not a list of AS metadata: no entry with "asn"');
  return list.finish();
}

/** The text after each `"asn"`, up to the next one. */
function* entriesOf(content: Content): Generator<string> {
  const decoder = new StringDecoder('utf8');
  let text = '';
  let isInside = false;
  for (const chunk of content.chunks()) {
    text += decoder.write(chunk);
    const parts = text.split(ENTRY);
    text = parts.pop() ?? '';
    for (const part of parts) {
      if (isInside) yield part;
      isInside = true;
    }
    if (text.length > MAX_ENTRY_LENGTH) throw new Error('not a list of AS metadata: an entry is too long');
  }
  if (isInside) yield text + decoder.end();
}
