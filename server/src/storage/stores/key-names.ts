// Names of keys as they are sorted and searched. `key_words` has the name from each word on, so that a search is an
// index range. Ids and masked keys are found by their beginning, masked keys also by their end.
import type { Db } from '../schema.ts';

/** PostgreSQL indexes values of up to 2,700 bytes, and compatibility forms can be longer than the 100 characters of a name. */
const MAX_WORD_CHARACTERS = 100;

type NamedKey = { readonly id: string; readonly name: string; readonly masked: string };

/** Texts that differ in case or compatibility form only are equal. */
export function foldForSearch(text: string): string {
  return Array.from(text.normalize('NFKC').toLowerCase()).slice(0, MAX_WORD_CHARACTERS).join('');
}

/** Sorts without regard to case and accents, and numbers by their value: `key 2` before `key 10`. */
export function nameKeyOf(name: string): string {
  const letters = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  return letters.replace(/[0-9]+/g, (digits) => {
    const number = digits.replace(/^0+(?=.)/, '');
    return String(number.length).padStart(3, '0') + number;
  });
}

/** A word begins after a character that is neither a letter, a mark nor a digit. */
export function fromEachWord(name: string): string[] {
  const starts = name.matchAll(/(?<![\p{L}\p{M}\p{N}])[\p{L}\p{N}]/gu);
  return [name, ...Array.from(starts, ({ index }) => name.slice(index))];
}

function wordsOf({ id, name, masked }: NamedKey): string[] {
  const [head = '', tail = ''] = masked.split('…');
  // A key that is pasted into the search box is sent as `whence_ab12 wxyz`.
  const texts = [...fromEachWord(name), masked, `${head} ${tail}`, masked.replace('whence_', ''), tail, id];
  return [...new Set(texts.map(foldForSearch))].filter((word) => word !== '');
}

export async function insertWords(db: Db, key: NamedKey): Promise<void> {
  await db
    .insertInto('key_words')
    .values(wordsOf(key).map((word) => ({ word, key_id: key.id })))
    .execute();
}
