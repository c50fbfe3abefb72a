/**
 * The scope of the API: key → quota → permission → handler. Refusals are thrown as ApiError and rendered by
 * `http/error-handler`.
 */
import type { FastifyInstance } from 'fastify';
import { elapsedMs } from '../http/envelope.ts';
import { ApiError } from '../http/errors.ts';
import { clientAddress } from '../limits/client.ts';
import { authenticate, requirePermission } from './authenticate.ts';
import { parseBatchBodies } from './batch/batch.ts';
import { rateLimit } from './rate-limit.ts';
import { type ApiDependencies, apiRoutes } from './routes.ts';

export async function registerApi(scope: FastifyInstance, dependencies: ApiDependencies): Promise<void> {
  const { keys, usage, overload, nowMs } = dependencies;
  scope.decorateRequest('key', undefined);
  scope.decorateRequest('chargedDay', undefined);
  parseBatchBodies(scope);
  for (const { name, permission, handler, ...route } of apiRoutes(dependencies)) {
    scope.route({
      ...route,
      config: { name },
      onRequest: async (request, reply) => {
        if (overload.isOverloaded) throw new ApiError('OVERLOADED');
        await authenticate(keys, request);
        const refusal = await rateLimit(dependencies, request, reply, permission);
        requirePermission(request, permission);
        if (refusal !== undefined) throw refusal;
      },
      onResponse: async (request, { statusCode }) => {
        const { key } = request;
        if (key === undefined) return;
        if (usage.count(key.id, name, statusCode, nowMs())) usage.recordAddress(key.id, clientAddress(request.ip));
        if (!usage.isFirstUse(key)) return;
        const at = new Date(nowMs() - elapsedMs(request));
        usage.recordFirstUse(key, { at, from: clientAddress(request.ip), status: statusCode });
      },
      handler: handler as (request: unknown, reply: unknown) => unknown,
    });
  }
}
