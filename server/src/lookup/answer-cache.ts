// Serialized records by address, for one dataset version. Two-way set associative, in one buffer,
// so that nothing is allocated or traced per answer. The less recently used entry is replaced.
import type { Address } from '@whence/dataset/address';

const SETS = 4096;
const WAYS = 2;
const ENTRY_BYTES = 512;
/**
 * Marks the length of an IPv6 entry: an IPv4 address and the IPv6 address with the same first word
 * differ.
 */
const IPV6 = 0x8000;

export class AnswerCache {
  readonly bytes = Buffer.allocUnsafeSlow(SETS * WAYS * ENTRY_BYTES);
  /** Four words of the address per entry. */
  readonly #words = new Int32Array(SETS * WAYS * 4);
  /** Length of the record, with the mark; 0 where the entry is empty. */
  readonly #lengths = new Uint16Array(SETS * WAYS);
  /** Per set, the way that was used last. */
  readonly #recent = new Uint8Array(SETS);

  find(address: Address): number {
    const set = setOf(address);
    for (let way = 0; way < WAYS; way++) {
      const entry = set * WAYS + way;
      if (this.#lengths[entry] !== 0 && this.#isAt(entry, address)) {
        this.#recent[set] = way;
        return entry;
      }
    }
    return -1;
  }

  start(entry: number): number {
    return entry * ENTRY_BYTES;
  }

  end(entry: number): number {
    return entry * ENTRY_BYTES + ((this.#lengths[entry] as number) & ~IPV6);
  }

  put(address: Address, source: Buffer, start: number, end: number): void {
    const length = end - start;
    if (length > ENTRY_BYTES) return;
    const set = setOf(address);
    const way = this.#recent[set] === 0 ? 1 : 0;
    const entry = set * WAYS + way;
    this.#recent[set] = way;
    this.#words[entry * 4] = address.w0;
    this.#words[entry * 4 + 1] = address.w1;
    this.#words[entry * 4 + 2] = address.w2;
    this.#words[entry * 4 + 3] = address.w3;
    this.#lengths[entry] = length | (address.version === 6 ? IPV6 : 0);
    source.copy(this.bytes, entry * ENTRY_BYTES, start, end);
  }

  #isAt(entry: number, address: Address): boolean {
    const words = this.#words;
    return (
      words[entry * 4] === address.w0 &&
      words[entry * 4 + 1] === address.w1 &&
      words[entry * 4 + 2] === address.w2 &&
      words[entry * 4 + 3] === address.w3 &&
      ((this.#lengths[entry] as number) & IPV6) === (address.version === 6 ? IPV6 : 0)
    );
  }
}

function setOf({ w0, w1, w2, w3 }: Address): number {
  const mixed =
    Math.imul(w0, 0x9e3779b1) ^ Math.imul(w1, 0x85ebca6b) ^ Math.imul(w2, 0xc2b2ae35) ^ w3;
  return (mixed ^ (mixed >>> 16)) & (SETS - 1);
}
