/** Finds the key of a request in `X-API-Key`; header names are case-insensitive (RFC 9110 §5.1). `Authorization` is ignored. */
import type { FastifyRequest } from 'fastify';
import { ApiError } from '../http/errors.ts';
import type { Key } from '../keys/key.ts';
import { type KnownKeys, TooManyGuesses } from '../keys/known-keys.ts';
import type { Permission } from '../vocabulary.ts';

declare module 'fastify' {
  interface FastifyRequest {
    key: Key | undefined;
  }
}

export async function authenticate(keys: KnownKeys, request: FastifyRequest): Promise<void> {
  const secret = request.headers['x-api-key'];
  if (typeof secret !== 'string') throw new ApiError('UNAUTHORIZED');
  request.key = await find(keys, secret, request.ip);
  if (request.key === undefined) throw new ApiError('UNAUTHORIZED');
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
