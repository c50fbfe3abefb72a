/**
 * The decompressed content of a feed, as lines, as one text or as binary pieces. Memory stays bounded whatever the feed
 * has: a line, a text and the number of lines have limits, and what exceeds them is a ContentError.
 */
import { closeSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';

/** The feed is too large to be read. The message completes "the feed was refused: …". */
export class ContentError extends Error {
  override name = 'ContentError';
}

export type Content = {
  /** For line-based formats: the feed need not fit into one string. Without LF, CRLF and byte order mark. */
  lines(): Iterable<string>;
  /** For formats that are a single JSON value. */
  text(): string;
  /** For binary formats. A piece is only valid until the next one is read. */
  pieces(): Iterable<Buffer>;
  /** A parser of a binary format stops with `tooManyRecords` at more; `lines` does so by itself. */
  readonly maxRecords: number;
};

const PIECE_BYTES = 1 << 20;
/** No format has lines of more than some kilobytes. */
const MAX_LINE_LENGTH = 1_000_000;
/** Parsed JSON can take ten times its size. The largest feed of this kind has 25 MB. */
const MAX_TEXT_BYTES = 64_000_000;
/** Beside its records a feed may have comments, blank lines and up to a tenth of rows that cannot be parsed. */
const linesFor = (maxRecords: number) => maxRecords * 1.2 + 1_000;

export function fileContent(path: string, maxRecords = Number.POSITIVE_INFINITY): Content {
  return {
    lines: () => linesOf(piecesOf(path), maxRecords),
    text: () => {
      checkTextSize(statSync(path).size);
      return withoutByteOrderMark(readFileSync(path, 'utf8'));
    },
    pieces: () => piecesOf(path),
    maxRecords,
  };
}

export function bytesContent(bytes: Buffer | string, maxRecords = Number.POSITIVE_INFINITY): Content {
  const buffer = Buffer.from(bytes);
  return {
    lines: () => linesOf([buffer], maxRecords),
    text: () => {
      checkTextSize(buffer.length);
      return withoutByteOrderMark(buffer.toString());
    },
    pieces: () => [buffer],
    maxRecords,
  };
}

export function tooManyRecords(maxRecords: number): ContentError {
  return new ContentError(`it has more than ${maxRecords.toLocaleString('en-US')} records`);
}

function checkTextSize(bytes: number): void {
  if (bytes > MAX_TEXT_BYTES)
    throw new ContentError(
      `it is one text of ${Math.ceil(bytes / 1e6)} MB, and at most ${MAX_TEXT_BYTES / 1e6} MB can be parsed`,
    );
}

function* piecesOf(path: string): Generator<Buffer> {
  const file = openSync(path, 'r');
  try {
    const piece = Buffer.allocUnsafe(PIECE_BYTES);
    for (;;) {
      const size = readSync(file, piece, 0, PIECE_BYTES, null);
      if (size === 0) return;
      yield piece.subarray(0, size);
    }
  } finally {
    closeSync(file);
  }
}

function* linesOf(pieces: Iterable<Buffer>, maxRecords: number): Generator<string> {
  const maxLines = linesFor(maxRecords);
  let lines = 0;
  const decoder = new StringDecoder('utf8');
  let rest = '';
  let isFirst = true;
  for (const piece of pieces) {
    let text = rest + decoder.write(piece);
    if (isFirst && text !== '') {
      text = withoutByteOrderMark(text);
      isFirst = false;
    }
    let start = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      if (++lines > maxLines) throw tooManyRecords(maxRecords);
      yield text.slice(start, text.charCodeAt(end - 1) === 13 ? end - 1 : end);
      start = end + 1;
    }
    rest = text.slice(start);
    if (rest.length > MAX_LINE_LENGTH) throw new ContentError('it has a line of more than a million characters');
  }
  rest += decoder.end();
  if (rest !== '') yield rest.endsWith('\r') ? rest.slice(0, -1) : rest;
}

function withoutByteOrderMark(text: string): string {
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}
