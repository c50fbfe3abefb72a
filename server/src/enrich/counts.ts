/** Totals for the progress bar and the summary. */
export type Counts = {
  /** Lines, or rows of CSV including the header. */
  lines: number;
  /** Addresses looked up: found plus not found. */
  addresses: number;
  found: number;
  not_found: number;
  /** Lines that are not a JSON object; rows with a different number of columns than the first. Passed on unchanged. */
  unreadable: number;
  /** Lines above MAX_RECORD_BYTES. Passed on unchanged. */
  too_long: number;
  /** Objects that already have a member with the name to add. Passed on unchanged. */
  already_there: number;
};

export function addCounts(counts: Counts, more: Partial<Counts>): void {
  for (const name of Object.keys(more) as (keyof Counts)[]) counts[name] += more[name] ?? 0;
}

export function newCounts(): Counts {
  return { lines: 0, addresses: 0, found: 0, not_found: 0, unreadable: 0, too_long: 0, already_there: 0 };
}
