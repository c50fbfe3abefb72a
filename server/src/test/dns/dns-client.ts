/** A client of the DNS zone that sends any bytes, and sees what is not answered. */
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { connect } from 'node:net';
import { freePort } from '@whence/testing/programs';
import {
  type Answer,
  decode,
  encode,
  type OptAnswer,
  type Packet,
  type RecordType,
} from 'dns-packet';
import { startInProcess, type TestFolder } from '../test-server.ts';

export type Edns = Partial<Pick<OptAnswer, 'udpPayloadSize' | 'ednsVersion' | 'flags'>>;

/** An option record. */
export function opt({ udpPayloadSize = 1232, ednsVersion = 0, flags = 0 }: Edns = {}): OptAnswer {
  const rest = { extendedRcode: 0, flag_do: false, options: [] };
  return { type: 'OPT', name: '.', udpPayloadSize, ednsVersion, flags, ...rest };
}

export function question(name: string, type: string, more: Packet = {}): Buffer {
  return encode({ type: 'query', id: 1, questions: [{ name, type: type as RecordType }], ...more });
}

/** Code, texts or addresses of the answers, and whether there is a SOA record. */
export function summaryOf(bytes: Buffer): { code: string; answers: string[]; hasSoa: boolean } {
  const { answers = [], authorities = [] } = decode(bytes);
  const code = RCODES[bytes.readUInt8(3) & 0x0f] ?? '';
  return {
    code,
    answers: answers.map(textOf),
    hasSoa: authorities.some(({ type }) => type === 'SOA'),
  };
}

const RCODES = ['NOERROR', 'FORMERR', 'SERVFAIL', 'NXDOMAIN', 'NOTIMP', 'REFUSED'];

function textOf(answer: Answer): string {
  if (answer.type === 'TXT') return [answer.data].flat().join('');
  return answer.type === 'A' || answer.type === 'NS' ? answer.data : answer.type;
}

export class DnsClient {
  readonly port: number;
  readonly #host: string;
  readonly #socket: Socket;
  readonly #waiting = new Map<number, (bytes: Buffer) => void>();
  #unexpected: Buffer[] = [];
  #id = 0;

  private constructor(port: number, host: string, socket: Socket) {
    this.port = port;
    this.#host = host;
    this.#socket = socket.on('message', (bytes) => {
      const id = bytes.length < 2 ? -1 : bytes.readUInt16BE(0);
      const received = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (received === undefined) this.#unexpected.push(bytes);
      else received(bytes);
    });
  }

  static async open(port: number, host = '127.0.0.1'): Promise<DnsClient> {
    const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4');
    socket.bind(0, host);
    await once(socket, 'listening');
    return new DnsClient(port, host, socket);
  }

  /** Sends it with an id of its own, and resolves with the response. */
  ask(packet: Buffer): Promise<Buffer> {
    const id = this.#id++ & 0x7fff;
    const sent = Buffer.from(packet);
    sent.writeUInt16BE(id, 0);
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      this.#socket.send(sent, this.port, this.#host);
    });
  }

  /**
   * Responses to packets that may get none: all that arrive before the response to a question that
   * is sent last.
   */
  async responsesTo(packets: readonly Buffer[], last: Buffer): Promise<Buffer[]> {
    this.#unexpected = [];
    for (const packet of packets) this.#socket.send(packet, this.port, this.#host);
    await this.ask(last);
    return this.#unexpected;
  }

  close(): void {
    this.#socket.close();
  }
}

export async function startZone(folder: TestFolder, settings: Record<string, string> = {}) {
  const port = await freePort();
  const server = await startInProcess(folder, undefined, {
    WHENCE_DNS_LISTEN: `127.0.0.1:${port}`,
    ...settings,
  });
  const client = await DnsClient.open(port);
  return {
    ...server,
    client,
    port,
    async close() {
      client.close();
      await server.close();
    },
  };
}

const lengthOf = (packet: Buffer) => Buffer.of(packet.length >> 8, packet.length & 0xff);
/** As it is sent over TCP. */
export const framed = (packet: Buffer) => Buffer.concat([lengthOf(packet), packet]);

/**
 * Writes the chunks to a connection, each as a segment, and reads `count` responses, or until it is
 * closed.
 */
export async function askOverTcp(
  port: number,
  chunks: readonly Buffer[],
  count: number,
  isEnded = false,
) {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  socket.on('error', () => {});
  const responses: Buffer[] = [];
  let received = Buffer.alloc(0);
  const read = new Promise<void>((resolve) => {
    socket.on('close', () => resolve());
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      while (received.length >= 2 && received.length >= 2 + received.readUInt16BE(0)) {
        const end = 2 + received.readUInt16BE(0);
        responses.push(received.subarray(2, end));
        received = received.subarray(end);
      }
      if (responses.length >= count) resolve();
    });
  });
  await once(socket, 'connect');
  for (const chunk of chunks) {
    await new Promise((resolve) => socket.write(chunk, resolve));
    await new Promise((resolve) => setImmediate(resolve));
  }
  if (isEnded) socket.end();
  await read;
  socket.destroy();
  return responses;
}
