/** The lines of a file, read a piece at a time so that no source has to fit into one string. */
import { closeSync, openSync, readSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';

const PIECE_BYTES = 1 << 20;

export function* readLines(path: string): Generator<string> {
  const file = openSync(path, 'r');
  try {
    const piece = Buffer.allocUnsafe(PIECE_BYTES);
    const decoder = new StringDecoder('utf8');
    let rest = '';
    for (;;) {
      const size = readSync(file, piece, 0, PIECE_BYTES, null);
      if (size === 0) break;
      const text = rest + decoder.write(piece.subarray(0, size));
      let start = 0;
      for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
        yield text.slice(start, text.charCodeAt(end - 1) === 13 ? end - 1 : end);
        start = end + 1;
      }
      rest = text.slice(start);
    }
    rest += decoder.end();
    if (rest !== '') yield rest;
  } finally {
    closeSync(file);
  }
}
