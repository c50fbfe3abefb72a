/**
 * Clients that ask for much and never read an answer: batches one after the other on one connection, more than the
 * buffers of both kernels hold, so that the server has to keep the rest or give up.
 */
import { connect, type Socket } from 'node:net';

const BATCHES = 12;
const ADDRESSES = 1_000;

export class NeverReadingClients {
  readonly #port: number;
  readonly #request: Buffer;
  readonly #sockets = new Set<Socket>();
  opened = 0;

  constructor(port: number, key: string, addresses: readonly string[]) {
    this.#port = port;
    const body = JSON.stringify({ ips: addresses.slice(0, ADDRESSES) });
    const head = `POST /v1/ip/batch HTTP/1.1\r\nHost: whence\r\nX-API-Key: ${key}\r\nContent-Type: application/json\r\n`;
    this.#request = Buffer.from(`${head}Content-Length: ${body.length}\r\n\r\n${body}`);
  }

  open(): void {
    const socket = connect(this.#port, '127.0.0.1');
    this.#sockets.add(socket);
    this.opened++;
    // A server that gives up resets the connection.
    socket.on('error', () => {});
    socket.on('close', () => this.#sockets.delete(socket));
    socket.pause();
    for (let i = 0; i < BATCHES; i++) socket.write(this.#request);
  }

  closeAll(): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}
