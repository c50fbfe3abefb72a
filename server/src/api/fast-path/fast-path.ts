/**
 * Installs the fast path in front of Node's parser: lookups with what is local, batches and
 * decisions.
 */
import type { FastifyInstance } from 'fastify';
import type { AddressSections } from '../../address/sections.ts';
import type { ReadMode } from '../../http/server/paced-connections.ts';
import type { LiveRules } from '../../rules/live-rules.ts';
import { answerAdmitted, type FastPath } from './admitted-route.ts';
import { fastPathBatches } from './batches.ts';
import { FastPathClients } from './clients.ts';
import { type FastPathAnswers, FastPathConnections } from './connections.ts';
import { decisionRoute, lookupRoute, sectionsRoute } from './routes.ts';
import { TextAnswers } from './text-answer.ts';

type FastPathDependencies = Omit<FastPath, 'clients' | 'texts'> & {
  readonly addressSections: AddressSections;
  readonly rules: LiveRules | undefined;
  /** Addresses of proxies whose headers are trusted. */
  readonly trustProxy: readonly string[];
};

/** Returns the connections that Node has not taken over. `extraHeaders`: of every answer. */
export function useFastPath(
  app: FastifyInstance,
  { addressSections, rules, trustProxy, ...dependencies }: FastPathDependencies,
  extraHeaders: Readonly<Record<string, string>>,
  readMode: ReadMode,
): FastPathConnections {
  const texts = new TextAnswers(extraHeaders);
  const fastPath = { ...dependencies, clients: new FastPathClients(trustProxy), texts };
  const lookups = lookupRoute(fastPath, extraHeaders);
  const batches = fastPathBatches(fastPath);
  const routes = {
    lookup: answerAdmitted(fastPath, lookups),
    sections: answerAdmitted(fastPath, sectionsRoute(fastPath, addressSections)),
    decision: answerAdmitted(fastPath, decisionRoute(fastPath, rules)),
    batch: batches.answer,
  };
  const answers: FastPathAnswers = {
    answer: (bytes, request, connection, mayWait) =>
      routes[request.kind](bytes, request, connection, mayWait),
    release(answer) {
      lookups.release(answer);
      batches.release(answer);
    },
  };
  const connections = new FastPathConnections(app.server, answers, readMode);
  app.addHook('preClose', async () => connections.stop());
  return connections;
}
