// `/openapi.json`, from the schemas that validate requests. Made for the first request, in parts between which others
// are answered: loading its libraries takes 50 ms, all of it 130 ms.
import { setImmediate as nextTurn } from 'node:timers/promises';
import swagger from '@fastify/swagger';
import Fastify, { type FastifyInstance, type FastifySchema, type RouteOptions } from 'fastify';
import { FREE } from '../admission/declaration.ts';
import { JSON_TYPE } from '../http/envelope.ts';
import { NO_COMPILERS } from '../http/server/http-server.ts';
import { StaticDocument } from '../http/static-document.ts';
import { packageVersion } from '../version.ts';
import { introduction } from './introduction.ts';
import { completeDocument, type OpenApiDocument } from './openapi-document.ts';
import { withQueryRefusals } from './schemas/refusals.ts';

const TAGS = [
  {
    name: 'IP',
    description:
      'What is known of an address: network, country, kind of connection, flags, threat.',
  },
  { name: 'ASN', description: 'Networks: by number, and by name.' },
  {
    name: 'Email',
    description: 'MX, SPF, DKIM and DMARC of a domain, with a score and what to fix first.',
  },
  { name: 'Decisions', description: 'Whether a request may pass, by rules of the operator.' },
  {
    name: 'Dataset',
    description: 'The data that answers: versions, dates and sources.',
  },
  { name: 'Databases and lists', description: 'Files for other programs and for firewalls.' },
  { name: 'Watched domains', description: 'Domains that are checked every day, and events.' },
  { name: 'Health', description: 'For load balancers and monitoring; without a key.' },
];

/**
 * Registered on the app itself instead of a scope, because it must see every route that is
 * registered after it.
 */
export const openapi = Object.assign(
  async (app: FastifyInstance, { publicUrl }: { publicUrl?: string | undefined }) => {
    const routes: RouteOptions[] = [];
    app.addHook('onRoute', (route) => {
      if (route.method !== 'HEAD') routes.push(route);
    });
    let document: Promise<StaticDocument> | undefined;
    const options = {
      schema: { hide: true } as object,
      config: { name: 'docs', declaration: FREE },
    };
    app.get('/openapi.json', options, async (request, reply) => {
      // Relative to the document: with the requested host, every other Host header would be another
      // document to compress, for clients without a key.
      document ??= describe(routes, publicUrl ?? '/')
        .then((written) => new StaticDocument(Buffer.from(JSON.stringify(written))))
        .catch((error: unknown) => {
          // The next request tries again.
          document = undefined;
          throw error;
        });
      return (await document).send(request, reply, { type: JSON_TYPE });
    });
  },
  { [Symbol.for('skip-override')]: true },
);

type DocumentedSchema = Omit<FastifySchema, 'querystring' | 'response'> & {
  readonly documentedBody?: object;
  readonly operationId: string;
  readonly querystring?: { readonly properties: object };
  readonly response: Readonly<Record<number, object>>;
};

/** Registers the same routes on a second app, which never listens. */
async function describe(routes: readonly RouteOptions[], url: string): Promise<OpenApiDocument> {
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
        version: packageVersion(),
        description,
        license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
      },
      servers: [{ url }],
      tags: TAGS,
      components: {
        securitySchemes: {
          key: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'An API key.' },
        },
      },
    },
  });
  const isShown = ({ schema }: RouteOptions) => schema !== undefined && !('hide' in schema);
  const namesIgnored = new Set<string>();
  for (const { method, url, schema = {}, config } of routes.filter(isShown)) {
    // A body may be described more narrowly than it is validated, where the handler has an error of
    // its own.
    const { documentedBody, operationId, ...validated } = schema as DocumentedSchema;
    const { unknownParameters = 'refused' } = config ?? {};
    if (unknownParameters === 'named') namesIgnored.add(operationId);
    const parameters = Object.keys(validated.querystring?.properties ?? {});
    const described = {
      ...validated,
      operationId,
      ...(documentedBody !== undefined && { body: documentedBody }),
      response: withQueryRefusals(validated.response, parameters, unknownParameters),
    };
    app.route({ method, url, schema: described, handler: () => {} });
  }
  await app.ready();
  await nextTurn();
  const document = structuredClone(app.swagger()) as unknown as OpenApiDocument;
  await nextTurn();
  return completeDocument(document, namesIgnored);
}
