/** Entries per list of a comparison. */
export const DEFAULT_DIFF_LIMIT = 20;
export const MAX_DIFF_LIMIT = 1000;
