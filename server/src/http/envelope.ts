/** The form of every answer: `{ data, meta }`, and the headers that all answers share. */
import type { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';

const JSON_TYPE = 'application/json; charset=utf-8';

/** Headers of every response of the API. Neither answers nor errors may be cached. */
export const COMMON_HEADERS = {
  'Content-Type': JSON_TYPE,
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
} as const;

export function elapsedMs(request: Pick<FastifyRequest, 'startedMs'>): number {
  return Math.floor(performance.now() - request.startedMs);
}

export function envelope(request: FastifyRequest, data: object, meta: object = {}): { data: object; meta: object } {
  return { data, meta: { ...meta, processing_time_ms: elapsedMs(request) } };
}

export function sendJson(reply: FastifyReply, text: string | Buffer | Readable): FastifyReply {
  return reply.header('Content-Type', JSON_TYPE).send(text);
}

/** Sends `data` that is already JSON. Parsing it only to serialize it again would take too long. */
export function sendJsonData(request: FastifyRequest, reply: FastifyReply, ...data: Uint8Array[]): FastifyReply {
  const meta = `,"meta":{"processing_time_ms":${elapsedMs(request)}}}`;
  return sendJson(reply, Buffer.concat([Buffer.from('{"data":'), ...data, Buffer.from(meta)]));
}
