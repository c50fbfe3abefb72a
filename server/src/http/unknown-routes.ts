/** 404 for unknown paths, 405 with `Allow` for other methods, from the registered routes. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError } from './errors.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** For a GET that only the route of the pages, which takes every path, has received. */
    refusalOf: (request: FastifyRequest) => ApiError;
    /** Set by the route of the pages: whether a GET of the same path and headers gets a page. */
    pages: { includes: (request: FastifyRequest) => boolean };
  }
}

/** Must be called before routes are registered. */
export function refuseUnknownRoutes(app: FastifyInstance): void {
  const routes: { segments: readonly string[]; methods: readonly string[] }[] = [];
  app.addHook('onRoute', ({ url, method }) => {
    routes.push({ segments: url.split('/'), methods: [method].flat() });
  });
  const pages = { includes: (_request: FastifyRequest) => false };
  const refusalOf = (request: FastifyRequest): ApiError => {
    const path = pathOf(request.url);
    const pathSegments = path.split('/');
    const methods = routes
      .filter(({ segments }) => takes(segments, pathSegments))
      .flatMap((route) => route.methods);
    if (pages.includes(request)) methods.push('GET', 'HEAD');
    if (methods.length === 0)
      return new ApiError('ROUTE_NOT_FOUND', {
        extra: /^\/v1\/ip\/[\da-f.:]+\/\d+$/i.test(path) ? PREFIX_HINT : {},
      });
    return new ApiError('METHOD_NOT_ALLOWED', {
      headers: { Allow: [...new Set(methods)].join(', ') },
    });
  };
  app.decorate('refusalOf', refusalOf);
  app.decorate('pages', pages);
  // Before the body is read and parsed.
  app.addHook('onRequest', (request, _reply, done) => {
    if (request.is404) throw refusalOf(request);
    done();
  });
}

export const pathOf = (url: string) => url.split('?', 1)[0] ?? '';

/** A prefix is easily taken for an address. */
export const PREFIX_HINT = { details: { hint: 'for a prefix, ask GET /v1/prefix/{cidr}' } };

/**
 * Whether the segments of a requested path match a route, whose `:name` segments match any text.
 */
function takes(segments: readonly string[], pathSegments: readonly string[]): boolean {
  return (
    segments.length === pathSegments.length &&
    segments.every((segment, i) => segment.startsWith(':') || segment === pathSegments[i])
  );
}
