/** Who asks: the key in `X-API-Key`, in any case of the header's name (RFC 9110 §5.1). `Authorization` is not looked at. */
import type { FastifyRequest } from 'fastify';
import type { Keys } from '../keys/keys.ts';
import type { Permission } from '../keys/tiers.ts';
import { ApiError } from './errors.ts';

export async function authenticate(keys: Keys, request: FastifyRequest): Promise<void> {
  const secret = request.headers['x-api-key'];
  if (typeof secret !== 'string') throw new ApiError('UNAUTHORIZED');
  const key = await keys.find(secret);
  if (key === undefined) throw new ApiError('UNAUTHORIZED');
  request.key = key;
}

export function requirePermission(request: FastifyRequest, permission: Permission): void {
  if (request.key?.permissions.includes(permission) !== true) {
    throw new ApiError('FORBIDDEN', { extra: { details: { required: permission } } });
  }
}
