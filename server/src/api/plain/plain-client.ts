/**
 * Client address of a plain request, by the rules of Node's path: the address of the connection, or what trusted proxies
 * say of it. Computed only where it is needed: a plain lookup does not depend on its client.
 */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import proxyAddr from '@fastify/proxy-addr';

/** The request is in the first `size` bytes. */
type ReceivedRequest = {
  readonly bytes: Buffer;
  readonly size: number;
  readonly connection: { readonly socket: Socket };
};

export type ClientOf = (request: ReceivedRequest) => string;

export function plainClient(trustProxy: readonly string[]): ClientOf {
  if (trustProxy.length === 0) return ({ connection }) => connection.socket.remoteAddress ?? '';
  const isTrusted = proxyAddr.compile([...trustProxy]);
  return ({ bytes, size, connection }) => {
    const { remoteAddress } = connection.socket;
    // The connection was closed meanwhile.
    if (remoteAddress === undefined) return '';
    const request = {
      headers: { 'x-forwarded-for': forwardedFor(bytes.toString('latin1', 0, size)) },
      socket: { remoteAddress },
    };
    // It reads nothing else of a request.
    return proxyAddr(request as unknown as IncomingMessage, isTrusted);
  };
}

/** Several fields are joined as Node does it. The bytes were recognised, so each field is a line. */
function forwardedFor(head: string): string {
  const fields = head.matchAll(/\r\nx-forwarded-for: ([^\r]*)/gi);
  return Array.from(fields, ([, value]) => value).join(', ');
}
