/** 404 for unknown paths, 405 with `Allow` for other methods, from the registered routes. */
import type { FastifyInstance } from 'fastify';
import { ApiError } from './errors.ts';

/** Must be called before routes are registered. */
export function refuseUnknownRoutes(app: FastifyInstance): void {
  const routes: { segments: readonly string[]; methods: readonly string[] }[] = [];
  app.addHook('onRoute', ({ url, method }) => {
    routes.push({ segments: url.split('/'), methods: [method].flat() });
  });
  // Before the body is read and parsed.
  app.addHook('onRequest', ({ is404, url }, _reply, done) => {
    if (!is404) {
      done();
      return;
    }
    const path = pathOf(url);
    const asked = path.split('/');
    const methods = routes.filter(({ segments }) => takes(segments, asked)).flatMap((route) => route.methods);
    if (methods.length === 0) throw unknownRoute(path);
    throw new ApiError('METHOD_NOT_ALLOWED', { headers: { Allow: [...new Set(methods)].join(', ') } });
  });
  app.setNotFoundHandler(({ url }) => {
    throw unknownRoute(pathOf(url));
  });
}

const pathOf = (url: string) => url.split('?', 1)[0] ?? '';

/** A prefix is easily taken for an address. */
export const PREFIX_HINT = { details: { hint: 'for a prefix, ask GET /v1/prefix/{cidr}' } };

export const unknownRoute = (path: string) =>
  new ApiError('ROUTE_NOT_FOUND', { extra: /^\/v1\/ip\/[\da-f.:]+\/\d+$/i.test(path) ? PREFIX_HINT : {} });

/** Whether the segments of a requested path match a route, whose `:name` segments match any text. */
function takes(segments: readonly string[], asked: readonly string[]): boolean {
  return (
    segments.length === asked.length && segments.every((segment, i) => segment.startsWith(':') || segment === asked[i])
  );
}
