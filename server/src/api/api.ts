/** The scope of the API: its routes, each admitted by its declaration. Refusals are rendered by `http/error-handler`. */
import type { FastifyInstance, RouteOptions } from 'fastify';
import { FREE } from '../admission/declaration.ts';
import { elapsedMs } from '../http/envelope.ts';
import { routeRawBody } from '../http/requests.ts';
import { admit, refundUncharged } from './admit.ts';
import { parseBatchBodies } from './batch/batch.ts';
import type { ApiDependencies } from './dependencies.ts';
import { filenameSchema, getFilename, refusalText } from './geoip.ts';
import { apiRoutes } from './routes.ts';

export async function registerApi(scope: FastifyInstance, dependencies: ApiDependencies): Promise<void> {
  const { admission, nowMs } = dependencies;
  scope.decorateRequest('key', undefined);
  scope.decorateRequest('chargedDay', undefined);
  parseBatchBodies(scope);
  const config = { name: 'database', declaration: FREE, refusalText };
  scope.get('/app/update_getfilename', { schema: filenameSchema, config }, getFilename);
  for (const { declaration, handler, refusalText: ownText, maxRawBytes, ...route } of apiRoutes(dependencies)) {
    const { counts } = declaration;
    const options: RouteOptions = {
      ...route,
      config: { name: counts, declaration, ...(ownText && { refusalText: ownText }) },
      onRequest: (request, reply, done) => admit(admission, request, reply, declaration, nowMs()) ?? done(),
      onResponse: (request, { statusCode }, done) => {
        const { key, ip, refusalCode } = request;
        if (key !== undefined) {
          if (admission.countAnswer(key, counts, statusCode, nowMs(), refusalCode)) admission.recordClient(key, ip);
          admission.recordFirstUse(key, statusCode, elapsedMs(request), ip);
        }
        done();
      },
      ...(declaration.charges !== undefined && { onSend: refundUncharged(admission, declaration) }),
      handler: handler as RouteOptions['handler'],
    };
    if (maxRawBytes === undefined) scope.route(options);
    else await routeRawBody(scope, options, maxRawBytes);
  }
}
