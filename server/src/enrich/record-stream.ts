// Splits a byte stream into records: lines, or rows of CSV. The input is copied unchanged; a record
// above MAX_RECORD_BYTES as it arrives, so memory is bounded by one chunk and one record.
import type { Counts } from './counts.ts';
import type { OutputBuffer } from './output-buffer.ts';

export const MAX_RECORD_BYTES = 64 << 20;

/** Inserts into the record start..end, after copying the input up to that place with `copyTo`. */
export type RecordWriter = (
  bytes: Buffer,
  start: number,
  end: number,
  output: OutputBuffer,
) => void;

/**
 * The position after the line break that ends a record, or -1; the next call continues after these
 * bytes.
 */
export type RecordEndFinder = (bytes: Buffer, from: number) => number;

const LF = 0x0a;
const CR = 0x0d;

export const findLineEnd: RecordEndFinder = (bytes, from) => {
  const at = bytes.indexOf(LF, from);
  return at < 0 ? -1 : at + 1;
};

export class RecordStream {
  readonly #findEnd: RecordEndFinder;
  readonly #write: RecordWriter;
  readonly #counts: Counts;
  readonly #output: OutputBuffer;
  /**
   * The start of an incomplete record. Doubles when full, so that long lines are not copied for
   * every chunk.
   */
  #pending = Buffer.allocUnsafeSlow(1 << 16);
  #pendingLength = 0;
  #isPassingThrough = false;

  readonly #maxRecordBytes: number;

  constructor(
    findEnd: RecordEndFinder,
    write: RecordWriter,
    counts: Counts,
    output: OutputBuffer,
    maxRecordBytes = MAX_RECORD_BYTES,
  ) {
    this.#maxRecordBytes = maxRecordBytes;
    this.#findEnd = findEnd;
    this.#write = write;
    this.#counts = counts;
    this.#output = output;
  }

  feed(chunk: Buffer): void {
    let scanned = this.#pendingLength;
    const bytes = scanned === 0 ? chunk : this.#pendingWith(chunk);
    this.#output.startSource(bytes);
    let start = 0;
    for (;;) {
      const end = this.#findEnd(bytes, scanned);
      if (end < 0) break;
      this.#record(bytes, start, end);
      start = end;
      scanned = end;
    }
    this.#setPending(bytes, start);
  }

  /** The rest of the input is a record without a line break. */
  end(): void {
    if (this.#pendingLength === 0) return;
    // A writer may look at the bytes after a record; behind the last one there are those of an
    // earlier chunk.
    const last = this.#pending.subarray(0, this.#pendingLength);
    this.#output.startSource(last);
    this.#record(last, 0, this.#pendingLength);
    this.#output.copyTo(this.#pendingLength);
    this.#pendingLength = 0;
  }

  #record(bytes: Buffer, start: number, end: number): void {
    if (this.#isPassingThrough || end - start > this.#maxRecordBytes) {
      if (!this.#isPassingThrough) this.#startPassingThrough();
      this.#isPassingThrough = false;
      return;
    }
    this.#counts.lines++;
    let contentEnd = end;
    if (bytes[contentEnd - 1] === LF) {
      contentEnd--;
      if (contentEnd > start && bytes[contentEnd - 1] === CR) contentEnd--;
    }
    this.#write(bytes, start, contentEnd, this.#output);
  }

  #setPending(bytes: Buffer, start: number): void {
    if (this.#isPassingThrough || bytes.length - start > this.#maxRecordBytes) {
      if (!this.#isPassingThrough) this.#startPassingThrough();
      this.#output.copyTo(bytes.length);
      this.#pendingLength = 0;
      return;
    }
    this.#output.copyTo(start);
    this.#pendingLength = 0;
    this.#appendPending(bytes, start);
  }

  #pendingWith(chunk: Buffer): Buffer {
    this.#appendPending(chunk, 0);
    return this.#pending.subarray(0, this.#pendingLength);
  }

  #appendPending(bytes: Buffer, start: number): void {
    const length = this.#pendingLength + bytes.length - start;
    if (length > this.#pending.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(length, this.#pending.length * 2));
      this.#pending.copy(larger, 0, 0, this.#pendingLength);
      this.#pending = larger;
    }
    // `bytes` may be a view of the pending buffer; a native copy handles the overlap.
    bytes.copy(this.#pending, this.#pendingLength, start);
    this.#pendingLength = length;
  }

  #startPassingThrough(): void {
    this.#isPassingThrough = true;
    this.#counts.lines++;
    this.#counts.too_long++;
  }
}
