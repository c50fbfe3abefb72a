// Opens the connection that a request is sent over: TCP, or TLS for https:, direct or through a
// proxy.
//
//             direct         through a proxy
//   http:     TCP            TCP to the proxy, which gets the whole URL in the request (RFC 9112 §3.2.2)
//   https:    TLS            CONNECT (RFC 9110 §9.3.6), then TLS to the host through the tunnel
//
// The proxy itself may be reached over TLS. Each request has a connection of its own: there are few
// requests per host, and a reused connection may have been closed by the server.
import { request } from 'node:http';
import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net';
import { addAbortSignal } from 'node:stream';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { ConnectionError, connectionError, formatStatus } from './connection-error.ts';
import { basicCredentials } from './credentials.ts';
import { type HttpProxy, ProxyError, type ProxyVariables, proxyFor } from './proxy.ts';

/**
 * How hosts are reached. The default is directly, with the system's DNS and Node's certificate
 * authorities.
 */
export type Network = {
  readonly proxies?: ProxyVariables;
  /** Authorities to trust instead of Node's, as PEM. */
  readonly ca?: string;
  readonly lookup?: LookupFunction;
};

type Connection = {
  readonly socket: Socket;
  /** The proxy that expects the whole URL, and its credentials, with every request. */
  readonly forwardedBy?: HttpProxy;
};

/**
 * Throws a ConnectionError; or the reason of the signal, which also ends the connection at any
 * later time.
 */
export async function connect(
  url: URL,
  network: Network,
  signal: AbortSignal,
): Promise<Connection> {
  const proxy = proxyOf(url, network);
  const host = hostOf(url);
  if (proxy === undefined) return { socket: await reach(url, url.protocol, network, signal, host) };
  const party = describeProxy(proxy);
  const toProxy = await reach(proxy.url, proxy.url.protocol, network, signal, party);
  if (url.protocol === 'http:') return { socket: toProxy, forwardedBy: proxy };
  const tunnel = await openTunnel(url, proxy, toProxy, party);
  return { socket: await opened(startTls(url, network, tunnel), 'secureConnect', signal, host) };
}

/** For messages, with the variable that names the proxy. */
export function describeProxy({ url, variable }: HttpProxy): string {
  return `the proxy ${hostOf(url)} (${variable})`;
}

/** The host without brackets and port, for messages and for connecting. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}

/** For CONNECT and TCP: `URL.port` is empty for the default port of the scheme. */
function portOf({ port, protocol }: URL): number {
  if (port !== '') return Number(port);
  return protocol === 'https:' ? 443 : 80;
}

function proxyOf(url: URL, { proxies = {} }: Network): HttpProxy | undefined {
  try {
    return proxyFor(url, proxies);
  } catch (error) {
    if (error instanceof ProxyError) throw new ConnectionError(error.message, false);
    throw error;
  }
}

function reach(
  url: URL,
  protocol: string,
  network: Network,
  signal: AbortSignal,
  party: string,
): Promise<Socket> {
  if (protocol === 'https:') return opened(startTls(url, network), 'secureConnect', signal, party);
  const { lookup } = network;
  const socket = connectTcp({ host: hostOf(url), port: portOf(url), lookup });
  return opened(socket, 'connect', signal, party);
}

function startTls(url: URL, { ca, lookup }: Network, socket?: Socket): TLSSocket {
  const host = hostOf(url);
  return connectTls({
    host,
    port: portOf(url),
    // RFC 6066 §3: addresses are not sent as a server name. The certificate is checked against
    // `host`.
    ...(isIP(host) === 0 && { servername: host }),
    ALPNProtocols: ['http/1.1'],
    ca,
    lookup,
    socket,
  });
}

function opened(
  socket: Socket,
  event: string,
  signal: AbortSignal,
  party: string,
): Promise<Socket> {
  addAbortSignal(signal, socket);
  return new Promise((resolve, reject) => {
    // Never removed: an error without a listener would end the process. After opening, the request
    // gets the error too.
    socket.on('error', (error) =>
      reject(signal.aborted ? signal.reason : connectionError(error, party)),
    );
    socket.once(event, () => resolve(socket));
  });
}

function openTunnel(
  url: URL,
  { url: proxy, variable }: HttpProxy,
  socket: Socket,
  party: string,
): Promise<Socket> {
  const authority = `${url.hostname}:${portOf(url)}`;
  const credentials = basicCredentials(proxy);
  const connecting = request({
    method: 'CONNECT',
    path: authority,
    setHost: false,
    headers: {
      host: authority,
      ...(credentials !== undefined && { 'proxy-authorization': credentials }),
    },
    createConnection: () => socket,
  });
  return new Promise((resolve, reject) => {
    connecting.on('error', (error) => reject(connectionError(error, party)));
    connecting.once('connect', ({ statusCode = 0 }, tunnel: Socket, head) => {
      const isOpen = statusCode >= 200 && statusCode < 300;
      if (isOpen && head.length === 0) {
        resolve(tunnel);
        return;
      }
      socket.destroy();
      const advice = statusCode === 407 ? `; put user name and password into ${variable}` : '';
      const what = isOpen ? 'sent data before the host did' : formatStatus(statusCode);
      reject(new ConnectionError(`${party} ${what}${advice}`, statusCode >= 500));
    });
    connecting.end();
  });
}
