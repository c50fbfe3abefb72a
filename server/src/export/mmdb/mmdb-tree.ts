/**
 * The search tree of a MaxMind DB: one level per bit of an IPv6 address, two records per node. In
 * memory a record is 0 if empty, a node number, or a data index with the highest bit set. Node 0 is
 * the root, so no record points to it.
 *
 * In the file, with n nodes, the value of a record is
 *
 *   below n    a node           n    empty           above n    n + 16 + offset in the data section
 */
import { type Address, sharedBits } from '@whence/dataset/address';

/** Zero bytes between the tree and the data section. */
export const SEPARATOR_BYTES = 16;

const ADDRESS_BITS = 128;
const EMPTY = 0;
const DATA = 0x80000000;
const MAX_ITEMS = 0x7fffffff;
/** In `withData`. */
export const NO_DATA = -1;

export class SearchTree {
  #records = new Uint32Array(1 << 16);
  #nodes = 1;
  /**
   * The last prefix that was set, and the node at each depth above it: the next one shares most of
   * them.
   */
  #last: Address = { version: 6, w0: 0, w1: 0, w2: 0, w3: 0 };
  readonly #path = new Uint32Array(ADDRESS_BITS);
  #pathLength = 0;

  #networks = 0;

  get nodeCount(): number {
    return this.#nodes;
  }

  /** Prefixes with data, without the alias. */
  get networks(): number {
    return this.#networks;
  }

  /** Prefixes must not overlap. `base` is IPv6. */
  insert(base: Address, length: number, data: number): void {
    if (data > MAX_ITEMS) throw new RangeError('too many data records for a search tree');
    this.#set(base, length, DATA + data);
    this.#networks++;
  }

  /**
   * The same prefixes with data `dataOf[index]` or NO_DATA; equal neighbours are merged. Not after
   * `alias`.
   */
  withData(dataOf: Int32Array): SearchTree {
    const records = this.#records;
    // By node: what its parent has in its place. Itself, or the one record that both of its halves
    // have.
    const merged = new Uint32Array(this.#nodes);
    const newRecord = (record: number) => {
      if (record === EMPTY) return EMPTY;
      if (record < DATA) return merged[record] as number;
      const data = dataOf[record - DATA] as number;
      return data === NO_DATA ? EMPTY : DATA + data;
    };
    let count = 1;
    for (let node = this.#nodes - 1; node > 0; node--) {
      const left = newRecord(records[node * 2] as number);
      const isOne = left === newRecord(records[node * 2 + 1] as number);
      merged[node] = isOne ? left : node;
      if (!isOne) count++;
    }
    const tree = new SearchTree();
    tree.#records = new Uint32Array(count * 2);
    tree.#nodes = count;
    const numbers = new Uint32Array(this.#nodes);
    let next = 1;
    for (let node = 1; node < numbers.length; node++)
      if (merged[node] === node) numbers[node] = next++;
    for (let node = 0; node < numbers.length; node++) {
      if (node > 0 && merged[node] !== node) continue;
      for (let half = 0; half < 2; half++) {
        const record = newRecord(records[node * 2 + half] as number);
        if (record >= DATA) tree.#networks++;
        tree.#records[(numbers[node] as number) * 2 + half] =
          record === EMPTY || record >= DATA ? record : (numbers[record] as number);
      }
    }
    return tree;
  }

  alias(base: Address, length: number, target: Address): void {
    const record = this.#recordOf(target, length);
    if (record !== EMPTY) this.#set(base, length, record);
  }

  encode(
    dataOffsets: readonly number[],
    dataBytes: number,
  ): { bytes: Buffer; recordBits: 24 | 28 | 32 } {
    const recordBits = recordBitsFor(this.#nodes + SEPARATOR_BYTES + dataBytes);
    const nodeBytes = recordBits / 4;
    const bytes = Buffer.allocUnsafe(this.#nodes * nodeBytes);
    for (let node = 0; node < this.#nodes; node++) {
      const left = this.#resolve(node * 2, dataOffsets);
      const right = this.#resolve(node * 2 + 1, dataOffsets);
      writeNode(bytes, node * nodeBytes, recordBits, left, right);
    }
    return { bytes, recordBits };
  }

  #resolve(at: number, dataOffsets: readonly number[]): number {
    const record = this.#records[at] as number;
    if (record === EMPTY) return this.#nodes;
    return record < DATA
      ? record
      : this.#nodes + SEPARATOR_BYTES + (dataOffsets[record - DATA] as number);
  }

  #set(base: Address, length: number, record: number): void {
    if (length === 0) throw new RangeError('a search tree cannot hold a prefix of length 0');
    const sharedDepth = Math.min(sharedBits(this.#last, base), this.#pathLength, length - 1);
    let node = this.#path[sharedDepth] as number;
    for (let depth = sharedDepth; depth < length - 1; depth++) {
      const at = node * 2 + bitAt(base, depth);
      const next = this.#records[at] as number;
      if (next >= DATA) throw new RangeError('overlapping prefixes in a search tree');
      node = next === EMPTY ? this.#addNode(at) : next;
      this.#path[depth + 1] = node;
    }
    this.#last = base;
    this.#pathLength = length - 1;
    const at = node * 2 + bitAt(base, length - 1);
    if (this.#records[at] !== EMPTY) throw new RangeError('overlapping prefixes in a search tree');
    this.#records[at] = record;
  }

  #recordOf(base: Address, length: number): number {
    let node = 0;
    for (let depth = 0; depth < length; depth++) {
      const next = this.#records[node * 2 + bitAt(base, depth)] as number;
      if (next === EMPTY || next >= DATA) return next;
      node = next;
    }
    return node;
  }

  #addNode(at: number): number {
    if (this.#nodes * 2 === this.#records.length) {
      const larger = new Uint32Array(this.#records.length * 2);
      larger.set(this.#records);
      this.#records = larger;
    }
    this.#records[at] = this.#nodes;
    return this.#nodes++;
  }
}

export function recordBitsFor(limit: number): 24 | 28 | 32 {
  if (limit < 2 ** 24) return 24;
  if (limit < 2 ** 28) return 28;
  if (limit < 2 ** 32) return 32;
  throw new RangeError('the dataset is too large for a MaxMind DB');
}

function writeNode(
  bytes: Buffer,
  at: number,
  bits: 24 | 28 | 32,
  left: number,
  right: number,
): void {
  if (bits === 32) {
    bytes.writeUInt32BE(left, at);
    bytes.writeUInt32BE(right, at + 4);
    return;
  }
  bytes.writeUIntBE(left & 0xffffff, at, 3);
  if (bits === 28) bytes[at + 3] = ((left >>> 24) << 4) | (right >>> 24);
  bytes.writeUIntBE(right & 0xffffff, at + (bits === 28 ? 4 : 3), 3);
}

function bitAt({ w0, w1, w2, w3 }: Address, depth: number): number {
  let word = w3;
  if (depth < 32) word = w0;
  else if (depth < 64) word = w1;
  else if (depth < 96) word = w2;
  return (word >>> (31 - (depth & 31))) & 1;
}
