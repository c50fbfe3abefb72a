// Blocks of whole records of a file. Threads take them in order, each with its own reads, and write their results in the
// same order. A thread that reads and hands out blocks would be one more than there are cores.
import { readSync } from 'node:fs';
import { BLOCK_BYTES, type RecordBlock, type RecordEnds } from './record-blocks.ts';
import { MAX_RECORD_BYTES } from './record-stream.ts';

/** `memory` says what the threads have taken and written. Without a descriptor, blocks are not taken here. */
export type SharedFile = { readonly descriptor: number | undefined; readonly memory: SharedArrayBuffer };
/** Blocks are written in the order of their tickets. */
export type TakenBlock = RecordBlock & { readonly ticket: number };

// Three numbers of four bytes; from byte 16 on, two positions in the file.
const [LOCK, TAKEN, WRITTEN] = [0, 1, 2];
const [NEXT, LONG_RECORD_END] = [0, 1];
const POSITIONS_AT = 16;
const AT_END = -1;

export function shareFile(descriptor: number | undefined, start: number): SharedFile {
  const memory = new SharedArrayBuffer(POSITIONS_AT + 16);
  new Float64Array(memory, POSITIONS_AT)[NEXT] = start;
  return { descriptor, memory };
}

type Limits = { readonly blockBytes?: number; readonly maxRecordBytes?: number };

export class FileBlocks {
  readonly #descriptor: number | undefined;
  readonly #numbers: Int32Array;
  readonly #positions: Float64Array;
  readonly #ends: () => RecordEnds;
  readonly #block: Buffer;
  readonly #maxRecordBytes: number;

  /** `ends` returns new finders. */
  constructor(
    { descriptor, memory }: SharedFile,
    ends: () => RecordEnds,
    { blockBytes = BLOCK_BYTES, maxRecordBytes = MAX_RECORD_BYTES }: Limits = {},
  ) {
    this.#descriptor = descriptor;
    this.#numbers = new Int32Array(memory, 0, 3);
    this.#positions = new Float64Array(memory, POSITIONS_AT);
    this.#ends = ends;
    this.#block = Buffer.allocUnsafeSlow(blockBytes);
    this.#maxRecordBytes = maxRecordBytes;
  }

  /** Undefined at the end. The next call overwrites the bytes. */
  take(): TakenBlock | undefined {
    while (Atomics.compareExchange(this.#numbers, LOCK, 0, 1) !== 0) Atomics.wait(this.#numbers, LOCK, 1);
    try {
      const block = this.#next();
      return block && { ...block, ticket: this.newTicket() };
    } finally {
      Atomics.store(this.#numbers, LOCK, 0);
      Atomics.notify(this.#numbers, LOCK, 1);
    }
  }

  newTicket(): number {
    return Atomics.add(this.#numbers, TAKEN, 1);
  }

  /** Waits until the blocks before are written. */
  waitForTurn(ticket: number): void {
    for (;;) {
      const written = Atomics.load(this.#numbers, WRITTEN);
      if (written === ticket) return;
      Atomics.wait(this.#numbers, WRITTEN, written);
    }
  }

  endTurn(): void {
    Atomics.add(this.#numbers, WRITTEN, 1);
    Atomics.notify(this.#numbers, WRITTEN);
  }

  #next(): RecordBlock | undefined {
    const start = this.#positions[NEXT] as number;
    if (start === AT_END) return undefined;
    const longEnd = this.#positions[LONG_RECORD_END] as number;
    if (start < longEnd) {
      const part = this.#block.subarray(0, Math.min(this.#block.length, longEnd - start));
      const length = this.#fill(part, 0, start);
      this.#positions[NEXT] = length < part.length ? AT_END : start + length;
      return length === 0 ? undefined : { kind: 'too-long', bytes: part.subarray(0, length), isStart: false };
    }
    const ends = this.#ends();
    let block = this.#block;
    let length = this.#fill(block, 0, start);
    let end = ends.last(block, 0, length);
    while (end < 0 && length === block.length && length <= this.#maxRecordBytes) {
      const larger = Buffer.allocUnsafeSlow(Math.min(2 * length, this.#maxRecordBytes + 1));
      block.copy(larger);
      const searched = length;
      length = this.#fill(larger, searched, start);
      block = larger;
      end = ends.last(block, searched, length);
    }
    // The last record may have no line break.
    const isLast = length < block.length;
    if (isLast) end = length;
    else if (end < 0) this.#positions[LONG_RECORD_END] = this.#endOfLong(ends, start + length);
    // Even if the file grows.
    this.#positions[NEXT] = isLast ? AT_END : start + (end < 0 ? length : end);
    if (end < 0) return { kind: 'too-long', bytes: block, isStart: true };
    return end === 0 ? undefined : { kind: 'records', bytes: block.subarray(0, end) };
  }

  #endOfLong(ends: RecordEnds, from: number): number {
    for (let position = from; ; ) {
      // New for each read, by which the finder of CSV tells that its content is new.
      const chunk = Buffer.allocUnsafeSlow(BLOCK_BYTES);
      const length = this.#fill(chunk, 0, position);
      const end = ends.first(chunk, 0, length);
      if (end >= 0) return position + end;
      if (length < chunk.length) return Number.POSITIVE_INFINITY;
      position += length;
    }
  }

  /** Returns the number of bytes in `target`: fewer than fit at the end of the file. */
  #fill(target: Buffer, from: number, start: number): number {
    let length = from;
    while (length < target.length) {
      const read = readSync(this.#descriptor as number, target, length, target.length - length, start + length);
      if (read === 0) break;
      length += read;
    }
    return length;
  }
}
