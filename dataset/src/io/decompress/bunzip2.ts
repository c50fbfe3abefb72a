/**
 * A bzip2 decoder: Node has none, and routing tables are published as `.bz2`. There is no official description of the
 * format; this follows what bzip2 1.0 writes.
 *
 *   file    one or more streams, each beginning on a byte boundary (pbzip2 writes one per block)
 *   stream  "BZh", level "1".."9" (blocks of level x 100,000 bytes), blocks, end
 *   block   48 bits 0x314159265359, CRC-32 of its output, 1 bit "randomised" (given up in 1999),
 *           24 bits start of the sorted block, a map of the bytes in use, Huffman tables, symbols
 *   end     48 bits 0x177245385090, CRC-32 over the CRCs of the blocks, up to 7 bits of padding
 *
 * Bits come most significant first. A block went through four steps, which are undone in the opposite order:
 *
 *   runs of 4 to 259 equal bytes -> 4 bytes and a count       `writeOutput`
 *   Burrows-Wheeler: sorted by what follows each byte         `linkBlock`
 *   move to front, runs of zeros as binary numbers            `readSymbols`
 *   Huffman, another table every 50 symbols                   `HuffmanTable`, `readSymbols`
 *
 * A whole block is needed before its first byte can be returned, so a truncated file yields its complete blocks.
 */

import { StreamError } from '../content.ts';
import { HuffmanTable, MAX_CODE_BITS, QUICK_BITS } from './bunzip2-huffman.ts';

const BLOCK_BYTES_PER_LEVEL = 100_000;
const SYMBOLS_PER_TABLE = 50;
/** More selectors than a block of 900,000 symbols can use are written by some encoders, and mean nothing. */
const MAX_SELECTORS = 18_002;
const RUN_B = 1;
const OUTPUT_BYTES = 1 << 18;

/**
 * Decodes the chunks of a file. A chunk that comes out is only valid until the next one is asked for, and so are those
 * that go in.
 */
export function* bunzip2(chunks: Iterable<Uint8Array>): Generator<Buffer> {
  const decoder = new Bunzip2(chunks);
  const output = Buffer.allocUnsafe(OUTPUT_BYTES);
  try {
    while (decoder.beginStream()) {
      while (decoder.beginBlock()) {
        for (let size = decoder.writeOutput(output); size > 0; size = decoder.writeOutput(output))
          yield output.subarray(0, size);
      }
    }
  } finally {
    decoder.close();
  }
}

class Bunzip2 {
  readonly #chunks: Iterator<Uint8Array>;
  #chunk: Uint8Array = new Uint8Array(0);
  #position = 0;
  /** The lowest `#bitCount` bits are read from the chunks and not yet used. */
  #bits = 0;
  #bitCount = 0;

  #isFirstStream = true;
  #streamCrc = 0;
  #blockBytes = 0;
  /** The low 8 bits of an entry are the byte in sorted order; the upper 24 are the entry that follows it. */
  #block = new Uint32Array(0);
  readonly #counts = new Int32Array(256);
  readonly #selectors = new Uint8Array(MAX_SELECTORS);
  #selectorCount = 0;

  #wantedCrc = 0;
  #crc = 0;
  #left = 0;
  #next = 0;
  #previous = -1;
  #run = 0;
  #repeats = 0;

