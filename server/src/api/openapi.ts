// `/openapi.json`, from the schemas that validate requests. Made for the first request, in parts between which others
// are answered: loading its libraries takes 50 ms, all of it 130 ms.
import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import Fastify, { type FastifyInstance, type FastifySchema, type RouteOptions } from 'fastify';
import { FREE } from '../admission/declaration.ts';
import { sendJson } from '../http/envelope.ts';
import { NO_COMPILERS } from '../http/http-server.ts';
import type { OpenApiDocument } from './openapi-document.ts';

const VERSION = '1';
const TAGS = [
  { name: 'IP', description: 'What is known of an address: network, country, kind of connection, flags, threat.' },
  { name: 'ASN', description: 'Networks: by number, and by name.' },
  { name: 'Email', description: 'MX, SPF, DKIM and DMARC of a domain, with a score and what to fix first.' },
  { name: 'Decisions', description: 'Whether a request may pass, by rules of the operator.' },
  { name: 'Dataset', description: 'The data that answers: version, age, sources, and what changed.' },
  { name: 'Health', description: 'For load balancers and monitoring; without a key.' },
];

/** Registered on the app itself instead of a scope, because it must see every route that is registered after it. */
export const openapi = Object.assign(
  async (app: FastifyInstance, { publicUrl }: { publicUrl?: string | undefined }) => {
    const routes: RouteOptions[] = [];
    app.addHook('onRoute', (route) => {
      if (route.method !== 'HEAD') routes.push(route);
    });
    let document: Promise<PreparedDocument> | undefined;
    const options = { schema: { hide: true } as object, config: { name: 'docs', declaration: FREE } };
    app.get('/openapi.json', options, async (request, reply) => {
      document ??= describe(routes).then(prepare);
      const { start, rest } = await document;
      // Requests from the documentation page go to the server that the document came from.
      const servers = JSON.stringify([{ url: publicUrl ?? `${request.protocol}://${request.host}` }]);
      const own = Buffer.from(`${start},"servers":${servers},`);
      reply.header('Content-Length', own.length + rest.length);
      return sendJson(reply, Readable.from([own, rest], { objectMode: false }));
    });
  },
  { [Symbol.for('skip-override')]: true },
);

/** All but the servers as bytes: clients share the large part, also those that are slow to read it. */
type PreparedDocument = { readonly start: string; readonly rest: Buffer };

function prepare({ openapi: version, info, ...rest }: OpenApiDocument): PreparedDocument {
  const start = JSON.stringify({ openapi: version, info }).slice(0, -1);
  return { start, rest: Buffer.from(JSON.stringify(rest).slice(1)) };
}

/** Registers the same routes on a second app, which never listens. */
async function describe(routes: readonly RouteOptions[]): Promise<OpenApiDocument> {
  const { default: swagger } = await import('@fastify/swagger');
  await nextTurn();
  const { introduction } = await import('./introduction.ts');
  const description = introduction();
  await nextTurn();
  const app = Fastify({ schemaController: NO_COMPILERS });
  app.setValidatorCompiler(() => () => true).setSerializerCompiler(() => () => '');
  await app.register(swagger, {
    convertConstToEnum: false,
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Whence',
        version: VERSION,
        description,
        license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
      },
      tags: TAGS,
      components: {
        securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'An API key.' } },
      },
    },
  });
  const isShown = ({ schema }: RouteOptions) => schema !== undefined && !('hide' in schema);
  for (const { method, url, schema = {} } of routes.filter(isShown)) {
    // A body may be described more narrowly than it is validated, where the handler has an error of its own.
    const { documentedBody, ...validated } = schema as FastifySchema & { documentedBody?: object };
    const described = documentedBody === undefined ? validated : { ...validated, body: documentedBody };
    app.route({ method, url, schema: described, handler: () => {} });
  }
  await app.ready();
  await nextTurn();
  const document = structuredClone(app.swagger()) as unknown as OpenApiDocument;
  await nextTurn();
  const { completeDocument } = await import('./openapi-document.ts');
  return completeDocument(document);
}
