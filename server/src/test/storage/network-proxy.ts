/** A TCP proxy in front of a server, on which the network between can be made to fail. */
import { once } from 'node:events';
import {
  type AddressInfo,
  createServer,
  connect as openSocket,
  type Server,
  type Socket,
} from 'node:net';

/**
 * `drops`: neither a byte nor the end of a connection arrives, in either direction, until the
 * network works again and TCP repeats them. `drops answers`: the same for what the server sends.
 * `refuses`: connections are cut and new ones refused. `delays`: what the server sends arrives
 * late.
 * `loses commits`: a commit reaches the server, and the connection is cut before its answer
 * arrives. `shuts down`: PostgreSQL ends each connection in the packet that says that it is ready.
 * `answers one`: connections other than the oldest are opened, and nothing that they ask after that
 * is answered.
 */
export type Network =
  | 'works'
  | 'drops'
  | 'drops answers'
  | 'refuses'
  | 'delays'
  | 'loses commits'
  | 'shuts down'
  | 'answers one';

/** ReadyForQuery, and the FATAL message of a shutdown: severity, SQLSTATE and text. */
const READY = Buffer.from('5a0000000549', 'hex');
const SHUTDOWN = ((fields) => {
  const length = Buffer.alloc(4);
  length.writeInt32BE(fields.length + 4);
  return Buffer.concat([Buffer.from('E'), length, fields]);
})(Buffer.from('SFATAL\0VFATAL\0C57P01\0Mterminating connection due to administrator command\0\0'));

export class NetworkProxy {
  #target: { host: string; port: number };
  readonly #sockets = new Set<Socket>();
  /** Bytes and ends of connections that did not arrive: what TCP repeats. */
  #dropped: (() => void)[] = [];
  readonly #delayMs: number;
  #server: Server = createServer();
  #port = 0;
  #network: Network = 'works';
  /** Answers to a commit that were not passed on. */
  lostCommits = 0;
  /** Answers that were not passed on to a connection that is not the oldest. */
  unanswered = 0;
  /** Packets from the client, each of which is a question or a part of one. */
  questions = 0;
  /** Connections that were ended in the packet that says that they are ready. */
  shutdowns = 0;

  private constructor(target: URL, delayMs: number) {
    this.#target = addressOf(target);
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
    if (network === 'works') for (const repeat of this.#dropped.splice(0)) repeat();
  }

  /** Leads to another server from now on. Connections to the one before are cut. */
  async leadTo(target: string): Promise<void> {
    this.#target = addressOf(new URL(target));
    for (const socket of this.#sockets) socket.destroy();
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
    const isOldest = this.#sockets.size === 0;
    let isReady = false;
    let isCommitting = false;
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#sockets.add(from);
      const late: Buffer[] = [];
      const isDropped = () =>
        this.#network === 'drops' || (this.#network === 'drops answers' && from === server);
      from.on('data', (bytes: Buffer) => {
        if (from === client) this.questions++;
        if (isDropped()) {
          this.#dropped.push(() => to.write(bytes));
          return;
        }
        if (this.#network === 'answers one' && !isOldest && from === server) {
          if (isReady) {
            this.unanswered++;
            return;
          }
          isReady = bytes.subarray(-READY.length).equals(READY);
        }
        if (this.#network === 'loses commits' && from === client && isCommit(bytes))
          isCommitting = true;
        if (isCommitting && from === server) {
          this.lostCommits++;
          client.destroy();
          return;
        }
        if (
          this.#network === 'shuts down' &&
          from === server &&
          bytes.subarray(-READY.length).equals(READY)
        ) {
          this.shutdowns++;
          client.end(Buffer.concat([bytes, SHUTDOWN]));
          server.destroy();
          return;
        }
        const isLate = this.#network === 'delays' && from === server;
        late.push(bytes);
        // In the order in which they were sent, also when the delay ends.
        const pass = (count: number) => {
          for (const part of late.splice(0, count)) to.write(part);
        };
        if (isLate) setTimeout(() => pass(1), this.#delayMs);
        else pass(late.length);
      });
      from.on('error', () => {});
      from.on('close', () => {
        this.#sockets.delete(from);
        if (isDropped()) this.#dropped.push(() => to.destroy());
        else to.destroy();
      });
    }
  }
}

const addressOf = ({ hostname, port }: URL) => ({ host: hostname, port: Number(port) });

/** The end of a transaction, or a statement of statistics, which is one by itself. */
function isCommit(bytes: Buffer): boolean {
  return /\bcommit\b|insert into writers/.test(bytes.toString('latin1'));
}
