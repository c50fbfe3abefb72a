/**
 * The DNS client against a real server on 127.0.0.1 that answers with hostile bytes, over UDP and
 * TCP. The name that is asked for has the random numbers of the case, so the same case gets the
 * same bytes.
 */
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { createDnsClient, type DnsClient } from '@whence/email/resolver';
import { seededWords } from '@whence/testing/seeded-random';
import { parseQuery } from '../../dns-message.ts';
import { below, oneIn } from '../case-random.ts';
import { hostileReply, QUESTION_TYPES } from './dns-cases.ts';
import { describeError, type FuzzInput, type Subject } from './subject.ts';

/** What is no answer is waited past, so this is what such a case takes. */
const TIMEOUT_MS = 60;
const MAX_CASE_MS = 1_000;
const KINDS = ['found', 'nodata', 'nxdomain', 'failure'];

export async function openDnsExchanges(): Promise<Subject> {
  const { tcp, udp, port } = await startHostileServer();
  const client = createDnsClient({
    servers: [`127.0.0.1:${port}`],
    timeoutMs: TIMEOUT_MS,
    tries: 1,
  });
  return {
    concurrency: 64,
    make: (random) => ({ about: 'name', bytes: Buffer.from(`c${random().toString(36)}.example`) }),
    run: (input) => ask(client, input),
    close() {
      client.close();
      udp.close();
      tcp.close();
    },
  };
}

async function ask(client: DnsClient, { bytes }: FuzzInput): Promise<string | undefined> {
  const name = bytes.toString();
  const resolver = client.forCheck(name, { deadlineMs: MAX_CASE_MS });
  const type = QUESTION_TYPES[name.length % QUESTION_TYPES.length];
  try {
    const { txt, mx, a, aaaa, tlsa, ptr } = resolver;
    const answer = await { TXT: txt, MX: mx, A: a, AAAA: aaaa, TLSA: tlsa, PTR: ptr, NS: txt }[
      type ?? 'A'
    ](name);
    return KINDS.includes(answer.kind) ? undefined : `returned the kind ${answer.kind}`;
  } catch (error) {
    return describeError(error);
  }
}

async function startHostileServer(): Promise<{ tcp: Server; udp: Socket; port: number }> {
  const tcp = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    socket.on('data', (chunk) => {
      const query = parseQuery(chunk.subarray(2));
      if (query === undefined) return;
      const random = randomOf(query.name);
      const reply = hostileReply(query, random);
      const length = Buffer.alloc(2);
      // Now and then more or less than what follows.
      length.writeUInt16BE(oneIn(random, 4) ? below(random, 0x10000) : reply.length);
      socket.end(Buffer.concat([length, reply]));
    });
  }).listen(0, '127.0.0.1');
  await once(tcp, 'listening');
  const { port } = tcp.address() as AddressInfo;
  const udp = createSocket('udp4', (message, from) => {
    const query = parseQuery(message);
    if (query !== undefined)
      udp.send(hostileReply(query, randomOf(query.name)), from.port, from.address);
  });
  udp.bind(port, '127.0.0.1');
  await once(udp, 'listening');
  return { tcp, udp, port };
}

function randomOf(name: string) {
  return seededWords(Number.parseInt(name.slice(1), 36) || 0);
}