  constructor(chunks: Iterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.iterator]();
  }

  /** Lets the chunks go, read to the end or not: they may come from an open file. */
  close(): void {
    this.#chunks.return?.();
  }

  /** Reads the head of a stream; false at the end of the file. */
  beginStream(): boolean {
    this.#bitCount -= this.#bitCount % 8;
    if (!this.#isFirstStream && this.#bitCount === 0 && !this.#hasMore()) return false;
    const [b, z, h, level] = [this.#read(8), this.#read(8), this.#read(8), this.#read(8) - 0x30];
    if (b !== 0x42 || z !== 0x5a || h !== 0x68 || level < 1 || level > 9) {
      throw new StreamError(
        this.#isFirstStream ? 'not a bzip2 stream' : 'damaged bzip2 stream: something else follows its end',
      );
    }
    this.#isFirstStream = false;
    this.#streamCrc = 0;
    this.#blockBytes = level * BLOCK_BYTES_PER_LEVEL;
    if (this.#block.length < this.#blockBytes) this.#block = new Uint32Array(this.#blockBytes);
    return true;
  }

  /** Reads a block, so that its output can be written; false at the end of the stream. */
  beginBlock(): boolean {
    const [high, low, crc] = [this.#read(24), this.#read(24), this.#read32()];
    if (high === 0x177245 && low === 0x385090) {
      if (crc !== this.#streamCrc) throw damaged('its checksum is another');
      return false;
    }
    if (high !== 0x314159 || low !== 0x265359) throw damaged('a block was expected');
    if (this.#read(1) === 1) throw new StreamError('a bzip2 stream from before 1999, with randomised blocks');
    const start = this.#read(24);
    const bytesInUse = this.#readBytesInUse();
    const tables = this.#readTables(bytesInUse.length + 2);
    const size = this.#readSymbols(bytesInUse, tables);
    if (start >= size) throw damaged('a block begins outside itself');
    this.#linkBlock(size);
    this.#wantedCrc = crc;
    this.#crc = -1;
    this.#left = size;
    this.#next = (this.#block[start] as number) >>> 8;
    this.#previous = -1;
    this.#run = 0;
    this.#repeats = 0;
    return true;
  }

  #readBytesInUse(): Uint8Array {
    const bytes = [];
    const rows = this.#read(16);
    for (let row = 0; row < 16; row++) {
      if ((rows & (0x8000 >> row)) === 0) continue;
      const columns = this.#read(16);
      for (let column = 0; column < 16; column++)
        if ((columns & (0x8000 >> column)) !== 0) bytes.push(row * 16 + column);
    }
    if (bytes.length === 0) throw damaged('a block without bytes');
    return Uint8Array.from(bytes);
  }

  #readTables(symbols: number): HuffmanTable[] {
    const tableCount = this.#read(3);
    const selectorCount = this.#read(15);
    if (tableCount < 2 || tableCount > 6 || selectorCount === 0) throw damaged('it names no Huffman tables');
    const recent = [0, 1, 2, 3, 4, 5];
    for (let i = 0; i < selectorCount; i++) {
      let age = 0;
      while (this.#read(1) === 1) if (++age >= tableCount) throw damaged('it names a Huffman table that is not there');
      const [selected = 0] = recent.splice(age, 1);
      recent.unshift(selected);
      if (i < MAX_SELECTORS) this.#selectors[i] = selected;
    }
    this.#selectorCount = Math.min(selectorCount, MAX_SELECTORS);
    const tables = [];
    for (let i = 0; i < tableCount; i++) {
      const table = HuffmanTable.fromLengths(this.#readCodeLengths(symbols));
      if (table === undefined) throw damaged('a Huffman table is impossible');
      tables.push(table);
    }
    return tables;
  }

  #readCodeLengths(symbols: number): Uint8Array {
    const lengths = new Uint8Array(symbols);
    let length = this.#read(5);
    for (let symbol = 0; symbol < symbols; symbol++) {
      for (;;) {
        if (length < 1 || length > MAX_CODE_BITS) throw damaged('a Huffman table is impossible');
        if (this.#read(1) === 0) break;
        length += this.#read(1) === 0 ? 1 : -1;
      }
      lengths[symbol] = length;
    }
    return lengths;
  }

  /**
   * Fills the low 8 bits of the block's entries, and counts the bytes. The one loop per symbol, hence the local copies.
   */
  #readSymbols(front: Uint8Array, tables: readonly HuffmanTable[]): number {
    const endOfBlock = front.length + 1;
    const block = this.#block;
    const counts = this.#counts.fill(0);
    const limit = this.#blockBytes;
    let chunk = this.#chunk;
    let position = this.#position;
    let bits = this.#bits;
    let bitCount = this.#bitCount;
    let size = 0;
    let run = 0;
    let runUnit = 1;

    for (let group = 0; group < this.#selectorCount; group++) {
      const table = tables[this.#selectors[group] as number] as HuffmanTable;
      const quick = table.quick;
      for (let i = 0; i < SYMBOLS_PER_TABLE; i++) {
        // 20 bits may be asked for at any time: after the last symbol of a block come at least 80 more.
        while (bitCount < MAX_CODE_BITS) {
          if (position === chunk.length) {
            chunk = this.#nextChunk();
            position = 0;
          }
          bits = (bits << 8) | (chunk[position++] as number);
          bitCount += 8;
        }
        const ahead = (bits >>> (bitCount - MAX_CODE_BITS)) & ((1 << MAX_CODE_BITS) - 1);
        let found = quick[ahead >>> (MAX_CODE_BITS - QUICK_BITS)] as number;
        if (found === 0) {
          found = table.find(ahead);
          if (found === 0) throw damaged('a code that stands for nothing');
        }
        bitCount -= found & 31;
        const symbol = found >>> 5;

        if (symbol <= RUN_B) {
          run += runUnit << symbol;
          runUnit <<= 1;
          if (run > limit - size) throw damaged('a block is longer than it may be');
          continue;
        }
        if (run > 0) {
          const byte = front[0] as number;
          block.fill(byte, size, size + run);
          counts[byte] = (counts[byte] as number) + run;
          size += run;
          run = 0;
          runUnit = 1;
        }
        if (symbol === endOfBlock) {
          this.#chunk = chunk;
          this.#position = position;
          this.#bits = bits;
          this.#bitCount = bitCount;
          return size;
        }
        if (size === limit) throw damaged('a block is longer than it may be');
        const index = symbol - 1;
        const byte = front[index] as number;
        if (index < 24) for (let k = index; k > 0; k--) front[k] = front[k - 1] as number;
        else front.copyWithin(1, 0, index);
        front[0] = byte;
        block[size++] = byte;
        counts[byte] = (counts[byte] as number) + 1;
      }
    }
    throw damaged('a block does not end');
  }

  /** Writes into the upper 24 bits of each entry which one follows it in the text. */
  #linkBlock(size: number): void {
    const block = this.#block;
    const places = this.#counts;
    let sum = 0;
    for (let byte = 0; byte < 256; byte++) {
      const count = places[byte] as number;
      places[byte] = sum;
      sum += count;
    }
    for (let i = 0; i < size; i++) {
      const byte = (block[i] as number) & 0xff;
      const place = places[byte] as number;
      places[byte] = place + 1;
      block[place] = (block[place] as number) | (i << 8);
    }
  }

  /** Writes what comes next of the block and says how much; 0 when there is no more of it. */
  writeOutput(output: Buffer): number {
    const block = this.#block;
    const end = output.length;
    let size = 0;
    let left = this.#left;
    let next = this.#next;
    let previous = this.#previous;
    let run = this.#run;
    let repeats = this.#repeats;

    for (;;) {
      if (repeats > 0) {
        const count = Math.min(repeats, end - size);
        output.fill(previous, size, size + count);
        size += count;
        repeats -= count;
      }
      if (left === 0 || size === end) break;
      const entry = block[next] as number;
      next = entry >>> 8;
      left--;
      const byte = entry & 0xff;
      if (run === 4) {
        repeats = byte;
        run = 0;
        continue;
      }
      run = byte === previous ? run + 1 : 1;
      previous = byte;
      output[size++] = byte;
    }

    this.#left = left;
    this.#next = next;
    this.#previous = previous;
    this.#run = run;
    this.#repeats = repeats;
    this.#crc = addToCrc(this.#crc, output, size);
    if (size === 0) this.#finishBlock();
    return size;
  }

  #finishBlock(): void {
    const crc = ~this.#crc >>> 0;
    if (crc !== this.#wantedCrc) throw damaged('the checksum of a block is another');
    this.#streamCrc = (((this.#streamCrc << 1) | (this.#streamCrc >>> 31)) ^ crc) >>> 0;
  }

  /** Up to 24 bits. */
  #read(count: number): number {
    while (this.#bitCount < count) {
      if (this.#position === this.#chunk.length) this.#nextChunk();
      this.#bits = (this.#bits << 8) | (this.#chunk[this.#position++] as number);
      this.#bitCount += 8;
    }
    this.#bitCount -= count;
    return (this.#bits >>> this.#bitCount) & ((1 << count) - 1);
  }

  #read32(): number {
    return ((this.#read(16) << 16) | this.#read(16)) >>> 0;
  }

  #nextChunk(): Uint8Array {
    this.#position = this.#chunk.length;
    if (!this.#hasMore()) throw new StreamError('truncated bzip2 stream');
    return this.#chunk;
  }

  #hasMore(): boolean {
    while (this.#position === this.#chunk.length) {
      const { done, value } = this.#chunks.next();
      if (done === true) return false;
      this.#chunk = value;
      this.#position = 0;
    }
    return true;
  }
}

function damaged(how: string): StreamError {
  return new StreamError(`damaged bzip2 stream: ${how}`);
}

/** CRC-32 with the polynomial of Ethernet, but most significant bit first, which is why zlib's does not serve. */
function addToCrc(crc: number, bytes: Uint8Array, size: number): number {
  for (let i = 0; i < size; i++) crc = (crc << 8) ^ (CRC_TABLE[(crc >>> 24) ^ (bytes[i] as number)] as number);
  return crc;
}

const CRC_TABLE = Int32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 24;
  for (let bit = 0; bit < 8; bit++) crc = crc < 0 ? (crc << 1) ^ 0x04c11db7 : crc << 1;
  return crc;
});
