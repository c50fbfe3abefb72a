/** The content of a feed, uncompressed, in whichever pieces its parser wants. */
import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';

export type Content = {
  /** For anything of lines: no feed has to fit into one string. Line ends of both kinds are taken off, and a byte order mark. */
  lines(): Iterable<string>;
  /** For formats that are one JSON value. */
  text(): string;
  /** For binary formats. A piece is only valid until the next one is asked for. */
  pieces(): Iterable<Buffer>;
};

const PIECE_BYTES = 1 << 20;

export function fileContent(path: string): Content {
  return {
    lines: () => linesOf(piecesOf(path)),
    text: () => withoutMark(readFileSync(path, 'utf8')),
    pieces: () => piecesOf(path),
  };
}

export function bytesContent(bytes: Buffer | string): Content {
  const buffer = Buffer.from(bytes);
  return { lines: () => linesOf([buffer]), text: () => withoutMark(buffer.toString()), pieces: () => [buffer] };
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

function* linesOf(pieces: Iterable<Buffer>): Generator<string> {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  let isFirst = true;
  for (const piece of pieces) {
    let text = rest + decoder.write(piece);
    if (isFirst && text !== '') {
      text = withoutMark(text);
      isFirst = false;
    }
    let start = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      yield text.slice(start, text.charCodeAt(end - 1) === 13 ? end - 1 : end);
      start = end + 1;
    }
    rest = text.slice(start);
  }
  rest += decoder.end();
  if (rest !== '') yield rest.endsWith('\r') ? rest.slice(0, -1) : rest;
}

function withoutMark(text: string): string {
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}
