// What a lookup finds. Kept in one word, because millions of them are stored and compared.

/** Prefix length and record number of an answer in one word; 0 where nothing is known. */
export type Match = number;

export const makeMatch = (length: number, record: number): Match => ((length << 24) | record) >>> 0;
export const prefixLength = (match: Match): number => match >>> 24;
export const recordNumber = (match: Match): number => match & MAX_RECORD;
export const MAX_RECORD = 0xffffff;

export const isMatch = (match: Match, bits: number, records: number): boolean =>
  match >>> 24 <= bits && (match & MAX_RECORD) < records;
