/**
 * Clients that ask for much and never read an answer: more than the buffers of both kernels hold,
 * so that the server has to keep the rest or give up. In turn batches, requests of all kinds with a
 * key, and the same without one.
 */
import { connect, type Socket } from 'node:net';

const BATCHES = 12;
const ADDRESSES = 1_000;
/** Requests of all kinds together: about 60 KB in one write. */
const PIPELINED = 1_000;
const TARGETS = [
  '/openapi.json',
  '/',
  '/v1/ip/8.8.8.8?explain=true',
  '/v1/asn/15169?include_prefixes=true',
  '/v1/asn/search?q=net&limit=50',
  '/v1/dataset',
  '/healthz',
  '/dashboard/api/session',
  '/nothing',
];

export class NeverReadingClients {
  readonly #port: number;
  /** What each client sends, in turn. */
  readonly #writes: readonly Buffer[];
  readonly #sockets = new Set<Socket>();
  opened = 0;

  constructor(port: number, key: string, addresses: readonly string[]) {
    this.#port = port;
    const withKey = `X-API-Key: ${key}\r\n`;
    this.#writes = [batches(withKey, addresses), pipelined(withKey), pipelined('')];
  }

  open(): void {
    const socket = connect(this.#port, '127.0.0.1');
    this.#sockets.add(socket);
    // A server that gives up resets the connection.
    socket.on('error', () => {});
    socket.on('close', () => this.#sockets.delete(socket));
    socket.pause();
    socket.write(this.#writes[this.opened % this.#writes.length] ?? '');
    this.opened++;
  }

  closeAll(): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}

function batches(key: string, addresses: readonly string[]): Buffer {
  const body = JSON.stringify({ ips: addresses.slice(0, ADDRESSES) });
  const head = `POST /v1/ip/batch HTTP/1.1\r\nHost: whence\r\n${key}Content-Type: application/json\r\n`;
  return Buffer.from(`${head}Content-Length: ${body.length}\r\n\r\n${body}`.repeat(BATCHES));
}

function pipelined(key: string): Buffer {
  const requests = Array.from({ length: PIPELINED }, (_, i) => {
    const target = TARGETS[i % TARGETS.length];
    return `GET ${target} HTTP/1.1\r\nHost: whence\r\n${key}\r\n`;
  });
  return Buffer.from(requests.join(''));
}
