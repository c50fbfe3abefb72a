/** How often each address occurs in a text. An IPv4 address is a number here: half the memory of a text. */
import { type Address, formatAddress, ipv4, parseAddress } from '@whence/dataset/address';

/** Distinct addresses; together they take about 200 MB. Further ones are only counted as occurrences. */
const MAX_ADDRESSES = 2_000_000;

export class AddressCounts {
  readonly #ipv4 = new Map<number, number>();
  readonly #ipv6 = new Map<string, number>();
  readonly #maxAddresses: number;
  occurrences = 0;
  /** Occurrences of addresses beyond the limit. */
  dropped = 0;

  constructor(maxAddresses = MAX_ADDRESSES) {
    this.#maxAddresses = maxAddresses;
  }

  add(address: Address): void {
    this.occurrences++;
    if (address.version === 4) this.#count(this.#ipv4, address.w0);
    else this.#count(this.#ipv6, formatAddress(address));
  }

  get size(): number {
    return this.#ipv4.size + this.#ipv6.size;
  }

  *entries(): Generator<[address: Address, occurrences: number]> {
    for (const [word, occurrences] of this.#ipv4) yield [ipv4(word), occurrences];
    for (const [text, occurrences] of this.#ipv6) {
      const address = parseAddress(text);
      if (address !== undefined) yield [address, occurrences];
    }
  }

  #count<Key>(counts: Map<Key, number>, key: Key): void {
    const before = counts.get(key);
    if (before !== undefined) counts.set(key, before + 1);
    else if (this.size < this.#maxAddresses) counts.set(key, 1);
    else this.dropped++;
  }
}
