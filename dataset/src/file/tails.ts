/**
 * What records say from `country` on. Records share tails; tails that differ only in their decisions share a face, the
 * text of the answer. Tails are ordered by face, so that a lookup does not read the tail: its number gives the face.
 *
 *   tails         u32        position of its decisions
 *   tails.face    groups     face of each tail (consecutive-groups.ts)
 *   faces         u32 x 3    pieces of the text: country, network, threat
 *   pieces        u32        offset of each piece in pieces.text; one more at the end
 *   pieces.text   bytes      `"country":"…",`  `"rir":…,"detection":{…},`  `"threat":{…}`; ASCII, each piece once
 *   decisions     bytes      lists of decisions, each once (decisions.ts)
 *   decisions.at  u32        offset of each list; one more at the end
 */
import { ConsecutiveGroups, checkGroups, encodeGroups, orderByGroup } from './consecutive-groups.ts';
import { type Decision, decodeDecisions, encodeDecisions } from './decisions.ts';
import { bytesOf, type SectionName, wordsOf } from './format.ts';

/**
 * JSON texts: the members of a record after `country` in two pieces, and a list of decisions, each `[field, position in
 * sources]`, with a third element for a value that the record does not show.
 */
export type CompiledTail = {
  readonly country: string;
  readonly network: string;
  readonly threat: string;
  readonly decisions: string;
};

const FACE_PIECES = 3;

/** What the pieces of a face begin and end with. */
const PIECES = [
  ['"c', ','],
  ['"r', ','],
  ['"t', '}'],
] as const;

type TailSection = 'tails' | 'tails.face' | 'faces' | 'pieces' | 'pieces.text' | 'decisions' | 'decisions.at';

/** `numberOf`: per compiled tail its number in the file. */
export function encodeTails(tails: readonly CompiledTail[]): {
  sections: Record<TailSection, Uint8Array>;
  numberOf: Uint32Array;
} {
  const pieces = new Numbers();
  const lists = new Numbers();
  const faces = new Numbers();
  const facePieces: number[] = [];
  const faceOf = new Uint32Array(tails.length);
  const listOf = new Uint32Array(tails.length);
  tails.forEach(({ country, network, threat, decisions }, tail) => {
    const texts = [`"country":"${country}",`, network, threat].map((text) => pieces.of(text));
    const face = faces.of(texts.join());
    if (face * FACE_PIECES === facePieces.length) facePieces.push(...texts);
    faceOf[tail] = face;
    listOf[tail] = lists.of(decisions);
  });
  const order = orderByGroup(faceOf, faces.size);
  const numberOf = new Uint32Array(tails.length);
  order.forEach((tail, number) => {
    numberOf[tail] = number;
  });
  const texts = concatenate([...pieces.keys()].map((text) => Buffer.from(text, 'latin1')));
  const decisions = concatenate([...lists.keys()].map((text) => encodeDecisions(JSON.parse(text) as Decision[])));
  return {
    sections: {
      tails: bytesOf(order.map((tail) => listOf[tail] as number)),
      'tails.face': encodeGroups(order.map((tail) => faceOf[tail] as number)),
      faces: bytesOf(Uint32Array.from(facePieces)),
      pieces: texts.starts,
      'pieces.text': texts.bytes,
      decisions: decisions.bytes,
      'decisions.at': decisions.starts,
    },
    numberOf,
  };
}

/** Texts, numbered in the order in which they come. */
class Numbers extends Map<string, number> {
  of(text: string): number {
    const known = this.get(text);
    if (known !== undefined) return known;
    this.set(text, this.size);
    return this.size - 1;
  }
}

function concatenate(parts: readonly Uint8Array[]): { bytes: Uint8Array; starts: Uint8Array } {
  const starts = new Uint32Array(parts.length + 1);
  parts.forEach((part, i) => {
    starts[i + 1] = (starts[i] as number) + part.length;
  });
  return { bytes: Buffer.concat(parts), starts: bytesOf(starts) };
}

