/**
 * Numbers from 0 for pairs of numbers, in the order of their first use. A build asks for ten
 * million, which a map of texts or of maps answers in seconds. Members of a pair are taken modulo
 * 2^32: -1 is a member like others.
 */
export class PairNumbers {
  /** Both members of each pair. */
  #members = new Uint32Array(2 * 1024);
  /** An open hash table of numbers plus one; 0 is empty. At most half of it is used. */
  #slots = new Uint32Array(2 * 1024);
  #count = 0;

  of(first: number, second: number): number {
    const slot = this.#slotOf(first, second);
    const numberPlusOne = this.#slots[slot] as number;
    if (numberPlusOne !== 0) return numberPlusOne - 1;
    const number = this.#count++;
    if (2 * number === this.#members.length) this.#grow();
    this.#members[2 * number] = first;
    this.#members[2 * number + 1] = second;
    this.#slots[this.#slotOf(first, second)] = this.#count;
    return number;
  }

  /** Where the pair is, or would be. */
  #slotOf(first: number, second: number): number {
    const slots = this.#slots;
    const members = this.#members;
    const mask = slots.length - 1;
    // The multiplier of Fibonacci hashing; the upper bits of a product are the mixed ones.
    const mixed = Math.imul(Math.imul(first, 0x9e3779b1) ^ second, 0x9e3779b1);
    for (let slot = (mixed ^ (mixed >>> 15)) & mask; ; slot = (slot + 1) & mask) {
      const at = 2 * ((slots[slot] as number) - 1);
      if (at < 0 || (members[at] === first >>> 0 && members[at + 1] === second >>> 0)) return slot;
    }
  }

  #grow(): void {
    const members = this.#members;
    this.#members = new Uint32Array(2 * members.length);
    this.#members.set(members);
    this.#slots = new Uint32Array(2 * this.#slots.length);
    for (let at = 0; at < members.length; at += 2)
      this.#slots[this.#slotOf(members[at] as number, members[at + 1] as number)] = at / 2 + 1;
  }
}
