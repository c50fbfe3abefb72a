// The group of each item in a list, where the items of a group follow each other and every group
// has at least one. A quarter of a byte per item, and an answer from one place in the table:
//
//   u32 x 2   per 32 items: the number of groups that begin before them; a bit per item, set if a group begins with it
import { bytesOf, wordsOf } from './format.ts';

/** Items in the order of their groups; those of a group stay in their order. */
export function orderByGroup(groupOf: Uint32Array, groups: number): Uint32Array {
  const next = new Uint32Array(groups + 1);
  for (const group of groupOf) next[group + 1] = (next[group + 1] as number) + 1;
  for (let group = 0; group < groups; group++)
    next[group + 1] = (next[group + 1] as number) + (next[group] as number);
  const order = new Uint32Array(groupOf.length);
  groupOf.forEach((group, item) => {
    order[next[group] as number] = item;
    next[group] = (next[group] as number) + 1;
  });
  return order;
}

/** `groupOf`: per item its group, ascending from 0 without gaps. */
export function encodeGroups(groupOf: Uint32Array): Uint8Array {
  const table = new Uint32Array(Math.ceil(groupOf.length / 32) * 2);
  let begun = 0;
  for (let item = 0; item < groupOf.length; item++) {
    const at = (item >>> 5) * 2;
    if ((item & 31) === 0) table[at] = begun;
    const group = groupOf[item] as number;
    if (group === begun - 1) continue;
    if (group !== begun)
      throw new Error(`item ${item} is in group ${group}, and group ${begun} has no items`);
    table[at + 1] = (table[at + 1] as number) | (1 << (item & 31));
    begun++;
  }
  return bytesOf(table);
}

/** Whether the table has every item, and no group beyond the last one. */
export function checkGroups(bytes: Uint8Array, items: number, groups: number): boolean {
  if (bytes.length !== Math.ceil(items / 32) * 8) return false;
  const table = wordsOf(bytes);
  if (table.length > 0 && ((table[1] as number) & 1) === 0) return false;
  let begun = 0;
  for (let at = 0; at < table.length; at += 2) {
    if (table[at] !== begun) return false;
    begun += countBits(table[at + 1] as number);
  }
  return begun <= groups;
}

export class ConsecutiveGroups {
  readonly #table: Uint32Array;

  constructor(bytes: Uint8Array) {
    this.#table = wordsOf(bytes);
  }

  of(item: number): number {
    const at = (item >>> 5) * 2;
    const upToItem = (this.#table[at + 1] as number) & (0xffffffff >>> (31 - (item & 31)));
    return (this.#table[at] as number) + countBits(upToItem) - 1;
  }
}

/** The set bits of a 32-bit word, added up in pairs, then in fours, then in bytes. */
function countBits(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
