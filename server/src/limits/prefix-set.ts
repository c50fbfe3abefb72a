/**
 * Whether an address is in one of many prefixes: one hash lookup for each prefix length that
 * occurs.
 */
import { type Address, truncateAddress, wordMask } from '@whence/dataset/address';
import { parseCidr } from '@whence/dataset/prefix';

export class PrefixSet {
  /** By length; the bases of IPv4 prefixes as words, of IPv6 prefixes as text. */
  readonly #ipv4 = new Map<number, Set<number>>();
  readonly #ipv6 = new Map<number, Set<string>>();

  /** Host bits are ignored; texts that are not prefixes contain nothing. */
  constructor(prefixes: readonly string[]) {
    for (const text of prefixes) {
      const cidr = parseCidr(text);
      if (cidr === undefined) continue;
      const { address, length } = cidr;
      if (address.version === 4) addTo(this.#ipv4, length, address.w0 & wordMask(length));
      else addTo(this.#ipv6, length, baseKey(address, length));
    }
  }

  has(address: Address): boolean {
    return this.lengthAt(address) !== undefined;
  }

  lengthAt(address: Address, longest = 128): number | undefined {
    if (address.version === 4) {
      for (const [length, bases] of this.#ipv4)
        if (length <= longest && bases.has(address.w0 & wordMask(length))) return length;
    } else
      for (const [length, bases] of this.#ipv6)
        if (length <= longest && bases.has(baseKey(address, length))) return length;
    return undefined;
  }
}

function baseKey(address: Address, length: number): string {
  const { w0, w1, w2, w3 } = truncateAddress(address, length);
  return `${w0} ${w1} ${w2} ${w3}`;
}

function addTo<Key>(sets: Map<number, Set<Key>>, length: number, key: Key): void {
  const bases = sets.get(length) ?? new Set();
  bases.add(key);
  sets.set(length, bases);
}
