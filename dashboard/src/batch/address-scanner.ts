/** Counts the addresses of a text. The text can be a log, CSV, JSON or an email. */
import { type Address, formatAddress } from '@whence/dataset/address';
import { findSpecialPurpose } from '@whence/dataset/special-purpose';
import type { ScanCounts, Scanner } from '../scan.ts';
import { AddressStream } from './address-stream.ts';

/** With their records they take about 200 MB of memory in a browser. */
export const MAX_ADDRESSES = 500_000;

const SPECIAL = -1;

export class AddressScanner implements Scanner {
  readonly #stream = new AddressStream({
    onAddress: (address) => this.#count(address),
    onMistyped: () => {
      this.#invalid++;
    },
  });
  /** Occurrences by address, in the order of the first ones; SPECIAL for those that are not looked up. */
  readonly #seen = new Map<string, number>();
  readonly #encoder = new TextEncoder();
  #unique = 0;
  #duplicates = 0;
  #special = 0;
  #beyondLimit = 0;
  #invalid = 0;

  push(chunk: Uint8Array | string): void {
    this.#stream.push(typeof chunk === 'string' ? this.#encoder.encode(chunk) : chunk);
  }

  finish(): void {
    this.#stream.finish();
  }

  get counts(): ScanCounts {
    const [unique, duplicates, special] = [this.#unique, this.#duplicates, this.#special];
    const [beyondLimit, invalid] = [this.#beyondLimit, this.#invalid];
    const found = unique + duplicates + special + beyondLimit + invalid;
    return { found, unique, duplicates, special, beyondLimit, invalid };
  }

  /** Each address once, with how often it occurred, in the order of their first occurrence. */
  get found(): [address: string, times: number][] {
    return [...this.#seen].filter(([, times]) => times !== SPECIAL);
  }

  #count(address: Address): void {
    const text = formatAddress(address);
    const times = this.#seen.get(text);
    if (times === undefined) this.#countNew(text, address);
    else if (times === SPECIAL) this.#special++;
    else {
      this.#duplicates++;
      this.#seen.set(text, times + 1);
    }
  }

  #countNew(text: string, address: Address): void {
    if (findSpecialPurpose(address) !== undefined) {
      this.#special++;
      // Remembered up to the same limit: a text may hold millions of private addresses.
      if (this.#seen.size < 2 * MAX_ADDRESSES) this.#seen.set(text, SPECIAL);
    } else if (this.#unique >= MAX_ADDRESSES) this.#beyondLimit++;
    else {
      this.#unique++;
      this.#seen.set(text, 1);
    }
  }
}
