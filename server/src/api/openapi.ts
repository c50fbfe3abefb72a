/**
 * `/openapi.json`, made from the schemas that the routes validate with, and `/docs`, the same for people. Routes are
 * noted as they are registered; the document is made when it is first asked for, because its libraries take 50 ms to
 * load.
 */
import Fastify, { type FastifyInstance, type RouteOptions } from 'fastify';
import { sendJson } from '../http/envelope.ts';

const VERSION = '1';

/** Set up as part of the app itself, not of a scope: it must see every route that is registered after it. */
export const openapi = Object.assign(
  async (app: FastifyInstance) => {
    const routes: RouteOptions[] = [];
    app.addHook('onRoute', (route) => {
      if (route.method !== 'HEAD') routes.push(route);
    });
    let document: Promise<object> | undefined;
    let text: string | undefined;
    let page: string | undefined;
    app.get(
      '/openapi.json',
      { schema: { hide: true } as object, config: { name: 'docs' } },
      async (_request, reply) => {
        document ??= describe(routes);
        text ??= JSON.stringify(await document);
        return sendJson(reply, text);
      },
    );
    app.get('/docs', { schema: { hide: true } as object, config: { name: 'docs' } }, async (_request, reply) => {
      document ??= describe(routes);
      const { renderDocs } = await import('./docs-page.ts');
      page ??= renderDocs(await document);
      return reply
        .header('Content-Type', 'text/html; charset=utf-8')
        .header('Content-Security-Policy', "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'")
        .send(page);
    });
  },
  { [Symbol.for('skip-override')]: true },
);

/** An app of its own that has the same routes and never listens. */
async function describe(routes: readonly RouteOptions[]): Promise<object> {
  const { default: swagger } = await import('@fastify/swagger');
  const app = Fastify();
  app.setValidatorCompiler(() => () => true).setSerializerCompiler(() => () => '');
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Whence',
        version: VERSION,
        description: 'Network intelligence on your own machine.',
        license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
      },
      components: { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-API-Key' } } },
    },
  });
  const isShown = ({ schema }: RouteOptions) => schema !== undefined && !('hide' in schema);
  for (const { method, url, schema } of routes.filter(isShown))
    app.route({ method, url, ...(schema && { schema }), handler: () => {} });
  await app.ready();
  return app.swagger();
}
