/**
 * The scope of the API: its routes, each admitted by its declaration. Refusals are rendered by
 * `http/error-handler`.
 */
import type { FastifyInstance, RouteOptions } from 'fastify';
import { FREE } from '../admission/declaration.ts';
import { elapsedMs } from '../http/envelope.ts';
import { routeRawBody } from '../http/requests.ts';
import { admit, refundUncharged } from './admit.ts';
import { parseBatchBodies } from './batch/batch.ts';
import type { ApiDependencies } from './dependencies.ts';
import { filenameSchema, getFilename, refusalText } from './geoip.ts';
import { apiRoutes, OF_OTHER_PROGRAMS } from './routes.ts';

export async function registerApi(
  scope: FastifyInstance,
  dependencies: ApiDependencies,
): Promise<void> {
  const { admission, nowMs } = dependencies;
  scope.decorateRequest('key', undefined);
  scope.decorateRequest('isWorkRefused', false);
  scope.decorateRequest('chargedDay', undefined);
  parseBatchBodies(scope);
  const config = { name: 'none', declaration: FREE, refusalText, ...OF_OTHER_PROGRAMS };
  scope.get('/app/update_getfilename', { schema: filenameSchema, config }, getFilename);
  for (const apiRoute of apiRoutes(dependencies)) {
    const { declaration, handler, query, refusalText: ownText, maxRawBytes, ...route } = apiRoute;
    const { counts } = declaration;
    const options: RouteOptions = {
      ...route,
      config: { name: counts, declaration, ...query, ...(ownText && { refusalText: ownText }) },
      onRequest: (request, reply, done) =>
        admit(admission, request, reply, declaration, nowMs()) ?? done(),
      onResponse: (request, { statusCode }, done) => {
        const { key, ip, refusalCode } = request;
        const isFirst = admission.countAnswer(key, counts, statusCode, nowMs(), refusalCode);
        if (key !== undefined) {
          if (isFirst) admission.recordClient(key, ip);
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
