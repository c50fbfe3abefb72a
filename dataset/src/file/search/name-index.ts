// The index for searches in names and handles. A text that is searched for is found in one of three ways:
//
//   short texts that many networks have    prepared results                            short-texts.ts
//   in a word that several networks have   a list of networks per word                 shared-words.ts
//   in any other word, or between words    a list per three bytes that may match,      name-grams.ts
//                                          which are compared with the names           network-texts.ts
import type { SectionName } from '../format.ts';
import { NameGrams, NameGramsWriter } from './name-grams.ts';
import { type NetworkText, searchText, splitWords } from './search-text.ts';
import { encodeSharedWords, SharedWords } from './shared-words.ts';
import { encodeShortTexts, ShortTexts } from './short-texts.ts';

export function encodeNames(networks: readonly { readonly name: string; readonly handle?: string }[]) {
  const texts = networks.map(({ name, handle = '' }) => ({ name: searchText(name), handle: searchText(handle) }));
  const shared = new Map<string, readonly number[]>();
  const grams = new NameGramsWriter();
  // Words are in the order in which they are met, so the networks of those that only one has are in ascending order.
  for (const [word, rows] of rowsByWord(texts)) {
    if (rows.length > 1) shared.set(word, rows);
    else grams.addWord(word, rows[0] as number);
  }
  texts.forEach(({ name, handle }, row) => {
    grams.addSeparators(name, row);
    grams.addSeparators(handle, row);
  });
  return { ...encodeSharedWords(shared, texts), ...grams.encode(texts.length), ...encodeShortTexts(texts) };
}

function rowsByWord(texts: readonly NetworkText[]): Map<string, number[]> {
  const rowsOf = new Map<string, number[]>();
  texts.forEach(({ name, handle }, row) => {
    for (const word of splitWords(`${name} ${handle}`)) {
      const rows = rowsOf.get(word);
      if (rows === undefined) rowsOf.set(word, [row]);
      else if (rows.at(-1) !== row) rows.push(row);
    }
  });
  return rowsOf;
}

export class NameIndex {
  readonly words: SharedWords;
  readonly grams: NameGrams;
  readonly shortTexts: ShortTexts;

  constructor(sections: Record<SectionName, Buffer>, networks: number) {
    this.words = new SharedWords(sections['words.text'], sections['words.rows'], sections['words.at'], networks);
    this.grams = new NameGrams(sections.grams, sections['grams.at'], networks);
    this.shortTexts = new ShortTexts(sections.texts, sections['texts.at'], networks);
  }
}
