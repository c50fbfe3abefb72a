/**
 * Checks at a time. With answers after 20 ms, 16 keep one core busy (63 domains a second, with 8 there are 50). The DNS
 * client has at most 256 recent queries unanswered, however many checks there are.
 */
export const DEFAULT_PARALLEL = 16;
export const MAX_PARALLEL = 64;
