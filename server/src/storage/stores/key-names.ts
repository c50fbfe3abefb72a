/**
 * Names of keys in the forms that are sorted and searched. A search finds text at the beginning of any word of a name:
 * `key_words` has the name from each word on, so that a search is a range of an index and reads matches only. Ids and
 * masked keys are found from their beginning, and a masked key by its last characters as well.
 */
import { sql } from '../kysely.ts';
import type { Db } from '../schema.ts';

/** PostgreSQL indexes values of up to 2,700 bytes, and compatibility forms can be longer than the 100 characters of a name. */
const MAX_WORD_CHARACTERS = 100;
const KEYS_PER_TRANSACTION = 250;
/** Two parameters each. */
const WORDS_PER_STATEMENT = 5_000;

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

export async function insertWords(db: Db, keys: readonly NamedKey[]): Promise<void> {
  const rows = keys.flatMap((key) => wordsOf(key).map((word) => sql`(${word}, ${key.id})`));
  for (let i = 0; i < rows.length; i += WORDS_PER_STATEMENT) {
    const values = sql.join(rows.slice(i, i + WORDS_PER_STATEMENT));
    await sql`insert into key_words (word, key_id) values ${values} on conflict do nothing`.execute(db);
  }
}

/** For keys that were created before step 0008, or since then by a program that does not know `name_key`. */
export async function indexKeyNames(db: Db): Promise<void> {
  for (;;) {
    const { rows } = await sql<NamedKey>`select id, name, masked from keys where name_key is null
      limit ${sql.lit(KEYS_PER_TRANSACTION)}`.execute(db);
    if (rows.length === 0) return;
    const write = async (transaction: Db) => {
      await insertWords(transaction, rows);
      const names = rows.map(({ id, name }) => sql`(cast(${id} as text), cast(${nameKeyOf(name)} as text))`);
      await sql`with named (id, name_key) as (values ${sql.join(names)})
        update keys set name_key = named.name_key from named where keys.id = named.id`.execute(transaction);
    };
    await (db.isTransaction ? write(db) : db.transaction().execute(write));
  }
}
