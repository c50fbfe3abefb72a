/** Renders every refusal and every failure. What the caller gets and what the log gets are two different texts. */
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from '../log.ts';
import type { Quota } from '../quota/quota.ts';
import { StorageUnavailable } from '../storage/storage.ts';
import { elapsedMs } from './envelope.ts';
import { ApiError } from './errors.ts';

export function handleError(quota: Quota, log: Logger) {
  return (thrown: FastifyError | ApiError | Error, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const error = toApiError(thrown);
    const { status, text, timed } = error.row;
    if (status >= 500) {
      if (!(thrown instanceof ApiError)) log.error({ err: thrown, request_id: request.id }, 'request failed');
      giveBack(quota, request, reply);
    }
    return reply
      .code(status)
      .headers(error.headers)
      .send({
        data: { error: text, code: error.code, ...error.extra },
        meta: { ...error.meta, processing_time_ms: timed ? elapsedMs(request) : 0 },
      });
  };
}

/** A request that failed through our fault does not count. */
function giveBack(quota: Quota, request: FastifyRequest, reply: FastifyReply): void {
  if (!request.isCounted || request.key === undefined) return;
  request.isCounted = false;
  const remaining = quota.refund(request.key.id);
  if (remaining !== undefined) reply.header('X-RateLimit-Remaining', remaining);
}

/** Fastify's own refusals, in our words. */
function toApiError(thrown: FastifyError | ApiError | Error): ApiError {
  if (thrown instanceof ApiError) return thrown;
  if (thrown instanceof StorageUnavailable)
    return new ApiError('STORAGE_UNAVAILABLE', { headers: { 'Retry-After': '5' } });
  if ('validation' in thrown && thrown.validation !== undefined) {
    const [first] = thrown.validation;
    const missing = first?.params['missingProperty'];
    const path = typeof missing === 'string' ? `${first?.instancePath}/${missing}` : (first?.instancePath ?? '');
    return invalidBody(path);
  }
  const code = 'code' in thrown ? thrown.code : undefined;
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return new ApiError('PAYLOAD_TOO_LARGE');
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return new ApiError('UNSUPPORTED_MEDIA_TYPE');
  if (code === 'FST_ERR_CTP_INVALID_CONTENT_LENGTH') return new ApiError('BAD_REQUEST');
  const isBadBody = code === 'FST_ERR_CTP_EMPTY_JSON_BODY' || code === 'FST_ERR_CTP_INVALID_JSON_BODY';
  if (isBadBody || (thrown instanceof SyntaxError && 'statusCode' in thrown)) return invalidBody('');
  return new ApiError('INTERNAL');
}

/** `path` is a JSON Pointer (RFC 6901) into the body; empty for the body itself. */
function invalidBody(path: string): ApiError {
  return new ApiError('INVALID_REQUEST', { extra: { details: { path } } });
}
