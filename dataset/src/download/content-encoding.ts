/**
 * Content codings (RFC 9110 §8.4.1). Requests ask for none, because lengths and ranges would be those of the encoded
 * body; servers that send one all the same are understood.
 */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { pipeline, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';

const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** Undefined where the body is as it is. */
export function contentCoding(headers: IncomingHttpHeaders): string | undefined {
  const coding = headers['content-encoding']?.trim().toLowerCase() ?? '';
  return coding === '' || coding === 'identity' ? undefined : coding;
}

export function isKnownCoding(coding: string): boolean {
  return Object.hasOwn(DECODERS, coding);
}

export function decodedBody(response: IncomingMessage): AsyncIterable<Buffer> {
  const decoder = DECODERS[contentCoding(response.headers) ?? ''];
  // Closes both when either ends. What goes wrong is thrown to the reader of the decoder.
  return decoder === undefined ? response : pipeline(response, decoder(), () => {});
}
