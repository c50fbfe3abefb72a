/** Installs the plain path in front of Node's parser. */
import type { FastifyInstance } from 'fastify';
import type { ReadMode } from '../../http/paced-connections.ts';
import { plainBatches } from './plain-batch.ts';
import { PlainClients } from './plain-client.ts';
import { type PlainAnswers, PlainConnections } from './plain-connections.ts';
import { plainDatabase } from './plain-database.ts';
import { plainDecision } from './plain-decision.ts';
import { plainLookup, plainSections } from './plain-lookup.ts';
import { plainNetwork } from './plain-network.ts';
import { answerPlainly, type PlainDependencies } from './plain-route.ts';

/** Returns the connections that Node has not taken over. `trustProxy`: addresses of proxies whose headers are trusted. */
export function usePlainPath(
  app: FastifyInstance,
  given: Omit<PlainDependencies, 'clients'> & { readonly trustProxy: readonly string[] },
  readMode: ReadMode,
): PlainConnections {
  const dependencies = { ...given, clients: new PlainClients(given.trustProxy) };
  const lookups = plainLookup(dependencies);
  const batches = plainBatches(dependencies);
  const routes = {
    lookup: answerPlainly(dependencies, lookups),
    sections: answerPlainly(dependencies, plainSections(dependencies)),
    network: answerPlainly(dependencies, plainNetwork(dependencies)),
    decision: answerPlainly(dependencies, plainDecision(dependencies)),
    database: answerPlainly(dependencies, plainDatabase(dependencies)),
    batch: () => undefined,
  };
  const answers: PlainAnswers = {
    answer: (bytes, request, connection, mayWait) => routes[request.kind](bytes, request, connection, mayWait),
    answerBatch: batches.answer,
    release(answer) {
      lookups.release(answer);
      batches.release(answer);
    },
  };
  const connections = new PlainConnections(app.server, answers, readMode);
  app.addHook('preClose', async () => connections.stop());
  return connections;
}
