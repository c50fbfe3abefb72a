/** Names and handles as they are in the file, compared with a search text in place. */
import { NO_MATCH, type Rank, rankAt, searchText } from '../search/search-text.ts';
import { ASN_ROW_WORDS } from './networks.ts';

const BACKSLASH = 0x5c;

/** ASCII in lower case. */
const LOWER = Uint8Array.from({ length: 256 }, (_, byte) => (byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte));

/** A search text, prepared to be looked for in many names. */
export class WantedText {
  readonly text: string;
  /** Escapes and the tab between name and handle are a byte that does not occur: neither is part of a name. */
  readonly bytes: Uint8Array;
  /** Per byte: 1 if an occurrence can begin with it, or if it begins an escape. */
  readonly isStop = new Uint8Array(256);
  /** The least bytes of an occurrence in the file. Only decomposed characters (Hangul) take less than the text. */
  readonly leastBytes: number;

  constructor(text: string) {
    this.text = text;
    this.bytes = Buffer.from(text.replaceAll(/[\t\\]/g, '\n'), 'latin1');
    this.leastBytes = /[\x80-\xff]/.test(text) ? 1 : text.length;
    for (const [byte, lower] of LOWER.entries()) if (lower === this.bytes[0]) this.isStop[byte] = 1;
    this.isStop[BACKSLASH] = 1;
  }
}

export class NetworkTexts {
  readonly #text: Buffer;
  readonly #asns: Uint32Array;

  /** `text`: per network, name TAB handle LF, JSON-escaped ASCII. */
  constructor(text: Buffer, asns: Uint32Array) {
    this.#text = text;
    this.#asns = asns;
  }

  /** The best rank of all occurrences in the name and the handle of the network in this row. */
  rank(row: number, wanted: WantedText): Rank {
    const text = this.#text;
    const { bytes, isStop } = wanted;
    const start = this.#startOf(row);
    const nameEnd = start + ((this.#asns[row * ASN_ROW_WORDS + 2] as number) & 0xffff);
    const end = this.#startOf(row + 1) - 1;
    const last = end - wanted.leastBytes;
    let best: Rank = NO_MATCH;
    for (let at = start; at <= last; at++) {
      if (isStop[text[at] as number] === 0) continue;
      let same = 0;
      while (same < bytes.length && LOWER[text[at + same] as number] === bytes[same]) same++;
      const after = at + same;
      if (text[after] === BACKSLASH) return this.#rankEscaped(start, nameEnd, end, wanted.text);
      if (same < bytes.length) continue;
      const isAtStart = at === start || at === nameEnd + 1;
      const before = LOWER[text[at - 1] as number] as number;
      const rank = rankAt(at < nameEnd, isAtStart, after === nameEnd || after === end, before);
      if (rank < best) best = rank;
    }
    return best;
  }

  /** The offset of the row's name. The text of the row before ends there. */
  #startOf(row: number): number {
    const at = row * ASN_ROW_WORDS + 1;
    return at < this.#asns.length ? (this.#asns[at] as number) : this.#text.length;
  }

  #rankEscaped(start: number, nameEnd: number, end: number, wanted: string): Rank {
    const inName = rankInText(this.#unescape(start, nameEnd), wanted, true);
    const inHandle = rankInText(this.#unescape(nameEnd + 1, end), wanted, false);
    return inHandle < inName ? inHandle : inName;
  }

  #unescape(start: number, end: number): string {
    return searchText(JSON.parse(`"${this.#text.toString('latin1', start, end)}"`));
  }
}

function rankInText(text: string, wanted: string, isName: boolean): Rank {
  let best: Rank = NO_MATCH;
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) {
    const rank = rankAt(isName, at === 0, at + wanted.length === text.length, text.charCodeAt(at - 1));
    if (rank < best) best = rank;
  }
  return best;
}
