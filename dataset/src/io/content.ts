// The decompressed content of a feed, as lines, text or chunks, with limits that bound the memory.
import { closeSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';

/** The feed is too large to be read. The message completes "the feed was refused: …". */
export class ContentError extends Error {
  override name = 'ContentError';
}

/** A compressed stream that cannot be read to its end. The message is written for the operator. */
export class StreamError extends Error {
  override readonly name = 'StreamError';
}

export type Content = {
  /**
   * For line-based formats: the feed need not fit into one string. Without LF, CRLF and byte order
   * mark.
   */
  lines(): Iterable<string>;
  text(): string;
  /** For binary formats. A chunk is only valid until the next one is read. */
  chunks(): Iterable<Buffer>;
};

const CHUNK_BYTES = 1 << 20;
/** Valid lines have a few kilobytes at most. */
const MAX_LINE_LENGTH = 1_000_000;
/** Parsed JSON can take ten times its size. The largest feed of this kind has 25 MB. */
const MAX_TEXT_BYTES = 64_000_000;
/**
 * Beside its records a feed may have comments, blank lines and up to a tenth of rows that cannot be
 * parsed.
 */
const linesFor = (maxRecords: number) => maxRecords * 1.2 + 1_000;

export function fileContent(path: string, maxRecords = Number.POSITIVE_INFINITY): Content {
  return contentOf(
    () => chunksOf(path),
    () => {
      checkTextSize(statSync(path).size);
      return readFileSync(path, 'utf8');
    },
    maxRecords,
  );
}

export function bytesContent(
  bytes: Buffer | string,
  maxRecords = Number.POSITIVE_INFINITY,
): Content {
  const buffer = Buffer.from(bytes);
  return contentOf(
    () => [buffer],
    () => {
      checkTextSize(buffer.length);
      return buffer.toString();
    },
    maxRecords,
  );
}

function contentOf(chunks: Content['chunks'], text: () => string, maxRecords: number): Content {
  return {
    chunks,
    text: () => withoutByteOrderMark(text()),
    lines: () => linesOf(chunks(), maxRecords),
  };
}

function checkTextSize(bytes: number): void {
  if (bytes > MAX_TEXT_BYTES)
    throw new ContentError(
      `it is one text of ${Math.ceil(bytes / 1e6)} MB, and at most ${MAX_TEXT_BYTES / 1e6} MB can be parsed`,
    );
}

function* chunksOf(path: string): Generator<Buffer> {
  const file = openSync(path, 'r');
  try {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    for (;;) {
      const size = readSync(file, chunk, 0, CHUNK_BYTES, null);
      if (size === 0) return;
      yield chunk.subarray(0, size);
    }
  } finally {
    closeSync(file);
  }
}

function* linesOf(chunks: Iterable<Buffer>, maxRecords: number): Generator<string> {
  const maxLines = linesFor(maxRecords);
  let lines = 0;
  const decoder = new StringDecoder('utf8');
  let rest = '';
  let isFirst = true;
  for (const chunk of chunks) {
    let text = rest + decoder.write(chunk);
    if (isFirst && text !== '') {
      text = withoutByteOrderMark(text);
      isFirst = false;
    }
    let start = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      if (++lines > maxLines)
        throw new ContentError(`it has more than ${maxRecords.toLocaleString('en-US')} records`);
      yield text.slice(start, text.charCodeAt(end - 1) === 13 ? end - 1 : end);
      start = end + 1;
    }
    rest = text.slice(start);
    if (rest.length > MAX_LINE_LENGTH)
      throw new ContentError('it has a line of more than a million characters');
  }
  rest += decoder.end();
  if (rest !== '') yield rest.endsWith('\r') ? rest.slice(0, -1) : rest;
}

function withoutByteOrderMark(text: string): string {
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}
