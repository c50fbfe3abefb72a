/** Installs the plain path in front of Node's parser. */
import type { FastifyInstance } from 'fastify';
import type { ReadMode } from '../../http/paced-connections.ts';
import { plainBatches } from './plain-batch.ts';
import { PlainConnections } from './plain-connections.ts';
import { type PlainLookupDependencies, plainLookup } from './plain-lookup.ts';

/** Returns the connections that Node has not taken over. */
export function usePlainPath(
  app: FastifyInstance,
  dependencies: PlainLookupDependencies,
  readMode: ReadMode,
): PlainConnections {
  const lookups = plainLookup(dependencies);
  const batches = plainBatches(dependencies);
  const answers = {
    answer: lookups.answer,
    answerBatch: batches.answer,
    release(answer: Buffer) {
      lookups.release(answer);
      batches.release(answer);
    },
  };
  const connections = new PlainConnections(app.server, answers, readMode);
  app.addHook('preClose', async () => connections.stop());
  return connections;
}
