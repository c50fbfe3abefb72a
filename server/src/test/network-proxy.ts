/** A TCP proxy in front of a server, on which the network between can be made to fail. */
import { once } from 'node:events';
import { type AddressInfo, createServer, connect as openSocket, type Server, type Socket } from 'node:net';

/**
 * `drops`: no byte arrives in either direction, and nothing is closed. `refuses`: connections are cut and new ones
 * refused. `delays`: what the server sends arrives late. `loses commits`: a commit reaches the server, and the
 * connection is cut before its answer arrives.
 */
export type Network = 'works' | 'drops' | 'refuses' | 'delays' | 'loses commits';

export class NetworkProxy {
  readonly #target: { host: string; port: number };
  readonly #sockets = new Set<Socket>();
  readonly #delayMs: number;
  #server: Server = createServer();
  #port = 0;
  #network: Network = 'works';
  /** Answers to a commit that were not passed on. */
  lostCommits = 0;

  private constructor(target: URL, delayMs: number) {
    this.#target = { host: target.hostname, port: Number(target.port) };
    this.#delayMs = delayMs;
  }

  static async start(target: string, delayMs = 0): Promise<NetworkProxy> {
    const proxy = new NetworkProxy(new URL(target), delayMs);
    await proxy.#listen();
    return proxy;
  }

  /** The URL of the server, through this proxy. */
  url(target: string): string {
    const url = new URL(target);
    url.host = `127.0.0.1:${this.#port}`;
    return url.href;
  }

  async set(network: Network): Promise<void> {
    const before = this.#network;
    this.#network = network;
    if (network === 'refuses') await this.#close();
    else if (before === 'refuses') await this.#listen();
  }

  async stop(): Promise<void> {
    await this.#close();
  }

  async #listen(): Promise<void> {
    this.#server = createServer((client) => this.#join(client)).listen(this.#port, '127.0.0.1');
    await once(this.#server, 'listening');
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  async #close(): Promise<void> {
    const closed = this.#server.listening ? once(this.#server, 'close') : undefined;
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #join(client: Socket): void {
    const server = openSocket(this.#target);
    let isCommitting = false;
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#sockets.add(from);
      from.on('data', (bytes) => {
        if (this.#network === 'drops') return;
        if (this.#network === 'loses commits' && from === client && bytes.includes('commit')) isCommitting = true;
        if (isCommitting && from === server) {
          this.lostCommits++;
          client.destroy();
          return;
        }
        const isLate = this.#network === 'delays' && from === server;
        if (isLate) setTimeout(() => to.write(bytes), this.#delayMs);
        else to.write(bytes);
      });
      from.on('error', () => {});
      from.on('close', () => {
        this.#sockets.delete(from);
        // Nothing gets through, the end of a connection neither.
        if (this.#network !== 'drops') to.destroy();
      });
    }
  }
}
