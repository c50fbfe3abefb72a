/** The form of every answer: `{ data, meta }`, and the headers that all answers share. */
import type { FastifyReply, FastifyRequest } from 'fastify';

export const JSON_TYPE = 'application/json; charset=utf-8';

/** Headers of every response of the API. Neither answers nor errors may be cached. */
export const COMMON_HEADERS = {
  'Content-Type': JSON_TYPE,
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
} as const;

export function elapsedMs(request: FastifyRequest): number {
  return Math.floor(performance.now() - request.startedMs);
}

export function envelope(request: FastifyRequest, data: object, meta: object = {}): { data: object; meta: object } {
  return { data, meta: { ...meta, processing_time_ms: elapsedMs(request) } };
}

/** Sends text that is already an envelope. */
export function sendJson(reply: FastifyReply, text: string | Buffer): FastifyReply {
  return reply.header('Content-Type', JSON_TYPE).send(text);
}
