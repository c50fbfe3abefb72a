/** Builds the list that a feed of AS numbers comes to: the first row of a network stays, and what did not read is counted. */
import type { ConnectionType } from '../record.ts';
import { parsePrefixedAsn } from './as-number.ts';
import type { ListedNetwork, Networks } from './parsed.ts';

export class NetworkListBuilder {
  readonly #networks = new Map<number, ListedNetwork>();
  #skipped = 0;

  /** Takes `64496`, `AS64496` or the number itself. AS 0 is nobody (RFC 7607), so lists that have it are read without it. */
  add(asn: unknown, label: string, role?: ConnectionType): void {
    const number = parsePrefixedAsn(typeof asn === 'number' ? String(asn) : typeof asn === 'string' ? asn.trim() : '');
    if (number === undefined) this.skip();
    else if (number !== 0 && !this.#networks.has(number)) {
      this.#networks.set(number, { label, ...(role === undefined ? {} : { role }) });
    }
  }

  /** For a row of which the format itself did not read. */
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
