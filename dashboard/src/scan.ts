/** What a scan of a text or a file is asked for, and what it reports. */
export type ScanKind = 'addresses' | 'domains';
/** Text or a file to read. */
export type ScanInput = { readonly text: string } | { readonly file: File };
export type ScanRequest = ScanInput & { readonly kind: ScanKind };
export type ScanReport =
  | { readonly kind: 'progress'; readonly bytes: number; readonly counts: ScanCounts }
  | { readonly kind: 'done'; readonly counts: ScanCounts; readonly found: [string, number][] }
  | { readonly kind: 'failed'; readonly reason: string };

/** Occurrences: `unique`, `duplicates`, `special`, `beyondLimit` and `invalid` add up to `found`. */
export type ScanCounts = {
  readonly found: number;
  /** Distinct ones, which will be looked up. */
  readonly unique: number;
  /** Further occurrences of those. */
  readonly duplicates: number;
  /** Addresses in private and other special-purpose ranges. They are not looked up. */
  readonly special: number;
  /** Distinct ones beyond the limit, which are not looked up. */
  readonly beyondLimit: number;
  /** Four numbers with dots that are no address, or a name with a dot that is no domain. */
  readonly invalid: number;
};

export type Scanner = {
  push(chunk: Uint8Array | string): void;
  finish(): void;
  readonly counts: ScanCounts;
  /** Each one once, with how often it occurred, in the order of their first occurrence. */
  readonly found: [text: string, times: number][];
};
