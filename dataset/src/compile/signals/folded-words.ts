/** A name as lower-case ASCII words: 'T-Mobile Übersee GmbH' becomes t, mobile, ubersee, gmbh. */

/** Letters that NFD does not decompose. */
const UNDECOMPOSED: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ł: 'l',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
  ə: 'e',
};

export function foldedWords(text: string): string[] {
  let folded = text.toLowerCase();
  // Most names are ASCII: skip the two expensive steps for them.
  if (/[^\0-\x7f]/.test(folded)) {
    folded = folded
      .replace(/[ßæœłøđðþıə]/g, (letter) => UNDECOMPOSED[letter] ?? letter)
      .normalize('NFD')
      .replace(/\p{M}+/gu, '');
  }
  return folded.split(/[^a-z0-9]+/).filter((word) => word !== '');
}
