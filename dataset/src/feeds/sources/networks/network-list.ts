// Networks on a list. Names and other columns are not used.
import { parsePrefixedAsn } from '../../../as-number.ts';
import type { Content } from '../../../io/content.ts';
import type { Networks } from '../../parsed.ts';
import { dayOfSeconds } from '../feed-day.ts';
import { jsonLine, member, textMember } from '../json-value.ts';

/** Counts rows that cannot be parsed. */
export class NetworkListBuilder {
  readonly #networks = new Set<number>();
  #skipped = 0;

  /** Accepts `64496`, `AS64496` or a number. AS 0 is reserved (RFC 7607) and is left out. */
  add(asn: unknown): void {
    const isText = typeof asn === 'string' || typeof asn === 'number';
    const number = parsePrefixedAsn(isText ? String(asn).trim() : '');
    if (number === undefined) this.skip();
    else if (number !== 0) this.#networks.add(number);
  }

  skip(): void {
    this.#skipped++;
  }

  finish(asOf?: string): Networks {
    return {
      shape: 'networks',
      networks: this.#networks,
      records: this.#networks.size,
      skipped: this.#skipped,
      ...(asOf === undefined ? {} : { asOf }),
    };
  }
}

/**
 * `64496,"Name"`, `AS64496,"Name"` or `AS64496 # Name`. Not every list quotes names with commas.
 */
export function parseAsnCsv(content: Content): Networks {
  const list = new NetworkListBuilder();
  let isFirst = true;
  for (const line of content.lines()) {
    const text = line.trim();
    if (text === '' || text.startsWith('#')) continue;
    const [, asn] = /^"?((?:AS)?[0-9]+)"?\s*(?:[,#].*)?$/i.exec(text) ?? [];
    if (asn !== undefined) list.add(asn);
    else if (!isFirst || !/^"?asn?\b/i.test(text)) list.skip();
    isFirst = false;
  }
  return list.finish();
}

/**
 * Spamhaus ASN-DROP: `{"asn":64496,"domain":"example.com","asname":"EXAMPLE-AS"}` per line; then
 * metadata.
 */
export function parseNdjsonAsndrop(content: Content): Networks {
  const list = new NetworkListBuilder();
  let asOf: string | undefined;
  for (const line of content.lines()) {
    if (line.trim() === '') continue;
    const row = jsonLine(line);
    if (textMember(row, 'type') === 'metadata') asOf = dayOfSeconds(member(row, 'timestamp'));
    else list.add(member(row, 'asn'));
  }
  return list.finish(asOf);
}
