/**
 * Finds and counts addresses in text that arrives in chunks. The text can be a log, CSV, JSON or an email. A token that
 * is cut by the end of a chunk is kept until the next one.
 */
import { formatAddress, parseAddress } from '@whence/dataset/address';
import { findSpecialPurpose } from '@whence/dataset/special-purpose';

export type ScanCounts = {
  /** Everything that looks like an address. */
  readonly found: number;
  /** Distinct addresses, which will be looked up. */
  readonly unique: number;
  readonly duplicates: number;
  /** Four numbers with dots, one of them above 255 or with a leading zero. */
  readonly invalid: number;
  /** Distinct addresses in private and other special-purpose ranges. They are not looked up. */
  readonly special: number;
  /** Addresses beyond the limit, not looked up. */
  readonly beyondLimit: number;
};

/** With their records they take about 200 MB of memory in a browser. */
export const MAX_ADDRESSES = 500_000;

// A dotted quad, or groups with at least two colons. Times (12:34:56) match the second and do not parse.
const CANDIDATE =
  /(?<![\w.:-])(?:\d{1,3}(?:\.\d{1,3}){3}(?!\.?\w)|(?:[0-9a-f]{0,4}:){2,7}(?:\d{1,3}(?:\.\d{1,3}){3}|[0-9a-f]{0,4})(?!\w))/gi;
/** The longest text of an address is 45 characters; one more shows where it ends. */
const KEPT_CHARACTERS = 48;

export class AddressScanner {
  readonly #seen = new Map<string, number>();
  readonly #special = new Set<string>();
  #rest = '';
  #found = 0;
  #invalid = 0;
  #beyondLimit = 0;

  push(text: string): void {
    const whole = this.#rest + text;
    const end = whole.length - KEPT_CHARACTERS;
    if (end <= 0) {
      this.#rest = whole;
      return;
    }
    // A separator ends every token; without one near the end, the last characters are kept.
    let cut = end;
    for (let at = whole.length - 1; at >= end; at--) {
      const code = whole.charCodeAt(at);
      if (code === 0x20 || code === 0x0a || code === 0x2c || code === 0x22) {
        cut = at;
        break;
      }
    }
    this.#scan(whole.slice(0, cut));
    this.#rest = whole.slice(cut);
  }

  finish(): void {
    this.#scan(this.#rest);
    this.#rest = '';
  }

  get counts(): ScanCounts {
    const unique = this.#seen.size;
    const occurrences = [...this.#seen.values()].reduce((sum, times) => sum + times, 0);
    return {
      found: this.#found,
      unique,
      duplicates: occurrences - unique,
      invalid: this.#invalid,
      special: this.#special.size,
      beyondLimit: this.#beyondLimit,
    };
  }

  /** Each address once, with how often it occurred, in the order of their first occurrence. */
  get addresses(): [address: string, times: number][] {
    return [...this.#seen];
  }

  #scan(text: string): void {
    for (const [token] of text.matchAll(CANDIDATE)) this.#count(token);
  }

  #count(token: string): void {
    const known = this.#seen.get(token);
    if (known !== undefined) {
      this.#found++;
      this.#seen.set(token, known + 1);
      return;
    }
    const address = parseAddress(token);
    if (address === undefined) {
      if (!token.includes(':')) {
        this.#found++;
        this.#invalid++;
      }
      return;
    }
    this.#found++;
    const text = formatAddress(address);
    if (findSpecialPurpose(address) !== undefined) {
      this.#special.add(text);
      return;
    }
    const times = this.#seen.get(text);
    if (times === undefined && this.#seen.size >= MAX_ADDRESSES) this.#beyondLimit++;
    else this.#seen.set(text, (times ?? 0) + 1);
  }
}
