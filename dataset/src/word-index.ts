/**
 * The distinct words of all names and handles, and who uses each: a text of 0.6 MB to search in place of 2.4 MB, in
 * which the common words, which make a search slow, stand once.
 *
 *   words.text   bytes     LF, then each word followed by LF
 *   words        u32 x 2   per word: start in words.text, start in words.rows; one more at the end
 *   words.rows   u32       row of the network x 2, + 1 where its name begins with the word; ascending
 */
import { bytesOf, wordsOf } from './format.ts';

/** Lower case without accents: `Telefónica` and `TELEFONICA` are one. */
export function fold(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
}

export function splitWords(folded: string): string[] {
  return folded.match(/[a-z0-9\u0080-\uffff]+/g) ?? [];
}

export function encodeWords(networks: readonly { name: string; handle?: string }[]) {
  const rowsOf = new Map<string, number[]>();
  networks.forEach(({ name, handle = '' }, row) => {
    const folded = fold(name);
    for (const word of new Set(splitWords(`${folded} ${fold(handle)}`))) {
      // Above Latin-1 a word cannot be stored as one byte a character. Such names are found by their other words.
      if (/[\u0100-\uffff]/.test(word)) continue;
      const rows = rowsOf.get(word);
      const entry = row * 2 + (folded.startsWith(word) ? 1 : 0);
      if (rows === undefined) rowsOf.set(word, [entry]);
      else rows.push(entry);
    }
  });
  const words = [...rowsOf.keys()].sort();
  const index = new Uint32Array((words.length + 1) * 2);
  let textStart = 1;
  let rowStart = 0;
  words.forEach((word, i) => {
    index.set([textStart, rowStart], i * 2);
    textStart += word.length + 1;
    rowStart += rowsOf.get(word)?.length ?? 0;
  });
  index.set([textStart, rowStart], words.length * 2);
  return {
    words: bytesOf(index),
    'words.text': Buffer.from(`\n${words.map((word) => `${word}\n`).join('')}`, 'latin1'),
    'words.rows': bytesOf(Uint32Array.from(words.flatMap((word) => rowsOf.get(word) ?? []))),
  };
}

export class WordIndex {
  readonly #text: string;
  readonly #index: Uint32Array;
  readonly #rows: Uint32Array;

  constructor(words: Uint8Array, text: Buffer, rows: Uint8Array) {
    this.#index = wordsOf(words);
    this.#text = text.toString('latin1');
    this.#rows = wordsOf(rows);
  }

  /** Calls back for every network that uses a word that holds `part`, once per such word. */
  forEachRow(
    part: string,
    visit: (row: number, beginsName: boolean, beginsWord: boolean, isWord: boolean) => void,
  ): void {
    const text = this.#text;
    let word = 0;
    for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, this.#textStart(word))) {
      word = this.#wordAt(at, word);
      const beginsWord = at === this.#textStart(word);
      const isWord = beginsWord && this.#textStart(word + 1) - at === part.length + 1;
      const end = this.#index[word * 2 + 3] as number;
      for (let i = this.#index[word * 2 + 1] as number; i < end; i++) {
        const entry = this.#rows[i] as number;
        visit(entry >>> 1, beginsWord && (entry & 1) === 1, beginsWord, isWord);
      }
      word++;
    }
  }

  #textStart(word: number): number {
    return this.#index[word * 2] as number;
  }

  /** The word that holds the position; looks from `word` on, in steps that double and then halve. */
  #wordAt(position: number, word: number): number {
    const last = this.#index.length / 2 - 2;
    let step = 1;
    while (word + step <= last && this.#textStart(word + step) <= position) {
      word += step;
      step *= 2;
    }
    for (; step >= 1; step >>= 1) if (word + step <= last && this.#textStart(word + step) <= position) word += step;
    return word;
  }
}
