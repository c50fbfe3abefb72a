/** What handlers of the API and of the dashboard read from a request in the same way. */
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { ApiError } from './errors.ts';

/** A `limit` of 1 or more; a larger one than `max` means `max`. */
export function parseLimit(text: string | undefined, { fallback, max }: { fallback: number; max: number }): number {
  if (text === undefined) return fallback;
  if (!/^[0-9]+$/.test(text) || Number(text) === 0) throw new ApiError('INVALID_LIMIT');
  return Math.min(Number(text), max);
}

/** Names separated by commas; blanks around them are allowed, and duplicates count once. */
export function parseInclude<Name extends string>(
  text: string,
  allowed: readonly Name[],
  switches?: Switches,
): ReadonlySet<Name> {
  const names = text.split(',').map((name) => name.trim());
  return requireIncluded(
    names.filter((name) => name !== ''),
    allowed,
    switches,
  );
}

/** Settings that allow what is off by default, by its name. */
type Switches = Readonly<Record<string, string>>;

/** An unknown name is refused, so that a typing error is noticed. One that is switched off names its setting. */
export function requireIncluded<Name extends string>(
  names: readonly string[],
  allowed: readonly Name[],
  switches: Switches = {},
): ReadonlySet<Name> {
  const isAllowed = (name: string): name is Name => allowed.some((candidate) => candidate === name);
  const [refused] = names.filter((name) => !isAllowed(name));
  if (refused === undefined) return new Set(names.filter(isAllowed));
  const setting = Object.hasOwn(switches, refused) ? { setting: switches[refused] } : {};
  throw new ApiError('INVALID_INCLUDE', { extra: { details: { allowed, ...setting } } });
}

/** A parameter that is on or off. Any other text is refused: ignoring it would answer a question that was not asked. */
export function parseSwitch(name: string, value: unknown): boolean {
  if (value === undefined || value === 'false' || value === '0') return false;
  if (value === 'true' || value === '1') return true;
  throw new ApiError('INVALID_QUERY', { extra: { details: { parameter: name, allowed: ['true', 'false'] } } });
}

/** Registers a route whose body is taken as it is, whatever its type, up to `maxBytes`. */
export async function routeRawBody(scope: FastifyInstance, options: RouteOptions, maxBytes: number): Promise<void> {
  await scope.register(async (raw) => {
    raw.removeAllContentTypeParsers();
    raw.addContentTypeParser<Buffer>('*', { parseAs: 'buffer' }, (_request, bytes, done) => done(null, bytes));
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
