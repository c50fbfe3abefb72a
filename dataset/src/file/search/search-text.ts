/** How names and queries are compared in a search: without case and accents, as bytes of UTF-8. */

/** Lower case without accents: `Telefónica` and `TELEFONICA` become the same text. */
export function fold(text: string): string {
  if (!/[^ -~]/.test(text)) return text.toLowerCase();
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
}

/** The folded text with one character per byte of its UTF-8 form, so that the index can work with bytes. */
export function searchText(text: string): string {
  const folded = fold(text);
  return /[^ -~]/.test(folded) ? Buffer.from(folded).toString('latin1') : folded;
}

/** Name and handle of a network as search texts. */
export type NetworkText = { readonly name: string; readonly handle: string };

/** The words of a search text: letters and digits, and everything beyond ASCII. */
export function splitWords(text: string): string[] {
  return text.match(/[0-9a-z\x80-\xff]+/g) ?? [];
}

export const isWordByte = (byte: number): boolean =>
  (byte >= 0x30 && byte <= 0x39) || (byte >= 0x61 && byte <= 0x7a) || byte >= 0x80;

/** How well a name or handle matches, the best first. */
export const EXACT = 0;
export const NAME_BEGINS = 1;
export const WORD_BEGINS = 2;
export const INSIDE = 3;
export const NO_MATCH = 4;
export type Rank = 0 | 1 | 2 | 3 | 4;

/** The rank of one occurrence in a name or handle. `before` is the byte before it. */
export function rankAt(isName: boolean, isAtStart: boolean, isAtEnd: boolean, before: number): Rank {
  if (isAtStart) return isAtEnd ? EXACT : isName ? NAME_BEGINS : WORD_BEGINS;
  return isWordByte(before) ? INSIDE : WORD_BEGINS;
}
