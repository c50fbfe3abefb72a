/**
 * 404 for a path that no route matches, 405 with `Allow` for a known path with another method. The methods of a path are
 * collected from the registered routes, so there is no second list to maintain.
 */
import type { FastifyInstance } from 'fastify';
import { ApiError } from './errors.ts';

/** Must be called before routes are registered. */
export function refuseUnknownRoutes(app: FastifyInstance): void {
  const routes: { segments: readonly string[]; methods: readonly string[] }[] = [];
  app.addHook('onRoute', ({ url, method }) => {
    routes.push({ segments: url.split('/'), methods: [method].flat() });
  });
  // Before the body is read and parsed.
  app.addHook('onRequest', async ({ is404, url }) => {
    if (!is404) return;
    const path = url.split('?', 1)[0] ?? '';
    const asked = path.split('/');
    const methods = routes.filter(({ segments }) => takes(segments, asked)).flatMap((route) => route.methods);
    if (methods.length === 0) throw new ApiError('ROUTE_NOT_FOUND');
    throw new ApiError('METHOD_NOT_ALLOWED', { headers: { Allow: [...new Set(methods)].join(', ') } });
  });
  app.setNotFoundHandler(() => {
    throw new ApiError('ROUTE_NOT_FOUND');
  });
}

/** Whether the segments of a requested path match a route, whose `:name` segments match any text. */
function takes(segments: readonly string[], asked: readonly string[]): boolean {
  return (
    segments.length === asked.length && segments.every((segment, i) => segment.startsWith(':') || segment === asked[i])
  );
}
