/** Installs the fast path in front of Node's parser. */
import type { FastifyInstance } from 'fastify';
import type { ReadMode } from '../../http/paced-connections.ts';
import type { HealthDependencies } from '../health.ts';
import { answerAdmitted, type FastPathDependencies } from './admitted-route.ts';
import { fastPathBatches } from './batches.ts';
import { FastPathClients } from './clients.ts';
import { type FastPathAnswers, FastPathConnections } from './connections.ts';
import { probes } from './probes.ts';
import {
  databaseRoute,
  decisionRoute,
  listRoute,
  lookupRoute,
  metadataRoute,
  networkRoute,
  prefixRoute,
  searchRoute,
  sectionsRoute,
  updateRoute,
} from './routes.ts';

/** Returns the connections that Node has not taken over. `trustProxy`: addresses of proxies whose headers are trusted. */
export function useFastPath(
  app: FastifyInstance,
  given: Omit<FastPathDependencies, 'clients'> & HealthDependencies & { readonly trustProxy: readonly string[] },
  readMode: ReadMode,
): FastPathConnections {
  const dependencies = { ...given, clients: new FastPathClients(given.trustProxy) };
  const lookups = lookupRoute(dependencies);
  const batches = fastPathBatches(dependencies);
  const routes = {
    lookup: answerAdmitted(dependencies, lookups),
    sections: answerAdmitted(dependencies, sectionsRoute(dependencies)),
    network: answerAdmitted(dependencies, networkRoute(dependencies)),
    search: answerAdmitted(dependencies, searchRoute(dependencies)),
    prefix: answerAdmitted(dependencies, prefixRoute(dependencies)),
    decision: answerAdmitted(dependencies, decisionRoute(dependencies)),
    database: answerAdmitted(dependencies, databaseRoute(dependencies)),
    list: answerAdmitted(dependencies, listRoute(dependencies)),
    update: answerAdmitted(dependencies, updateRoute(dependencies)),
    metadata: answerAdmitted(dependencies, metadataRoute(dependencies)),
    ...probes(dependencies),
    batch: () => undefined,
  };
  const answers: FastPathAnswers = {
    answer: (bytes, request, connection, mayWait) => routes[request.kind](bytes, request, connection, mayWait),
    answerBatch: batches.answer,
    release(answer) {
      lookups.release(answer);
      batches.release(answer);
    },
  };
  const connections = new FastPathConnections(app.server, answers, readMode);
  app.addHook('preClose', async () => connections.stop());
  return connections;
}
