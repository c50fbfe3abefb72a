/** Answers of the dashboard that are large enough are compressed, where the browser accepts it. */
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';

export type Encoding = 'br' | 'gzip';

/** Smaller answers fit into one packet anyway. */
const MIN_BYTES = 1_000;
/** Levels of brotli and gzip. */
export const compressor = (
  quality: number,
  level: number,
): Record<Encoding, (bytes: Buffer) => Promise<Buffer>> => ({
  br: (bytes) =>
    promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } }),
  gzip: (bytes) => promisify(gzip)(bytes, { level }),
});
/** Answers are compressed while a person waits: level 4 of brotli takes 1 ms for 100 kB. */
const compress = compressor(4, 6);

/**
 * A hook. Streams are files that people keep; an answer with a CSRF token must not have a size that
 * depends on it (BREACH).
 */
export async function compressAnswer(
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
): Promise<unknown> {
  if (typeof payload !== 'string' && !Buffer.isBuffer(payload)) return payload;
  if (typeof payload === 'string' && payload.includes('"csrf_token"')) return payload;
  const bytes = Buffer.from(payload);
  const encoding = bytes.length < MIN_BYTES ? undefined : encodingOf(request);
  if (
    encoding === undefined ||
    !String(reply.getHeader('Content-Type')).startsWith('application/json')
  )
    return payload;
  const vary = reply.getHeader('Vary');
  reply.header('Vary', vary === undefined ? 'Accept-Encoding' : `${vary}, Accept-Encoding`);
  reply.header('Content-Encoding', encoding).removeHeader('Content-Length');
  return compress[encoding](bytes);
}

export function encodingOf({ headers }: Pick<FastifyRequest, 'headers'>): Encoding | undefined {
  const accepted = String(headers['accept-encoding'] ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => !/;\s*q=0(\.0*)?$/.test(part))
    .map((part) => part.split(';', 1)[0]);
  if (accepted.includes('br')) return 'br';
  return accepted.includes('gzip') ? 'gzip' : undefined;
}
