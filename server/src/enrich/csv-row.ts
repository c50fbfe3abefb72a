/**
 * Rows and cells of CSV (RFC 4180), read where they lie. A quote opens a cell only at its beginning; in a quoted cell two quotes are one
 * and line ends belong to it. Beyond the RFC, what follows a closing quote belongs to the cell, as other readers have it.
 */
import type { RecordEnd } from './record-stream.ts';

const QUOTE = 0x22;
const LF = 0x0a;

const AT_CELL_START = 0;
const IN_CELL = 1;
const IN_QUOTES = 2;
const BEHIND_QUOTE = 3;

/** Remembers between calls whether it stands inside quotes. */
export function rowEnd(delimiter: number): RecordEnd {
  let state = AT_CELL_START;
  return (bytes, from, to) => {
    for (let at = from; at < to; at++) {
      const byte = bytes[at] as number;
      if (state === IN_QUOTES) {
        // Of two quotes the first closes and the second opens again, which comes to the same.
        if (byte === QUOTE) state = BEHIND_QUOTE;
      } else if (byte === LF) {
        state = AT_CELL_START;
        return at + 1;
      } else if (byte === delimiter) state = AT_CELL_START;
      else if (byte === QUOTE && state !== IN_CELL) state = IN_QUOTES;
      else state = IN_CELL;
    }
    return -1;
  };
}

/** The cells of a row: how many, and where the content of one of them lies. */
export class CsvRow {
  count = 0;
  /** Content of the wanted cell, without its quotes. */
  start = 0;
  end = 0;

  /** `wanted` counts from 0. A row that has fewer cells leaves an empty content. */
  read(bytes: Buffer, start: number, end: number, delimiter: number, wanted: number): void {
    this.count = 0;
    this.start = end;
    this.end = end;
    let cellStart = start;
    for (;;) {
      const cellEnd = endOfCell(bytes, cellStart, end, delimiter);
      if (this.count === wanted) {
        this.start = contentStart(bytes, cellStart, cellEnd);
        this.end = contentEnd(bytes, cellStart, cellEnd);
      }
      this.count++;
      if (cellEnd === end) return;
      cellStart = cellEnd + 1;
    }
  }
}

/** The texts of all cells, for a header. */
export function cellTexts(bytes: Buffer, start: number, end: number, delimiter: number): string[] {
  const texts: string[] = [];
  for (let cellStart = start; ; ) {
    const cellEnd = endOfCell(bytes, cellStart, end, delimiter);
    const text = bytes.toString('utf8', contentStart(bytes, cellStart, cellEnd), contentEnd(bytes, cellStart, cellEnd));
    texts.push(text.replaceAll('""', '"'));
    if (cellEnd === end) return texts;
    cellStart = cellEnd + 1;
  }
}

function contentStart(bytes: Buffer, start: number, end: number): number {
  return start < end && bytes[start] === QUOTE ? start + 1 : start;
}

function contentEnd(bytes: Buffer, start: number, end: number): number {
  return end - start > 1 && bytes[start] === QUOTE && bytes[end - 1] === QUOTE ? end - 1 : end;
}

function endOfCell(bytes: Buffer, start: number, end: number, delimiter: number): number {
  let at = start;
  if (bytes[at] === QUOTE && at < end) {
    for (at++; at < end; at++) {
      if (bytes[at] !== QUOTE) continue;
      if (bytes[at + 1] !== QUOTE || at + 1 >= end) break;
      at++;
    }
  }
  while (at < end && bytes[at] !== delimiter) at++;
  return at;
}
