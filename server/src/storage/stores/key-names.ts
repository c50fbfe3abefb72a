// Names of keys as they are sorted and searched.

/** Texts that differ in case or compatibility form only are equal. */
export const foldForSearch = (text: string) => text.normalize('NFKC').toLowerCase();

/**
 * Sorts without regard to case and accents, and numbers by their value: `key 2` before `key 10`.
 */
export function nameKeyOf(name: string): string {
  const letters = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  return letters.replace(/[0-9]+/g, (digits) => {
    const number = digits.replace(/^0+(?=.)/, '');
    return String(number.length).padStart(3, '0') + number;
  });
}
