/**
 * The scope of the API: key → quota → permission → handler. Refusals are thrown as ApiError and rendered by
 * `http/error-handler`.
 */
import type { FastifyInstance } from 'fastify';
import { elapsedMs } from '../http/envelope.ts';
import { ApiError } from '../http/errors.ts';
import type { Overload } from '../http/overload.ts';
import type { KnownKeys } from '../keys/known-keys.ts';
import type { Quota } from '../quota/quota.ts';
import type { Usage } from '../usage/usage.ts';
import { authenticate, requirePermission } from './authenticate.ts';
import { parseBatchBodies } from './batch/batch.ts';
import { rateLimit } from './rate-limit.ts';
import { apiRoutes, type RouteParts } from './routes.ts';

export type ApiParts = RouteParts & {
  readonly keys: KnownKeys;
  readonly quota: Quota;
  readonly usage: Usage;
  readonly overload: Overload;
};

export async function registerApi(scope: FastifyInstance, parts: ApiParts): Promise<void> {
  const { keys, quota, usage, overload, nowMs } = parts;
  scope.decorateRequest('key', undefined);
  scope.decorateRequest('chargedDay', undefined);
  parseBatchBodies(scope);
  for (const { name, permission, handler, ...route } of apiRoutes(parts)) {
    scope.route({
      ...route,
      config: { name },
      onRequest: async (request, reply) => {
        if (overload.isOverloaded) throw new ApiError('OVERLOADED', { headers: { 'Retry-After': '1' } });
        await authenticate(keys, request);
        const refusal = await rateLimit(quota, request, reply, nowMs());
        requirePermission(request, permission);
        if (refusal !== undefined) throw refusal;
      },
      onResponse: async (request, { statusCode }) => {
        const { key } = request;
        if (key === undefined) return;
        usage.count(key.id, name, statusCode, nowMs());
        if (!usage.isFirstUse(key)) return;
        const at = new Date(nowMs() - elapsedMs(request));
        usage.recordFirstUse(key, { at, from: request.ip, status: statusCode });
      },
      handler: handler as (request: unknown, reply: unknown) => unknown,
    });
  }
}
