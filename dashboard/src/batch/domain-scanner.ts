/** Counts the domains of a text: a list, CSV, email addresses, URLs. */
import { interpret } from '../interpret.ts';
import type { ScanCounts, Scanner } from '../scan.ts';

/** Each is a check of about fifty questions to DNS. */
export const MAX_DOMAINS = 1_000;
const SEPARATORS = /[\s,;|"'<>()]+/;
/** A text without a separator for this long is cut where it is; it is no list. */
const MAX_REST = 10_000;

export class DomainScanner implements Scanner {
  readonly #decoder = new TextDecoder();
  readonly #seen = new Map<string, number>();
  readonly #beyond = new Set<string>();
  #rest = '';
  #duplicates = 0;
  #invalid = 0;

  push(chunk: Uint8Array | string): void {
    const text = this.#rest + (typeof chunk === 'string' ? chunk : this.#decoder.decode(chunk, { stream: true }));
    const words = text.split(SEPARATORS);
    // The last word may continue in the next chunk.
    this.#rest = words.pop() ?? '';
    for (const word of words) this.#count(word);
    if (this.#rest.length > MAX_REST) this.finish();
  }

  finish(): void {
    this.#count(this.#rest);
    this.#rest = '';
  }

  get counts(): ScanCounts {
    const [unique, duplicates, invalid] = [this.#seen.size, this.#duplicates, this.#invalid];
    const beyondLimit = this.#beyond.size;
    return { found: unique + duplicates + beyondLimit + invalid, unique, duplicates, special: 0, beyondLimit, invalid };
  }

  get found(): [domain: string, times: number][] {
    return [...this.#seen];
  }

  #count(word: string): void {
    const domain = interpret(word).targets.find(({ kind }) => kind === 'domain')?.value;
    if (typeof domain !== 'string') {
      // Words without a dot are other columns of a table.
      if (/[^.]\.[^.]/.test(word)) this.#invalid++;
      return;
    }
    const times = this.#seen.get(domain);
    if (times !== undefined || this.#beyond.has(domain)) this.#duplicates++;
    if (times !== undefined) this.#seen.set(domain, times + 1);
    else if (this.#seen.size < MAX_DOMAINS) this.#seen.set(domain, 1);
    else this.#beyond.add(domain);
  }
}
