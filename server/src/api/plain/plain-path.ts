/** Installs the plain path in front of Node's parser, and returns connections to it. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { unpaced } from '../../http/paced-socket.ts';
import { HARMLESS_NAMES } from './harmless-headers.ts';
import { PlainConnections, shouldReturn } from './plain-connections.ts';
import { type PlainLookupDependencies, plainLookup } from './plain-lookup.ts';

/** Returns the connections that Node has not taken over. */
export function usePlainPath(app: FastifyInstance, dependencies: PlainLookupDependencies): PlainConnections {
  const connections = new PlainConnections(app.server, plainLookup(dependencies));
  app.addHook('preClose', async () => connections.stop());
  return connections;
}

/** For every request on Node's path: closes its connection after the answer if its requests are plain again. */
export function returnToPlainPath(request: IncomingMessage, response: ServerResponse): void {
  if (shouldReturn(unpaced(request.socket), isPlain(request))) response.shouldKeepAlive = false;
}

const harmless = new Set(HARMLESS_NAMES);

function isPlain({ method, url = '', rawHeaders, headers }: IncomingMessage): boolean {
  if (method !== 'GET' || !/^\/v1\/ip\/[0-9a-fA-F:.]+$/.test(url)) return false;
  if (headers.connection !== undefined && headers.connection.toLowerCase() !== 'keep-alive') return false;
  for (let i = 0; i < rawHeaders.length; i += 2)
    if (!harmless.has((rawHeaders[i] as string).toLowerCase())) return false;
  return true;
}
