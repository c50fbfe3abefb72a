/** What has been seen so far; the summary says it at the end, the progress bar on the way. */
export type Counts = {
  /** Lines, or rows of CSV with its header. */
  lines: number;
  /** Addresses that were looked up: found and not found together. */
  addresses: number;
  found: number;
  not_found: number;
  /** Lines that are not an object of JSON, rows with another number of columns than the first. Passed on unchanged. */
  unreadable: number;
  /** Longer than a line may be. Passed on unchanged. */
  too_long: number;
  /** Objects that have a member of the name already. Passed on unchanged. */
  already_there: number;
};

export function newCounts(): Counts {
  return { lines: 0, addresses: 0, found: 0, not_found: 0, unreadable: 0, too_long: 0, already_there: 0 };
}
