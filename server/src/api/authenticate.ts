/** Finds the key of a request in `X-API-Key`; header names are case-insensitive (RFC 9110 §5.1). A key elsewhere is not used, except by MCP. */
import type { FastifyRequest } from 'fastify';
import { ApiError } from '../http/errors.ts';
import type { Key } from '../keys/key.ts';
import { type KnownKeys, TooManyGuesses } from '../keys/known-keys.ts';
import { SECRET_PREFIX } from '../keys/secret.ts';
import type { Permission } from '../vocabulary.ts';

declare module 'fastify' {
  interface FastifyRequest {
    key: Key | undefined;
  }
}

export async function authenticate(
  keys: KnownKeys,
  request: FastifyRequest,
  secret: unknown = request.headers['x-api-key'],
): Promise<void> {
  if (typeof secret !== 'string') throw new ApiError('UNAUTHORIZED', { extra: misplacedKey(request) });
  request.key = await find(keys, secret, request.ip);
  if (request.key === undefined) throw new ApiError('UNAUTHORIZED');
}

/** The most frequent mistake of new clients: the key as a bearer token or in the query. */
function misplacedKey({ headers, query }: FastifyRequest): { details?: { hint: string } } {
  const token = headers.authorization?.replace(/^Bearer +/i, '');
  const candidates = [token, ...Object.values(query as Record<string, unknown>)];
  const isMisplaced = candidates.some((text) => typeof text === 'string' && text.startsWith(SECRET_PREFIX));
  return isMisplaced ? { details: { hint: 'send the key in the header X-API-Key' } } : {};
}

async function find(keys: KnownKeys, secret: string, address: string): Promise<Key | undefined> {
  try {
    return await keys.find(secret, address);
  } catch (error) {
    throw error instanceof TooManyGuesses ? new ApiError('TOO_MANY_GUESSES') : error;
  }
}

export function requirePermission(request: FastifyRequest, permission: Permission): void {
  if (!mayUse(request.key, permission)) throw forbidden(permission);
}

export function mayUse(key: Key | undefined, permission: Permission): boolean {
  return key?.permissions.includes(permission) === true;
}

export function forbidden(required: Permission): ApiError {
  return new ApiError('FORBIDDEN', { extra: { details: { required } } });
}
