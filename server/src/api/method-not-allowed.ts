/** A known path asked for with another method: 405, with the methods it has. Registered last, over all routes that exist by then. */
import type { FastifyInstance, HTTPMethods } from 'fastify';
import { ApiError } from './errors.ts';

/** Per path: methods that are taken, and those that another path's pattern takes for it. */
const PATHS: readonly { url: string; methods: readonly HTTPMethods[] }[] = [
  { url: '/healthz', methods: ['GET', 'HEAD'] },
  { url: '/readyz', methods: ['GET', 'HEAD'] },
  { url: '/openapi.json', methods: ['GET', 'HEAD'] },
  { url: '/docs', methods: ['GET', 'HEAD'] },
  { url: '/v1/ip/:ip', methods: ['GET', 'HEAD'] },
  // `GET /v1/ip/batch` is a lookup of the text "batch".
  { url: '/v1/ip/batch', methods: ['GET', 'HEAD', 'POST'] },
  { url: '/v1/asn/search', methods: ['GET', 'HEAD'] },
  { url: '/v1/asn/:asn', methods: ['GET', 'HEAD'] },
  { url: '/v1/dataset', methods: ['GET', 'HEAD'] },
  { url: '/v1/dataset/diff', methods: ['GET', 'HEAD'] },
  { url: '/v1/email/domain/:domain/dns', methods: ['GET', 'HEAD'] },
];

export function methodNotAllowed(app: FastifyInstance): void {
  for (const { url, methods } of PATHS) {
    app.route({
      url,
      method: app.supportedMethods.filter((method) => !methods.includes(method as HTTPMethods)) as HTTPMethods[],
      schema: { hide: true } as object,
      // Ahead of the body, which is nobody's to read.
      onRequest: async () => {
        throw new ApiError('METHOD_NOT_ALLOWED', { headers: { Allow: methods.join(', ') } });
      },
      handler: () => undefined,
    });
  }
}
