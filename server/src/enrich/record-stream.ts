/**
 * A stream of bytes cut into lines, or into rows of CSV, which may hold line ends. Each is handed to its writer without its line end, and the
 * line end is passed on as it was. What is longer than a line may be is passed on as it comes, so that no input makes us keep more than a piece and a line.
 */
import type { Counts } from './counts.ts';
import type { OutputBuffer } from './output-buffer.ts';

export const MAX_RECORD_BYTES = 1_000_000;

/** Adds the record start..end to the output, with or without an insertion. */
export type RecordWriter = (bytes: Buffer, start: number, end: number, output: OutputBuffer) => void;

/** Finds the position behind the line end that ends a record, or -1 when it has seen all up to `to`; goes on from there the next time. */
export type RecordEnd = (bytes: Buffer, from: number, to: number) => number;

const LF = 0x0a;
const CR = 0x0d;

export const lineEnd: RecordEnd = (bytes, from, to) => {
  const at = bytes.indexOf(LF, from);
  return at < 0 || at >= to ? -1 : at + 1;
};

export class RecordStream {
  readonly #findEnd: RecordEnd;
  readonly #write: RecordWriter;
  readonly #counts: Counts;
  readonly #output: OutputBuffer;
  /** The beginning of a record whose end has not come yet. Doubled when it is full, so that a line in a million pieces is not copied a million times. */
  #kept = Buffer.allocUnsafeSlow(1 << 16);
  #keptLength = 0;
  #isPassing = false;

  constructor(findEnd: RecordEnd, write: RecordWriter, counts: Counts, output: OutputBuffer) {
    this.#findEnd = findEnd;
    this.#write = write;
    this.#counts = counts;
    this.#output = output;
  }

  feed(chunk: Buffer): void {
    let scanned = this.#keptLength;
    const bytes = scanned === 0 ? chunk : this.#joined(chunk);
    let start = 0;
    for (;;) {
      const end = this.#findEnd(bytes, scanned, bytes.length);
      if (end < 0) break;
      this.#record(bytes, start, end);
      start = end;
      scanned = end;
    }
    this.#keep(bytes, start);
  }

  /** What is left when the input has ended is a record without line end. */
  end(): void {
    if (this.#keptLength > 0) this.#record(this.#kept, 0, this.#keptLength);
    this.#keptLength = 0;
  }

  #record(bytes: Buffer, start: number, end: number): void {
    if (this.#isPassing || end - start > MAX_RECORD_BYTES) {
      if (!this.#isPassing) this.#startPassing();
      this.#output.append(bytes, start, end);
      this.#isPassing = false;
      return;
    }
    this.#counts.lines++;
    let contentEnd = end;
    if (bytes[contentEnd - 1] === LF) {
      contentEnd--;
      if (contentEnd > start && bytes[contentEnd - 1] === CR) contentEnd--;
    }
    this.#write(bytes, start, contentEnd, this.#output);
    this.#output.append(bytes, contentEnd, end);
  }

  #keep(bytes: Buffer, start: number): void {
    if (this.#isPassing || bytes.length - start > MAX_RECORD_BYTES) {
      if (!this.#isPassing) this.#startPassing();
      this.#output.append(bytes, start, bytes.length);
      this.#keptLength = 0;
      return;
    }
    this.#keptLength = 0;
    this.#appendKept(bytes, start);
  }

  #joined(chunk: Buffer): Buffer {
    this.#appendKept(chunk, 0);
    return this.#kept.subarray(0, this.#keptLength);
  }

  #appendKept(bytes: Buffer, start: number): void {
    const length = this.#keptLength + bytes.length - start;
    if (length > this.#kept.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(length, this.#kept.length * 2));
      this.#kept.copy(larger, 0, 0, this.#keptLength);
      this.#kept = larger;
    }
    // `bytes` may be what was kept before; a native copy gets an overlap right.
    bytes.copy(this.#kept, this.#keptLength, start);
    this.#keptLength = length;
  }

  #startPassing(): void {
    this.#isPassing = true;
    this.#counts.lines++;
    this.#counts.too_long++;
  }
}
