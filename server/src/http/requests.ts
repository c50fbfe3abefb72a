/** What handlers of the API and of the dashboard read from a request in the same way. */
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { ApiError } from './errors.ts';

/** A `limit` of 1 or more; a larger one than `max` means `max`. */
export function parseLimit(
  text: string | undefined,
  { fallback, max }: { fallback: number; max: number },
): number {
  if (text === undefined) return fallback;
  if (!/^[0-9]+$/.test(text) || Number(text) === 0) throw new ApiError('INVALID_LIMIT');
  return Math.min(Number(text), max);
}

const NONE: ReadonlySet<never> = new Set();

/** Settings that allow what is off by default, by its name. */
type Switches = Readonly<Record<string, string>>;

/**
 * An unknown name is refused, so that a typing error is noticed. One that is switched off names its
 * setting.
 */
export function requireIncluded<Name extends string>(
  names: readonly string[] | undefined,
  allowed: readonly Name[],
  switches: Switches = {},
): ReadonlySet<Name> {
  if (names === undefined) return NONE;
  const isAllowed = (name: string): name is Name => allowed.some((candidate) => candidate === name);
  const [refused] = names.filter((name) => !isAllowed(name));
  if (refused === undefined) return new Set(names.filter(isAllowed));
  const setting = Object.hasOwn(switches, refused) ? { setting: switches[refused] } : {};
  throw new ApiError('INVALID_INCLUDE', { extra: { details: { allowed, ...setting } } });
}

/** At most 64 printable characters of ASCII: enough for a UUID, a ULID or a trace id. */
const CALLER_ID = /^[\x20-\x7e]{1,64}$/;

/** The id of a request for the log, beside that of its caller, if it has one. */
export function loggedIds({ id, headers }: Pick<FastifyRequest, 'id' | 'headers'>): {
  request_id: string;
  caller_request_id?: string;
} {
  const own = headers['x-request-id'];
  const isShown = typeof own === 'string' && CALLER_ID.test(own);
  return { request_id: id, ...(isShown && { caller_request_id: own }) };
}

/** Registers a route whose body is taken as it is, whatever its type, up to `maxBytes`. */
export async function routeRawBody(
  scope: FastifyInstance,
  options: RouteOptions,
  maxBytes: number,
): Promise<void> {
  await scope.register(async (raw) => {
    raw.removeAllContentTypeParsers();
    raw.addContentTypeParser<Buffer>('*', { parseAs: 'buffer' }, (_request, bytes, done) =>
      done(null, bytes),
    );
    raw.route({ ...options, bodyLimit: maxBytes });
  });
}

export function rawBody({ body }: Pick<FastifyRequest, 'body'>): Buffer {
  return Buffer.isBuffer(body) ? body : Buffer.alloc(0);
}

/** Aborts when the client disconnects before its answer is sent, so that work for it can stop. */
export function disconnectSignal({ raw }: Pick<FastifyReply, 'raw'>): AbortSignal {
  const controller = new AbortController();
  raw.once('close', () => {
    if (!raw.writableFinished) controller.abort();
  });
  return controller.signal;
}
