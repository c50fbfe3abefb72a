// The attributes of records: the fields from `country` on, and which sources decided them. Many
// prefixes share a set of attributes. Sets that differ only in their decisions share a text, the
// JSON of the answer. Sets are ordered by text, so a lookup does not read the set: its number gives
// the text.
//
//   suffixes           u32        per set of attributes: position of its decisions
//   suffixes.variant   groups     text of each set (consecutive-groups.ts)
//   variants           u32 x 3    per text: its fragments, which are country, network and threat
//   chunks             u32        offset of each fragment in chunks.text; one more at the end
//   chunks.text        bytes      `"country":"…",`  `"rir":…,"detection":{…},`  `"threat":{…}`; ASCII, each once
//   decisions          bytes      lists of decisions, each once (decisions.ts)
//   decisions.at       u32        offset of each list; one more at the end
import { Numbers } from '../../get-or-insert.ts';
import {
  ConsecutiveGroups,
  checkGroups,
  encodeGroups,
  orderByGroup,
} from '../consecutive-groups.ts';
import { bytesOf, type SectionName, wordsOf } from '../format.ts';
import { type Decision, decodeDecisions, encodeDecisions } from './decisions.ts';

/**
 * `network` and `threat` are JSON members; `decisions` a list of `[field, source, value the record
 * does not show]`.
 */
export type CompiledAttributes = {
  readonly country: string;
  readonly network: string;
  readonly threat: string;
  readonly decisions: string;
};

const TEXT_FRAGMENTS = 3;

/** What the fragments of a text begin and end with. */
const FRAGMENTS = [
  ['"c', ','],
  ['"r', ','],
  ['"t', '}'],
] as const;

type AttributeSection =
  | 'suffixes'
  | 'suffixes.variant'
  | 'variants'
  | 'chunks'
  | 'chunks.text'
  | 'decisions'
  | 'decisions.at';

/** `numberOf`: per compiled set its number in the file. */
export function encodeAttributes(sets: readonly CompiledAttributes[]): {
  sections: Record<AttributeSection, Uint8Array>;
  numberOf: Uint32Array;
} {
  const fragments = new Numbers();
  const lists = new Numbers();
  const texts = new Numbers();
  const textFragments: number[] = [];
  const textOf = new Uint32Array(sets.length);
  const listOf = new Uint32Array(sets.length);
  sets.forEach(({ country, network, threat, decisions }, set) => {
    const numbers = [`"country":"${country}",`, network, threat].map((fragment) =>
      fragments.of(fragment),
    );
    const text = texts.of(numbers.join());
    if (text * TEXT_FRAGMENTS === textFragments.length) textFragments.push(...numbers);
    textOf[set] = text;
    listOf[set] = lists.of(decisions);
  });
  const order = orderByGroup(textOf, texts.size);
  const numberOf = new Uint32Array(sets.length);
  order.forEach((set, number) => {
    numberOf[set] = number;
  });
  const bytes = concatenate(
    [...fragments.keys()].map((fragment) => Buffer.from(fragment, 'latin1')),
  );
  const decisions = concatenate(
    [...lists.keys()].map((text) => encodeDecisions(JSON.parse(text) as Decision[])),
  );
  return {
    sections: {
      suffixes: bytesOf(order.map((set) => listOf[set] as number)),
      'suffixes.variant': encodeGroups(order.map((set) => textOf[set] as number)),
      variants: bytesOf(Uint32Array.from(textFragments)),
      chunks: bytes.starts,
      'chunks.text': bytes.bytes,
      decisions: decisions.bytes,
      'decisions.at': decisions.starts,
    },
    numberOf,
  };
}

function concatenate(parts: readonly Uint8Array[]): { bytes: Uint8Array; starts: Uint8Array } {
  const starts = new Uint32Array(parts.length + 1);
  parts.forEach((part, i) => {
    starts[i + 1] = (starts[i] as number) + part.length;
  });
  return { bytes: Buffer.concat(parts), starts: bytesOf(starts) };
}

/**
 * The first section that does not fit the others. Lists of decisions are checked as they are read.
 */
