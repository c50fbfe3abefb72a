/**
 * `GET /ip`: the caller's own record without a key, where the operator allows public lookups. `Accept: text/plain` gets the
 * address alone, also if it has no record.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../http/errors.ts';
import { clientAddress } from '../limits/client.ts';
import { PUBLIC_USAGE_ID, type PublicLookups } from '../limits/public-lookups.ts';
import { answerIp } from './ip.ts';
import type { ApiDependencies } from './routes.ts';

type OwnAddressDependencies = ApiDependencies & { readonly publicLookups: PublicLookups };

export function registerOwnAddress(scope: FastifyInstance, dependencies: OwnAddressDependencies): void {
  const { overload, publicLookups, usage, nowMs } = dependencies;
  const answer = answerIp(dependencies);
  scope.route({
    method: 'GET',
    url: '/ip',
    schema: { hide: true } as object,
    config: { name: 'ip' },
    onRequest: async ({ ip }) => {
      if (overload.isOverloaded) throw new ApiError('OVERLOADED');
      if (!publicLookups.isAllowed(ip)) throw new ApiError('RATE_LIMIT_EXCEEDED');
    },
    onResponse: async (_request, { statusCode }) => usage.count(PUBLIC_USAGE_ID, 'ip', statusCode, nowMs()),
    handler: (request: FastifyRequest, reply: FastifyReply) => {
      const text = clientAddress(request.ip);
      if (prefersText(request)) return reply.type('text/plain; charset=utf-8').send(`${text}\n`);
      return answer(request, reply, text, {});
    },
  });
}

/** Only a client that names plain text and not JSON: one that accepts everything gets JSON. */
function prefersText({ headers: { accept = '' } }: FastifyRequest): boolean {
  return /\btext\/plain\b/i.test(accept) && !/\bapplication\/json\b/i.test(accept);
}
