// JSON bodies, by Fastify's parser.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError } from './errors.ts';

type Done = (error: Error | null, body?: unknown) => void;

export function parseJsonBodies(scope: FastifyInstance): void {
  const parse = jsonBodyParser(scope);
  scope.removeContentTypeParser('application/json');
  scope.addContentTypeParser<string>('application/json', { parseAs: 'string' }, parse);
}

/** Members named `__proto__` and `constructor` are refused, as by Fastify's default. */
export function jsonBodyParser(
  scope: FastifyInstance,
): (request: FastifyRequest, text: string, done: Done) => void {
  const parse = scope.getDefaultJsonParser('error', 'error');
  return (request, text, done) => {
    // Compressed bytes have been read as text.
    if ((request.headers['content-encoding'] ?? 'identity') !== 'identity') {
      const expected = 'application/json without Content-Encoding';
      done(new ApiError('UNSUPPORTED_MEDIA_TYPE', { extra: { details: { expected } } }));
      return;
    }
    // Some clients name the type of every request, also of one without a body.
    if (text === '' && request.routeOptions.schema?.body === undefined) {
      done(null);
      return;
    }
    if (!isTooComplex(text)) {
      void parse(request, text, done);
      return;
    }
    const expected = `at most ${MAX_PARTS} lists, objects and members`;
    done(new ApiError('INVALID_REQUEST', { extra: { details: { path: '', expected } } }));
  };
}

/**
 * No body of a route is nested or has many members. Parsing 256 KiB of them takes 30 ms, and of
 * texts 1 ms.
 */
const MAX_PARTS = 2_000;

function isTooComplex(text: string): boolean {
  if (text.length < 4 * MAX_PARTS) return false;
  let parts = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (
      code === OPEN_LIST ||
      code === OPEN_OBJECT ||
      (code === COLON && text.charCodeAt(i - 1) === QUOTE)
    )
      parts++;
  }
  return parts > MAX_PARTS;
}

const QUOTE = 0x22;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const OPEN_OBJECT = 0x7b;
