// What precedes each value of the last line: brace or comma, name and colon. Lines of a log mostly
// repeat it, so comparing words replaces parsing; what was valid there is valid wherever a member
// may begin.
import type { PathNode } from './field-paths.ts';

const MAX_MEMBERS = 64;
const MAX_WORDS = 8;
const WORD_BYTES = 4;
export const UNKNOWN = -1;

export class KnownMembers {
  child: PathNode | undefined;
  /** The number of the next member in the line, at any depth. */
  #next = 0;
  /** In bytes; 0 if the text is not known. One more, so that there is none after the last. */
  readonly #lengths = new Uint8Array(MAX_MEMBERS + 1);
  readonly #words = new Int32Array(MAX_MEMBERS * MAX_WORDS);
  /** The node of the object, on which the node of the member depends. */
  readonly #parents: (PathNode | undefined)[] = new Array(MAX_MEMBERS).fill(undefined);
  readonly #children: (PathNode | undefined)[] = new Array(MAX_MEMBERS).fill(undefined);

  startLine(): void {
    this.#next = 0;
  }

  /**
   * The position after the colon if the next member begins at `at` with the same text as in the
   * last line, else UNKNOWN.
   */
  after(view: DataView, at: number, end: number, parent: PathNode | undefined): number {
    const member = this.#next;
    const length = this.#lengths[member] as number;
    const textEnd = at + length;
    if (length === 0 || textEnd > end || this.#parents[member] !== parent) return UNKNOWN;
    const words = this.#words;
    const last = textEnd - WORD_BYTES;
    let word = member * MAX_WORDS;
    for (let from = at; from < last; from += WORD_BYTES)
      if (view.getInt32(from, true) !== words[word++]) return UNKNOWN;
    // Overlaps the word before it, so that no bytes are left over.
    if (view.getInt32(last, true) !== words[word]) return UNKNOWN;
    this.#next = member + 1;
    this.child = this.#children[member];
    return textEnd;
  }

  /**
   * The text of the next member is that from `at` to `textEnd`; it is not kept if it is empty or
   * long.
   */
  learn(
    view: DataView,
    at: number,
    textEnd: number,
    parent: PathNode | undefined,
    child: PathNode | undefined,
  ): void {
    this.child = child;
    const member = this.#next;
    if (member === MAX_MEMBERS) return;
    this.#next = member + 1;
    const length = textEnd - at;
    this.#lengths[member] = length > MAX_WORDS * WORD_BYTES ? 0 : length;
    if (this.#lengths[member] === 0) return;
    const last = textEnd - WORD_BYTES;
    let word = member * MAX_WORDS;
    for (let from = at; from < last; from += WORD_BYTES)
      this.#words[word++] = view.getInt32(from, true);
    this.#words[word] = view.getInt32(last, true);
    this.#parents[member] = parent;
    this.#children[member] = child;
  }
}
