// CSV rows and cells (RFC 4180), read in place. A quote opens a quoted cell only at its start.
// Beyond the RFC, text after a closing quote belongs to the cell, as in other readers.
import type { RecordEndFinder } from '../record-stream.ts';

const QUOTE = 0x22;
const LF = 0x0a;

const AT_CELL_START = 0;
const IN_CELL = 1;
const IN_QUOTES = 2;
const AFTER_QUOTE = 3;

/** After a quote, this many bytes are read one by one: more quotes are likely. */
const QUOTED_BYTES = 4096;

/**
 * The finder keeps its quoting state between calls. A row without quotes ends at the next line
 * break.
 */
export function rowEndFinder(delimiter: number): RecordEndFinder {
  let state = AT_CELL_START;
  /** Where the first quote is in the bytes of the last calls, and how far that is known to help. */
  let bytesSearched: Buffer | undefined;
  let quote = 0;
  let searchAgainAt = 0;
  return (bytes, from) => {
    if (bytes !== bytesSearched || from >= searchAgainAt) {
      bytesSearched = bytes;
      quote = bytes.indexOf(QUOTE, from);
      if (quote < 0) quote = bytes.length;
      searchAgainAt = quote + QUOTED_BYTES;
    }
    if (state !== IN_QUOTES && from < quote) {
      const lineBreak = bytes.indexOf(LF, from);
      if (lineBreak >= 0 && lineBreak < quote) {
        state = AT_CELL_START;
        return lineBreak + 1;
      }
    }
    for (let at = from; at < bytes.length; at++) {
      const byte = bytes[at] as number;
      if (state === IN_QUOTES) {
        // A doubled quote closes the cell and opens it again, which has the same effect.
        if (byte === QUOTE) state = AFTER_QUOTE;
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

/** The number of cells in a row, and the position of one cell's content. */
export class CsvRow {
  count = 0;
  /** Content of the requested cell, without its quotes. */
  start = 0;
  end = 0;

  /** `column` counts from 0. If the row has fewer cells, the content is empty. */
  read(bytes: Buffer, start: number, end: number, delimiter: number, column: number): void {
    this.count = 0;
    this.start = end;
    this.end = end;
    let cellStart = start;
    for (;;) {
      const cellEnd = findCellEnd(bytes, cellStart, end, delimiter);
      if (this.count === column) {
        this.start = contentStart(bytes, cellStart, cellEnd);
        this.end = contentEnd(bytes, cellStart, cellEnd);
      }
      this.count++;
      if (cellEnd === end) return;
      cellStart = cellEnd + 1;
    }
  }
}

export function cellTexts(bytes: Buffer, start: number, end: number, delimiter: number): string[] {
  const texts: string[] = [];
  for (let cellStart = start; ; ) {
    const cellEnd = findCellEnd(bytes, cellStart, end, delimiter);
    const text = bytes.toString(
      'utf8',
      contentStart(bytes, cellStart, cellEnd),
      contentEnd(bytes, cellStart, cellEnd),
    );
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

function findCellEnd(bytes: Buffer, start: number, end: number, delimiter: number): number {
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
