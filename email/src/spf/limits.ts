/** RFC 7208 §4.6.4: receivers treat a record that needs more as permerror. Counted over the whole tree of includes. */
export const MAX_LOOKUPS = 10;
/** Lookups that may find nothing. */
export const MAX_VOID_LOOKUPS = 2;
