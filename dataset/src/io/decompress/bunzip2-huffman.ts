/**
 * A Huffman table of a bzip2 block. Only the lengths of the codes are written; the codes follow from them: counted up
 * within a length in the order of the symbols, shorter ones first.
 */
export const MAX_CODE_BITS = 20;

/**
 * Codes up to this long are found in one step. Nearly all that occur are, and the six tables still fit the first-level
 * cache.
 */
export const QUICK_BITS = 10;

export class HuffmanTable {
  /** For each beginning of QUICK_BITS bits `symbol << 5 | length`, or 0 where the code is longer. */
  readonly quick = new Uint16Array(1 << QUICK_BITS);
  /** Per length: the first code, how many there are, and where their symbols stand in `symbols`. */
  readonly #firsts = new Int32Array(MAX_CODE_BITS + 1);
  readonly #counts = new Int32Array(MAX_CODE_BITS + 1);
  readonly #offsets = new Int32Array(MAX_CODE_BITS + 1);
  readonly #symbols: Uint16Array;

  /** Undefined where so many codes of these lengths do not exist. */
  static fromLengths(lengths: Uint8Array): HuffmanTable | undefined {
    const table = new HuffmanTable(lengths);
    return table.#firsts.every((first, bits) => first + (table.#counts[bits] as number) <= 2 ** bits)
      ? table
      : undefined;
  }

  private constructor(lengths: Uint8Array) {
    this.#symbols = new Uint16Array(lengths.length);
    let code = 0;
    let offset = 0;
    for (let bits = 1; bits <= MAX_CODE_BITS; bits++) {
      this.#firsts[bits] = code;
      this.#offsets[bits] = offset;
      for (let symbol = 0; symbol < lengths.length; symbol++) {
        if (lengths[symbol] !== bits) continue;
        this.#symbols[offset++] = symbol;
        if (bits <= QUICK_BITS) {
          const spare = QUICK_BITS - bits;
          this.quick.fill((symbol << 5) | bits, code << spare, (code + 1) << spare);
        }
        code++;
      }
      this.#counts[bits] = code - (this.#firsts[bits] as number);
      code *= 2;
    }
  }

  /**
   * For codes longer than QUICK_BITS: the same as in `quick`, given MAX_CODE_BITS bits, or 0 where there is no such
   * code.
   */
  find(ahead: number): number {
    for (let bits = QUICK_BITS + 1; bits <= MAX_CODE_BITS; bits++) {
      const index = (ahead >>> (MAX_CODE_BITS - bits)) - (this.#firsts[bits] as number);
      if (index >= 0 && index < (this.#counts[bits] as number))
        return ((this.#symbols[(this.#offsets[bits] as number) + index] as number) << 5) | bits;
    }
    return 0;
  }
}