export function findDamagedAttributes(
  sections: Record<AttributeSection, Buffer>,
): SectionName | undefined {
  if (sections.suffixes.length % 4 !== 0) return 'suffixes';
  if (sections.variants.length % (TEXT_FRAGMENTS * 4) !== 0) return 'variants';
  const texts = sections.variants.length / (TEXT_FRAGMENTS * 4);
  if (!checkGroups(sections['suffixes.variant'], sections.suffixes.length / 4, texts))
    return 'suffixes.variant';
  if (!areStarts(sections.chunks, sections['chunks.text'])) return 'chunks';
  if (!areStarts(sections['decisions.at'], sections.decisions)) return 'decisions.at';
  const lists = sections['decisions.at'].length / 4 - 1;
  for (const list of wordsOf(sections.suffixes)) if (list >= lists) return 'suffixes';
  const kinds = kindsOfFragments(wordsOf(sections.chunks), sections['chunks.text']);
  if (kinds === undefined) return 'chunks.text';
  const rows = wordsOf(sections.variants);
  for (let at = 0; at < rows.length; at++)
    if (kinds[rows[at] as number] !== at % TEXT_FRAGMENTS) return 'variants';
  return undefined;
}

function areStarts(section: Buffer, bytes: Buffer): boolean {
  if (section.length % 4 !== 0 || section.length === 0) return false;
  const starts = wordsOf(section);
  for (let i = 1; i < starts.length; i++)
    if ((starts[i - 1] as number) >= (starts[i] as number)) return false;
  return starts[0] === 0 && starts[starts.length - 1] === bytes.length;
}

/** Per fragment: its place in a text, by how it begins and ends. */
function kindsOfFragments(starts: Uint32Array, text: Buffer): Uint8Array | undefined {
  const kinds = new Uint8Array(starts.length - 1);
  for (let fragment = 0; fragment < kinds.length; fragment++) {
    const start = starts[fragment] as number;
    const last = text[(starts[fragment + 1] as number) - 1];
    const first = text.toString('latin1', start, start + 2);
    const kind = FRAGMENTS.findIndex(
      ([begin, end]) => first === begin && last === end.charCodeAt(0),
    );
    if (kind < 0) return undefined;
    kinds[fragment] = kind;
  }
  return kinds;
}

export class AttributeSets {
  readonly #textOf: ConsecutiveGroups;
  readonly #texts: Uint32Array;
  readonly #fragments: Uint32Array;
  readonly #text: Buffer;
  readonly #listOf: Uint32Array;
  readonly #lists: Uint32Array;
  readonly #decisions: Buffer;
  /** Strings and views that are made on first use, because making them per answer is slower. */
  readonly #strings: (string | undefined)[];
  readonly #views: (Uint8Array | undefined)[];

  constructor(sections: Record<AttributeSection, Buffer>) {
    this.#textOf = new ConsecutiveGroups(sections['suffixes.variant']);
    this.#texts = wordsOf(sections.variants);
    this.#fragments = wordsOf(sections.chunks);
    this.#text = sections['chunks.text'];
    this.#listOf = wordsOf(sections.suffixes);
    this.#lists = wordsOf(sections['decisions.at']);
    this.#decisions = sections.decisions;
    this.#strings = new Array(this.#fragments.length - 1).fill(undefined);
    this.#views = new Array(this.#fragments.length - 1).fill(undefined);
  }

  json(set: number): string {
    const at = this.#textOf.of(set) * TEXT_FRAGMENTS;
    return this.#fragment(at) + this.#fragment(at + 1) + this.#fragment(at + 2);
  }

  fragments(set: number): [string, string, string] {
    const at = this.#textOf.of(set) * TEXT_FRAGMENTS;
    return [this.#fragment(at), this.#fragment(at + 1), this.#fragment(at + 2)];
  }

  textOf(set: number): number {
    return this.#textOf.of(set);
  }

  fragment(text: number, fragment: number): Uint8Array {
    const number = this.#texts[text * TEXT_FRAGMENTS + fragment] as number;
    let bytes = this.#views[number];
    if (bytes === undefined) {
      bytes = this.#text.subarray(this.#fragments[number], this.#fragments[number + 1]);
      this.#views[number] = bytes;
    }
    return bytes;
  }

  listOf(set: number): number {
    return this.#listOf[set] as number;
  }

  decisions(set: number): ReturnType<typeof decodeDecisions> {
    const list = this.listOf(set);
    return decodeDecisions(this.#decisions.subarray(this.#lists[list], this.#lists[list + 1]));
  }

  #fragment(at: number): string {
    const number = this.#texts[at] as number;
    let text = this.#strings[number];
    if (text === undefined) {
      text = this.#text.toString('latin1', this.#fragments[number], this.#fragments[number + 1]);
      this.#strings[number] = text;
    }
    return text;
  }
}
