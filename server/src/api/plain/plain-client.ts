/**
 * Client address of a plain request, by the rules of Node's path: the address of the connection, or what trusted proxies
 * say of it. Computed only where it is needed: a plain lookup does not depend on its client.
 */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import proxyAddr from '@fastify/proxy-addr';

export type ClientOf = (bytes: Buffer, socket: Socket) => string;

export function plainClient(trustProxy: readonly string[]): ClientOf {
  if (trustProxy.length === 0) return (_bytes, { remoteAddress = '' }) => remoteAddress;
  const isTrusted = proxyAddr.compile([...trustProxy]);
  return (bytes, socket) => {
    const { remoteAddress } = socket;
    // The connection was closed meanwhile.
    if (remoteAddress === undefined) return '';
    const request = { headers: { 'x-forwarded-for': forwardedFor(bytes) }, socket: { remoteAddress } };
    // It reads nothing else of a request.
    return proxyAddr(request as unknown as IncomingMessage, isTrusted);
  };
}

/**
 * Several fields are joined as Node does it. The bytes were recognised as one request, which ends with its first blank
 * line: what follows is of another one.
 */
function forwardedFor(bytes: Buffer): string {
  const request = bytes.toString('latin1', 0, bytes.indexOf('\r\n\r\n'));
  const fields = request.matchAll(/\r\nx-forwarded-for: ([^\r]*)/gi);
  return Array.from(fields, ([, value]) => value).join(', ');
}
