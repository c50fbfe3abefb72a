/**
 * A document that is the same for all clients until it is replaced: sent from memory with a tag, as
 * 304 to a client that has it, and compressed once.
 */
import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { compressor, type Encoding, encodingOf } from './compression.ts';
import { isNotModified, sendNotModified } from './conditional.ts';

/**
 * Done once per document and process: level 9 of brotli takes 60 ms for 500 kB, level 11 over a
 * second.
 */
const compress = compressor(9, 9);

export class StaticDocument {
  readonly #bytes: Buffer;
  readonly #etag: string;
  readonly #compressed: Partial<Record<Encoding, Promise<Buffer>>> = {};

  /** `state`: what the tag is made of, if not of the bytes. */
  constructor(bytes: Buffer, state: string | Buffer = bytes) {
    this.#bytes = bytes;
    this.#etag = `"${createHash('sha256').update(state).digest('base64url').slice(0, 22)}"`;
  }

  async send(
    request: FastifyRequest,
    reply: FastifyReply,
    { type, caching = 'no-cache' }: { readonly type: string; readonly caching?: string },
  ): Promise<FastifyReply> {
    const vary = reply.getHeader('Vary');
    reply
      .header('Content-Type', type)
      .header('Cache-Control', caching)
      .header('Vary', vary === undefined ? 'Accept-Encoding' : `${vary}, Accept-Encoding`);
    const encoding = encodingOf(request);
    // Each form has a tag of its own (RFC 9110 §8.8.3.3).
    const etag = encoding === undefined ? this.#etag : `${this.#etag.slice(0, -1)}-${encoding}"`;
    reply.header('ETag', etag);
    if (isNotModified(request.headers, etag, undefined)) return sendNotModified(reply);
    if (encoding === undefined) return reply.send(this.#bytes);
    this.#compressed[encoding] ??= compress[encoding](this.#bytes);
    const bytes = await this.#compressed[encoding];
    return reply.header('Content-Encoding', encoding).send(bytes);
  }
}
