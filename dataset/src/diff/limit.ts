/**
 * Entries per list of a comparison. In a file of its own, because the command line and the routes need only these
 * numbers.
 */
export const DEFAULT_DIFF_LIMIT = 20;
export const MAX_DIFF_LIMIT = 1000;
