/**
 * Content codings (RFC 9110 §8.4.1). Requests ask for none, because lengths and ranges would refer to the encoded body;
 * answers of servers that send one anyway are decoded.
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

/** Undefined if the body is not encoded. */
export function contentCoding(headers: IncomingHttpHeaders): string | undefined {
  const coding = headers['content-encoding']?.trim().toLowerCase() ?? '';
  return coding === '' || coding === 'identity' ? undefined : coding;
}

export function isKnownCoding(coding: string): boolean {
  return Object.hasOwn(DECODERS, coding);
}

export function decodedBody(response: IncomingMessage): AsyncIterable<Buffer> {
  const decoder = DECODERS[contentCoding(response.headers) ?? ''];
  // Closes both streams when either ends. Errors are thrown to the reader of the decoder.
  return decoder === undefined ? response : pipeline(response, decoder(), () => {});
}
