// The zone over UDP and TCP on one port; workers share the sockets. Other networks get no TCP
// connection, and over UDP a refusal no longer than the question, so that a forged sender gains
// nothing.
import { createSocket, type RemoteInfo, type Socket as UdpSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import type { Admission } from '../admission/admission.ts';
import { FREE } from '../admission/declaration.ts';
import { AllowedClients } from '../limits/allowed-clients.ts';
import type { Logger } from '../log/log.ts';
import type { ServedDataset } from '../lookup/live-dataset.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { Responder, type Response } from './respond.ts';
import { AnswerTurns, serveConnection } from './tcp-connection.ts';

const MAX_CONNECTIONS = 200;

type DnsServerOptions = {
  readonly admission: Admission;
  readonly listen: { readonly address: string; readonly port: number; readonly family: 4 | 6 };
  readonly allow: readonly string[];
  readonly zone: string;
  readonly served: () => ServedDataset | undefined;
  readonly metrics: Metrics;
  readonly log: Logger;
};

export class DnsServer {
  readonly #admission: Admission;
  readonly #allowed: AllowedClients;
  readonly #responder: Responder;
  readonly #metrics: Metrics;
  readonly #udp: UdpSocket;
  readonly #tcp: Server;
  /** The one whose last question is the oldest comes first. */
  readonly #connections = new Set<Socket>();
  readonly #turns = new AnswerTurns();

  private constructor({ admission, listen, allow, zone, served, metrics }: DnsServerOptions) {
    this.#admission = admission;
    this.#allowed = new AllowedClients(allow);
    this.#responder = new Responder(zone, served);
    this.#metrics = metrics;
    this.#udp = createSocket({
      type: listen.family === 4 ? 'udp4' : 'udp6',
      // Clients are addresses: the lookup of Node costs as much as the rest of an answer.
      lookup: (address, _options, found) => found(null, address, listen.family),
    });
    // At most 32 datagrams in a turn of the event loop: libuv reads no more of a socket at a time.
    this.#udp.on('message', (packet, from) => this.#answer(packet, from));
    this.#tcp = createServer({ allowHalfOpen: true, noDelay: true }, (socket) =>
      this.#accept(socket),
    );
  }

  static async start(options: DnsServerOptions): Promise<DnsServer> {
    const { address, port } = options.listen;
    const { zone, log } = options;
    const server = new DnsServer(options);
    try {
      server.#tcp.listen(port, address);
      await once(server.#tcp, 'listening');
      // Emitted at once, because the lookup is.
      const isBound = once(server.#udp, 'listening');
      server.#udp.bind(port, address);
      await isBound;
    } catch (error) {
      server.close();
      throw error;
    }
    server.#tcp.on('error', (error) =>
      log.warn({ err: error }, 'DNS: a connection could not be accepted'),
    );
    server.#udp.on('error', (error) =>
      log.warn({ err: error }, 'DNS: an answer could not be sent'),
    );
    log.info({ address, port, zone }, 'DNS: listening');
    return server;
  }

  close(): void {
    this.#tcp.close();
    for (const socket of this.#connections) socket.destroy();
    this.#udp.close();
  }

  #answer(packet: Buffer, { address, port }: RemoteInfo): void {
    const response = this.#isAdmitted(address)
      ? this.#responder.respond(packet, true)
      : this.#responder.refuse(packet);
    this.#count(response);
    // Only a forged sender has port 0, to which nothing can be sent.
    if (response.bytes !== undefined && port !== 0) this.#udp.send(response.bytes, port, address);
  }

  #accept(socket: Socket): void {
    if (!this.#isAdmitted(socket.remoteAddress ?? '')) {
      this.#metrics.countDnsQuestion('none', 'refused');
      socket.destroy();
      return;
    }
    const [oldest] = this.#connections;
    if (this.#connections.size >= MAX_CONNECTIONS) oldest?.destroy();
    this.#connections.add(socket);
    socket.once('close', () => this.#connections.delete(socket));
    serveConnection(
      socket,
      (packet) => {
        const response = this.#responder.respond(packet, false);
        this.#count(response);
        return response.bytes;
      },
      () => {
        this.#connections.delete(socket);
        this.#connections.add(socket);
      },
      this.#turns,
    );
  }

  #isAdmitted(client: string): boolean {
    const requester = { kind: 'network', client, allowed: this.#allowed } as const;
    return this.#admission.admit(requester, FREE, 0).refusal === undefined;
  }

  #count({ type, result }: Response): void {
    this.#metrics.countDnsQuestion(type, result);
  }
}
