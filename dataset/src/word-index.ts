/**
 * The distinct words of all names and handles, and who uses each: a text of 0.6 MB to search in place of 2.4 MB, in
 * which the common words, which make a search slow, stand once.
 *
 *   words.text   bytes     LF, then each word followed by LF
 *   words.rows   numbers   per word: how many uses it has, then per use: row of the network x 2, + 1 where its name begins with the word;
 *                          ascending, each as the difference to the one before
 *
 * A number is stored seven bits a byte, the lowest first, with the top bit set on all bytes but its last.
 */
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
  return {
    'words.text': Buffer.from(`\n${words.map((word) => `${word}\n`).join('')}`, 'latin1'),
    'words.rows': encodeRows(words.map((word) => rowsOf.get(word) ?? [])),
  };
}

function encodeRows(lists: readonly (readonly number[])[]): Uint8Array {
  const bytes: number[] = [];
  const push = (value: number) => {
    for (; value > 0x7f; value >>>= 7) bytes.push((value & 0x7f) | 0x80);
    bytes.push(value);
  };
  for (const list of lists) {
    push(list.length);
    list.forEach((entry, i) => {
      push(entry - (list[i - 1] ?? 0));
    });
  }
  return Uint8Array.from(bytes);
}

/** Unpacked at once, in 4 ms: a search for a short text reads a good part of them. */
function decodeRows(bytes: Uint8Array, words: number): { rows: Uint32Array; rowStarts: Uint32Array } {
  const rows = new Uint32Array(bytes.length);
  const rowStarts = new Uint32Array(words + 1);
  let at = 0;
  const next = (): number => {
    let value = 0;
    let shift = 0;
    for (; (bytes[at] as number) > 0x7f; at++, shift += 7) value |= ((bytes[at] as number) & 0x7f) << shift;
    return value | ((bytes[at++] as number) << shift);
  };
  let row = 0;
  for (let word = 0; word < words; word++) {
    rowStarts[word] = row;
    const end = row + next();
    for (let entry = 0; row < end; row++) {
      entry += next();
      rows[row] = entry;
    }
  }
  rowStarts[words] = row;
  return { rows: rows.slice(0, row), rowStarts };
}

export class WordIndex {
  readonly #text: string;
  /** Where each word begins in the text; one more at the end. */
  readonly #textStarts: Uint32Array;
  readonly #rows: Uint32Array;
  /** Where the rows of each word begin; one more at the end. */
  readonly #rowStarts: Uint32Array;

  constructor(text: Buffer, rows: Uint8Array) {
    this.#text = text.toString('latin1');
    this.#textStarts = lineStarts(text);
    ({ rows: this.#rows, rowStarts: this.#rowStarts } = decodeRows(rows, this.#textStarts.length - 1));
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
      const end = this.#rowStarts[word + 1] as number;
      for (let i = this.#rowStarts[word] as number; i < end; i++) {
        const entry = this.#rows[i] as number;
        visit(entry >>> 1, beginsWord && (entry & 1) === 1, beginsWord, isWord);
      }
      word++;
    }
  }

  #textStart(word: number): number {
    return this.#textStarts[word] as number;
  }

  /** The word that holds the position; looks from `word` on, in steps that double and then halve. */
  #wordAt(position: number, word: number): number {
    const last = this.#textStarts.length - 2;
    let step = 1;
    while (word + step <= last && this.#textStart(word + step) <= position) {
      word += step;
      step *= 2;
    }
    for (; step >= 1; step >>= 1) if (word + step <= last && this.#textStart(word + step) <= position) word += step;
    return word;
  }
}

function lineStarts(text: Buffer): Uint32Array {
  const starts: number[] = [];
  for (let end = text.indexOf(LF); end >= 0; end = text.indexOf(LF, end + 1)) starts.push(end + 1);
  return Uint32Array.from(starts);
}

const LF = 0x0a;
