/**
 * `/openapi.json`, made from the schemas that the routes validate with, and `/docs`, the same for people. Routes are
 * noted as they are registered; the document is made when it is first asked for, because its libraries take 50 ms to
 * load.
 */
import Fastify, { type FastifyInstance, type RouteOptions } from 'fastify';
import { sendJson } from '../http/envelope.ts';
import type { OpenApiDocument } from './openapi-document.ts';
import { registerReference } from './reference-page.ts';

const VERSION = '1';
const DESCRIPTION = `Network intelligence and checks of mail domains, on your own machine.

Requests carry a key in the header \`X-API-Key\`. Keys are made in the dashboard under Settings > API keys, or with
\`whence key create\`. Every answer is an object with \`data\` and \`meta\`; of a refusal, \`data.code\` says which it is.`;

const TAGS = [
  { name: 'IP', description: 'What is known of an address: network, country, kind of connection, flags, threat.' },
  { name: 'ASN', description: 'Networks: by number, and by name.' },
  { name: 'Email', description: 'MX, SPF, DKIM and DMARC of a domain, with a score and what to fix first.' },
  { name: 'Dataset', description: 'The data that answers: version, age, sources, and what changed.' },
  { name: 'Health', description: 'For load balancers and monitoring; without a key.' },
];

/** Set up as part of the app itself, not of a scope: it must see every route that is registered after it. */
export const openapi = Object.assign(
  async (app: FastifyInstance, { publicUrl }: { publicUrl?: string | undefined }) => {
    const routes: RouteOptions[] = [];
    app.addHook('onRoute', (route) => {
      if (route.method !== 'HEAD') routes.push(route);
    });
    let document: Promise<OpenApiDocument> | undefined;
    app.get('/openapi.json', { schema: { hide: true } as object, config: { name: 'docs' } }, async (request, reply) => {
      document ??= describe(routes);
      const { openapi: version, info, ...rest } = await document;
      // Requests that are tried out go to the server that the document came from.
      const servers = [{ url: publicUrl ?? `${request.protocol}://${request.host}` }];
      return sendJson(reply, JSON.stringify({ openapi: version, info, servers, ...rest }));
    });
    registerReference(app);
  },
  { [Symbol.for('skip-override')]: true },
);

/** An app of its own that has the same routes and never listens. */
async function describe(routes: readonly RouteOptions[]): Promise<OpenApiDocument> {
  const [{ default: swagger }, { completeDocument }] = await Promise.all([
    import('@fastify/swagger'),
    import('./openapi-document.ts'),
  ]);
  const app = Fastify();
  app.setValidatorCompiler(() => () => true).setSerializerCompiler(() => () => '');
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Whence',
        version: VERSION,
        description: DESCRIPTION,
        license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
      },
      tags: TAGS,
      components: {
        securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'An API key.' } },
      },
    },
  });
  const isShown = ({ schema }: RouteOptions) => schema !== undefined && !('hide' in schema);
  for (const { method, url, schema } of routes.filter(isShown))
    app.route({ method, url, ...(schema && { schema }), handler: () => {} });
  await app.ready();
  return completeDocument(structuredClone(app.swagger()) as unknown as OpenApiDocument);
}
