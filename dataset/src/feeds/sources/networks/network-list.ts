/** Builds a list of networks: the first row of a network is kept, and rows that cannot be parsed are counted. */

import { parsePrefixedAsn } from '../../../as-number.ts';
import type { ConnectionType } from '../../../record.ts';
import type { ListedNetwork, Networks } from '../../parsed.ts';

export class NetworkListBuilder {
  readonly #networks = new Map<number, ListedNetwork>();
  #skipped = 0;

  /** Accepts `64496`, `AS64496` or a number. AS 0 is reserved (RFC 7607) and is left out. */
  add(asn: unknown, label: string, role?: ConnectionType): void {
    const number = parsePrefixedAsn(typeof asn === 'number' ? String(asn) : typeof asn === 'string' ? asn.trim() : '');
    if (number === undefined) this.skip();
    else if (number !== 0 && !this.#networks.has(number)) {
      this.#networks.set(number, { label, ...(role === undefined ? {} : { role }) });
    }
  }

  /** Counts a row that the parser of the format could not read. */
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
