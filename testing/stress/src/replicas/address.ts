/**
 * A fixed address that leads to one server at a time, as a virtual IP address does in a failover.
 */
import { once } from 'node:events';
import {
  type AddressInfo,
  createServer,
  connect as openSocket,
  type Server,
  type Socket,
} from 'node:net';

export class FixedAddress {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #target: { host: string; port: number };

  private constructor(target: string) {
    this.#target = addressOf(target);
    this.#server = createServer((client) => this.#join(client)).listen(0, '127.0.0.1');
  }

  static async open(target: string): Promise<FixedAddress> {
    const address = new FixedAddress(target);
    await once(address.#server, 'listening');
    return address;
  }

  /** A URL of the server, through this address. */
  url(target: string): string {
    const url = new URL(target);
    url.host = `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    return url.href;
  }

  /** Connections to the server before are cut. */
  leadTo(target: string): void {
    this.#target = addressOf(target);
    for (const socket of this.#sockets) socket.destroy();
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #join(client: Socket): void {
    const server = openSocket(this.#target);
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#sockets.add(from);
      from.setNoDelay(true).pipe(to);
      from.on('error', () => {});
      from.on('close', () => {
        this.#sockets.delete(from);
        to.destroy();
      });
    }
  }
}

function addressOf(target: string): { host: string; port: number } {
  const { hostname, port } = new URL(target);
  return { host: hostname, port: Number(port) };
}
