/** Counts the domains of a text: a list, CSV, email addresses, URLs. */
import { interpret } from '../interpret.ts';
import { Scanner } from '../scan.ts';

/** Each is a check of about fifty questions to DNS. */
export const MAX_DOMAINS = 1_000;
const SEPARATORS = /[\s,;|"'<>()]+/;
/** A text without a separator for this long is cut where it is; it is no list. */
const MAX_REST = 10_000;

export class DomainScanner extends Scanner {
  readonly #decoder = new TextDecoder();
  #rest = '';

  constructor() {
    super(MAX_DOMAINS);
  }

  push(chunk: Uint8Array | string): void {
    const text =
      this.#rest +
      (typeof chunk === 'string' ? chunk : this.#decoder.decode(chunk, { stream: true }));
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

  #count(word: string): void {
    const domain = interpret(word).targets.find(({ kind }) => kind === 'domain')?.value;
    if (domain !== undefined) this.add(domain);
    // Words without a dot are other columns of a table.
    else if (/[^.]\.[^.]/.test(word)) this.invalid++;
  }
}
