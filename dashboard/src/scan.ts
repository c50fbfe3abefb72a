/** What a scan of a text or a file is asked for, what it reports, and how it counts. */
/** Text or a file to read. */
export type ScanInput = { readonly text: string } | { readonly file: File };
export type ScanReport =
  | { readonly kind: 'progress'; readonly bytes: number; readonly counts: ScanCounts }
  | { readonly kind: 'done'; readonly counts: ScanCounts; readonly found: [string, number][] }
  | { readonly kind: 'failed'; readonly reason: string };

/**
 * Occurrences: `unique`, `duplicates`, `special`, `beyondLimit` and `invalid` add up to `found`.
 */
export type ScanCounts = {
  readonly found: number;
  /** Distinct ones, which will be looked up. */
  readonly unique: number;
  /** Further occurrences of those. */
  readonly duplicates: number;
  /** Addresses in private and other special-purpose ranges. They are not looked up. */
  readonly special: number;
  /** Others after the limit was reached, which are not looked up. */
  readonly beyondLimit: number;
  /** Four numbers with dots that are no address, or a name with a dot that is no domain. */
  readonly invalid: number;
};

export abstract class Scanner {
  readonly #limit: number;
  readonly #times = new Map<string, number>();
  #duplicates = 0;
  #beyondLimit = 0;
  protected special = 0;
  protected invalid = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  abstract push(chunk: Uint8Array | string): void;
  abstract finish(): void;

  get counts(): ScanCounts {
    const unique = this.#times.size;
    const duplicates = this.#duplicates;
    const beyondLimit = this.#beyondLimit;
    const { special, invalid } = this;
    const found = unique + duplicates + special + beyondLimit + invalid;
    return { found, unique, duplicates, special, beyondLimit, invalid };
  }

  /** Each one once, with how often it occurred, in the order of their first occurrence. */
  get found(): [text: string, times: number][] {
    return [...this.#times];
  }

  protected add(text: string): void {
    const times = this.#times.get(text) ?? 0;
    if (times > 0) this.#duplicates++;
    if (times > 0 || this.#times.size < this.#limit) this.#times.set(text, times + 1);
    else this.#beyondLimit++;
  }
}
