/** `/openapi.json`, made from the schemas that the routes validate with, and `/docs`, the same for people. */
import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import { sendJson } from '../http/envelope.ts';
import { renderDocs } from './docs-page.ts';

const VERSION = '1';

/** Set up as part of the app itself, not of a scope: it must see every route that is registered after it. */
export const openapi = Object.assign(
  async (app: FastifyInstance) => {
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
    let text: string | undefined;
    let page: string | undefined;
    app.get('/openapi.json', { schema: { hide: true } as object, config: { name: 'docs' } }, (_request, reply) => {
      text ??= JSON.stringify(app.swagger());
      return sendJson(reply, text);
    });
    app.get('/docs', { schema: { hide: true } as object, config: { name: 'docs' } }, (_request, reply) => {
      page ??= renderDocs(app.swagger());
      return reply
        .header('Content-Type', 'text/html; charset=utf-8')
        .header('Content-Security-Policy', "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'")
        .send(page);
    });
  },
  { [Symbol.for('skip-override')]: true },
);
