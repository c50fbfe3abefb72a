/** Entries per list of a comparison. In a file of its own: the command line and routes need only these. */
export const DEFAULT_DIFF_LIMIT = 20;
export const MAX_DIFF_LIMIT = 1000;
