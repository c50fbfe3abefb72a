/**
 * Client address of a simple request, by the rules of Node's path. Computed only where it is
 * needed.
 */
import type { IncomingMessage } from 'node:http';
import proxyAddr from '@fastify/proxy-addr';
import type { FastPathConnection } from './connections.ts';
import type { RecognisedRequest } from './recognised-request.ts';

export class FastPathClients {
  readonly #isTrusted: ((address: string, hops: number) => boolean) | undefined;

  constructor(trustProxy: readonly string[]) {
    this.#isTrusted = trustProxy.length === 0 ? undefined : proxyAddr.compile([...trustProxy]);
  }

  isProxy(connection: FastPathConnection): boolean {
    if (this.#isTrusted === undefined) return false;
    connection.isProxy ??= this.#isTrusted(connection.socket.remoteAddress ?? '', 0);
    return connection.isProxy;
  }

  clientOf(bytes: Buffer, { socket: { remoteAddress } }: FastPathConnection): string {
    // The connection was closed meanwhile.
    if (remoteAddress === undefined) return '';
    if (this.#isTrusted === undefined) return remoteAddress;
    const request = {
      headers: { 'x-forwarded-for': forwardedFor(bytes) },
      socket: { remoteAddress },
    };
    // It reads nothing else of a request.
    return proxyAddr(request as unknown as IncomingMessage, this.#isTrusted);
  }

  /** The same for the request that was just recognised; faster for one field with one address. */
  clientOfRequest(
    bytes: Buffer,
    { forwardedFor }: RecognisedRequest,
    connection: FastPathConnection,
  ): string {
    if (forwardedFor.count === 1 && this.isProxy(connection)) {
      const text = forwardedFor.textIn(bytes);
      if (text?.includes(',') === false) return text;
    }
    return this.clientOf(bytes, connection);
  }
}

// Joins several fields as Node does. The request ends with its first blank line; what follows is
// another one.
function forwardedFor(bytes: Buffer): string {
  const request = bytes.toString('latin1', 0, bytes.indexOf('\r\n\r\n'));
  const fields = request.matchAll(/\r\nx-forwarded-for: ([^\r]*)/gi);
  return Array.from(fields, ([, value]) => value).join(', ');
}
