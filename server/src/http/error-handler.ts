/**
 * Renders every refusal and every failure. The log gets the complete error, the caller the row of
 * `http/errors`.
 */
import { ProgramReplaced } from '@whence/dataset/io/thread';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from '../log/log.ts';
import { StorageUnavailable } from '../storage/storage-unavailable.ts';
import { elapsedMs, errorBody } from './envelope.ts';
import { ApiError } from './errors.ts';
import { loggedIds } from './requests.ts';
import type { Violation } from './validators.ts';

/** `onFault` is called before a failure of the server itself is answered. */
export function handleError(
  log: Logger,
  onFault: (request: FastifyRequest, reply: FastifyReply) => void,
) {
  return (
    thrown: FastifyError | ApiError | Error,
    request: FastifyRequest,
    reply: FastifyReply,
  ): FastifyReply => {
    const error = isAborted(request, thrown) ? new ApiError('BAD_REQUEST') : toApiError(thrown);
    const { status, isCounted } = error.row;
    request.refusalCode = error.code;
    if (status >= 500 && isCounted !== true) {
      if (!(thrown instanceof ApiError))
        log.error({ err: thrown, ...loggedIds(request) }, 'request failed');
      onFault(request, reply);
    }
    reply.code(status).headers(error.headers);
    const { refusalText } = request.routeOptions.config as {
      refusalText?: (error: ApiError) => string;
    };
    if (refusalText !== undefined)
      return reply.type('text/plain; charset=utf-8').send(refusalText(error));
    return reply.send(errorBody(error, elapsedMs(request)));
  };
}

/**
 * The client closed the connection before its body was complete. This is no server failure, and the
 * answer is not read.
 */
function isAborted({ raw }: FastifyRequest, thrown: Error): boolean {
  return raw.destroyed && !raw.complete && (thrown as NodeJS.ErrnoException).code === 'ECONNRESET';
}

function toApiError(thrown: FastifyError | ApiError | Error): ApiError {
  if (thrown instanceof ApiError) return thrown;
  if (thrown instanceof ProgramReplaced) return new ApiError('RESTART_REQUIRED');
  if (thrown instanceof StorageUnavailable) return new ApiError('STORAGE_UNAVAILABLE');
  if ('validation' in thrown && thrown.validation !== undefined) {
    const [first] = thrown.validation;
    const missing = first?.params['missingProperty'];
    const path =
      typeof missing === 'string'
        ? `${first?.instancePath}/${missing}`
        : (first?.instancePath ?? '');
    return invalidBody(path, (first as Partial<Violation> | undefined)?.expected);
  }
  const code = 'code' in thrown ? thrown.code : undefined;
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return new ApiError('PAYLOAD_TOO_LARGE');
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE')
    return new ApiError('UNSUPPORTED_MEDIA_TYPE', {
      extra: { details: { expected: 'application/json' } },
    });
  if (code === 'FST_ERR_CTP_INVALID_CONTENT_LENGTH') return new ApiError('BAD_REQUEST');
  const isBadBody =
    code === 'FST_ERR_CTP_EMPTY_JSON_BODY' || code === 'FST_ERR_CTP_INVALID_JSON_BODY';
  if (isBadBody || (thrown instanceof SyntaxError && 'statusCode' in thrown))
    return invalidBody('', 'JSON');
  return new ApiError('INTERNAL');
}

/** `path` is a JSON Pointer (RFC 6901) into the body; empty for the body itself. */
function invalidBody(path: string, expected?: string): ApiError {
  const details = { path, ...(expected !== undefined && { expected }) };
  return new ApiError('INVALID_REQUEST', { extra: { details } });
}
