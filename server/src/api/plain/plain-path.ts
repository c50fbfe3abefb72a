/** Puts the plain path before Node's parser, and brings connections back to it. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { HARMLESS_NAMES } from './harmless-headers.ts';
import { PlainConnections, shouldReturn } from './plain-connections.ts';
import { type PlainLookupParts, plainLookup } from './plain-lookup.ts';

/** Returns the connections that have not been given to Node. */
export function usePlainPath(app: FastifyInstance, parts: PlainLookupParts): PlainConnections {
  const connections = new PlainConnections(app.server, plainLookup(parts));
  app.addHook('preClose', async () => connections.stop());
  return connections;
}

/** For every request on Node's path: closes its connection with the answer where the next one would be plain again. */
export function returnToPlainPath(request: IncomingMessage, response: ServerResponse): void {
  if (shouldReturn(request.socket, isPlain(request))) response.shouldKeepAlive = false;
}

const harmless = new Set(HARMLESS_NAMES);

function isPlain({ method, url = '', rawHeaders, headers }: IncomingMessage): boolean {
  if (method !== 'GET' || !/^\/v1\/ip\/[0-9a-fA-F:.]+$/.test(url)) return false;
  if (headers.connection !== undefined && headers.connection.toLowerCase() !== 'keep-alive') return false;
  for (let i = 0; i < rawHeaders.length; i += 2)
    if (!harmless.has((rawHeaders[i] as string).toLowerCase())) return false;
  return true;
}
