// A cache of frequent records as JSON from the AS number on; copying takes a third of the time of
// assembling. Not the prefix: 16,384 records cover 50,000 random addresses, 16,384 prefixes 84%. A
// record takes its slot when written twice in a row, so that spread lookups do not fill the cache.
const SLOTS = 1 << 16;
/** Longer texts are not cached; the longest text of a common dataset has 430 bytes. */
const MAX_TEXT_BYTES = 512;
/**
 * Texts are next to each other: with a place of fixed size for each they would be on twice as many
 * pages.
 */
const BYTES = 8 << 20;

export class RecordTexts {
  // The system allocates only the pages that are used.
  readonly #bytes = Buffer.allocUnsafeSlow(BYTES);
  #used = 0;
  /**
   * Views, because a native copy from one takes 50 ns; a loop over 280 bytes takes three times as
   * long.
   */
  readonly #texts: (Uint8Array | undefined)[] = new Array(SLOTS).fill(undefined);
  /**
   * Per slot: the record whose text is cached, and the record that was last written. Record 0 is
   * unused.
   */
  readonly #kept = new Uint32Array(SLOTS);
  readonly #written = new Uint32Array(SLOTS);

  find(record: number): Uint8Array | undefined {
    const slot = record & (SLOTS - 1);
    return this.#kept[slot] === record ? this.#texts[slot] : undefined;
  }

  /** Called with the text of a record that was just assembled, which is in these bytes. */
  offer(record: number, bytes: Uint8Array, start: number, end: number): void {
    const slot = record & (SLOTS - 1);
    if (this.#written[slot] !== record) {
      this.#written[slot] = record;
      return;
    }
    const length = end - start;
    if (length > MAX_TEXT_BYTES) return;
    if (this.#used + length > BYTES) this.#clear();
    const at = this.#used;
    this.#used += length;
    const text = this.#bytes.subarray(at, at + length);
    text.set(bytes.subarray(start, end));
    this.#texts[slot] = text;
    this.#kept[slot] = record;
  }

  #clear(): void {
    this.#kept.fill(0);
    this.#texts.fill(undefined);
    this.#used = 0;
  }
}
