/** The form of every answer, `{ data, meta }`, and the headers that all answers share. */
import type { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ApiError } from './errors.ts';

export const JSON_TYPE = 'application/json; charset=utf-8';

/** Headers of every response of the API. Neither answers nor errors may be cached. */
export const COMMON_HEADERS = {
  'Content-Type': JSON_TYPE,
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
} as const;

export function elapsedMs(request: Pick<FastifyRequest, 'startedMs'>): number {
  return Math.floor(performance.now() - request.startedMs);
}

export function envelope(
  request: FastifyRequest,
  data: object,
  meta: object = {},
): { data: object; meta: object } {
  return { data, meta: { ...meta, processing_time_ms: elapsedMs(request) } };
}

/** The envelope of a refusal. */
export function errorBody(
  { row, code, extra, meta }: ApiError,
  elapsedMs: number,
): { data: object; meta: object } {
  return {
    data: { error: row.text, code, ...extra },
    meta: { ...meta, processing_time_ms: row.timed === false ? 0 : elapsedMs },
  };
}

/**
 * The same around data that is JSON already: serializing large data again, or each record, would
 * take too long.
 */
export const ENVELOPE = { data: '{"data":', meta: ',"meta":', end: '}' } as const;

export function envelopeText(data: string, meta: object): string {
  return ENVELOPE.data + data + ENVELOPE.meta + JSON.stringify(meta) + ENVELOPE.end;
}

export function sendJson(reply: FastifyReply, text: string | Buffer | Readable): FastifyReply {
  return reply.header('Content-Type', JSON_TYPE).send(text);
}

/** Sends `data` that is already JSON, in one or more pieces. */
export function sendJsonData(
  request: FastifyRequest,
  reply: FastifyReply,
  ...data: Uint8Array[]
): FastifyReply {
  const end =
    ENVELOPE.meta + JSON.stringify({ processing_time_ms: elapsedMs(request) }) + ENVELOPE.end;
  return sendJson(reply, Buffer.concat([Buffer.from(ENVELOPE.data), ...data, Buffer.from(end)]));
}