/** The first section that does not fit the others, or undefined. The lists of decisions are checked as they are read. */
export function findDamagedTails(sections: Record<TailSection, Buffer>): SectionName | undefined {
  if (sections.tails.length % 4 !== 0) return 'tails';
  if (sections.faces.length % (FACE_PIECES * 4) !== 0) return 'faces';
  const faces = sections.faces.length / (FACE_PIECES * 4);
  if (!checkGroups(sections['tails.face'], sections.tails.length / 4, faces)) return 'tails.face';
  if (!areStarts(sections.pieces, sections['pieces.text'])) return 'pieces';
  if (!areStarts(sections['decisions.at'], sections.decisions)) return 'decisions.at';
  const lists = sections['decisions.at'].length / 4 - 1;
  for (const list of wordsOf(sections.tails)) if (list >= lists) return 'tails';
  const kinds = kindsOfPieces(wordsOf(sections.pieces), sections['pieces.text']);
  if (kinds === undefined) return 'pieces.text';
  const rows = wordsOf(sections.faces);
  for (let at = 0; at < rows.length; at++) if (kinds[rows[at] as number] !== at % FACE_PIECES) return 'faces';
  return undefined;
}

function areStarts(section: Buffer, bytes: Buffer): boolean {
  if (section.length % 4 !== 0 || section.length === 0) return false;
  const starts = wordsOf(section);
  for (let i = 1; i < starts.length; i++) if ((starts[i - 1] as number) >= (starts[i] as number)) return false;
  return starts[0] === 0 && starts[starts.length - 1] === bytes.length;
}

/** Per piece: its place in a face, by how it begins and ends. */
function kindsOfPieces(starts: Uint32Array, text: Buffer): Uint8Array | undefined {
  const kinds = new Uint8Array(starts.length - 1);
  for (let piece = 0; piece < kinds.length; piece++) {
    const start = starts[piece] as number;
    const last = text[(starts[piece + 1] as number) - 1];
    const first = text.toString('latin1', start, start + 2);
    const kind = PIECES.findIndex(([begin, end]) => first === begin && last === end.charCodeAt(0));
    if (kind < 0) return undefined;
    kinds[piece] = kind;
  }
  return kinds;
}

export class Tails {
  readonly #faceOf: ConsecutiveGroups;
  readonly #faces: Uint32Array;
  readonly #pieces: Uint32Array;
  readonly #text: Buffer;
  readonly #listOf: Uint32Array;
  readonly #lists: Uint32Array;
  readonly #decisions: Buffer;
  /** Strings and views that are made on first use, because making them per answer is slower. */
  readonly #strings: (string | undefined)[];
  readonly #views: (Uint8Array | undefined)[];

  constructor(sections: Record<TailSection, Buffer>) {
    this.#faceOf = new ConsecutiveGroups(sections['tails.face']);
    this.#faces = wordsOf(sections.faces);
    this.#pieces = wordsOf(sections.pieces);
    this.#text = sections['pieces.text'];
    this.#listOf = wordsOf(sections.tails);
    this.#lists = wordsOf(sections['decisions.at']);
    this.#decisions = sections.decisions;
    this.#strings = new Array(this.#pieces.length - 1).fill(undefined);
    this.#views = new Array(this.#pieces.length - 1).fill(undefined);
  }

  /** The JSON text of the tail. */
  text(tail: number): string {
    const at = this.#faceOf.of(tail) * FACE_PIECES;
    return this.#piece(at) + this.#piece(at + 1) + this.#piece(at + 2);
  }

  faceOf(tail: number): number {
    return this.#faceOf.of(tail);
  }

  /** A piece of a face's text in bytes. */
  bytes(face: number, piece: number): Uint8Array {
    const number = this.#faces[face * FACE_PIECES + piece] as number;
    let bytes = this.#views[number];
    if (bytes === undefined) {
      bytes = this.#text.subarray(this.#pieces[number], this.#pieces[number + 1]);
      this.#views[number] = bytes;
    }
    return bytes;
  }

  decisions(tail: number): ReturnType<typeof decodeDecisions> {
    const list = this.#listOf[tail] as number;
    return decodeDecisions(this.#decisions.subarray(this.#lists[list], this.#lists[list + 1]));
  }

  #piece(at: number): string {
    const number = this.#faces[at] as number;
    let text = this.#strings[number];
    if (text === undefined) {
      text = this.#text.toString('latin1', this.#pieces[number], this.#pieces[number + 1]);
      this.#strings[number] = text;
    }
    return text;
  }
}
