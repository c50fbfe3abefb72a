/**
 * Child process: the DNS server of a run, over UDP and TCP on one port of 127.0.0.1. Prints its
 * address. Answers from
 * `zones.ts`, and over UDP with a truncated message where the answer does not fit.
 */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { encodeReply, encodeTruncated, parseQuery, type Query, RCODE } from '../../dns-message.ts';
import { replyTo } from './zones.ts';

/** What the client states (EDNS), which is more than any ordinary answer has. */
const MAX_UDP_BYTES = 1232;

const tcp = createServer((socket) => {
  let received = Buffer.alloc(0);
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk) => {
    received = Buffer.concat([received, chunk]);
    if (received.length < 2 || received.length < 2 + received.readUInt16BE(0)) return;
    const query = parseQuery(received.subarray(2));
    const reply = query && answerTo(query);
    if (reply === undefined) return;
    const length = Buffer.alloc(2);
    length.writeUInt16BE(reply.length);
    socket.end(Buffer.concat([length, reply]));
  });
}).listen(0, '127.0.0.1');
await once(tcp, 'listening');
const { port } = tcp.address() as AddressInfo;

const udp = createSocket('udp4', (message, { port: clientPort, address }) => {
  const query = parseQuery(message);
  if (query === undefined) return;
  const reply = answerTo(query);
  if (reply === undefined) return;
  udp.send(reply.length > MAX_UDP_BYTES ? encodeTruncated(query) : reply, clientPort, address);
});
udp.bind(port, '127.0.0.1');
await once(udp, 'listening');
process.stdout.write(`127.0.0.1:${port}\n`);

/** Undefined: nothing is sent. */
function answerTo(query: Query): Buffer | undefined {
  const reply = replyTo(query.name, query.type);
  if (reply === 'silent') return undefined;
  if (reply === 'nxdomain') return encodeReply(query, RCODE.NXDOMAIN, []);
  return encodeReply(query, RCODE.NOERROR, reply.answers);
}
