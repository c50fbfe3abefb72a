// Tries once, on loopback, whether the shared read buffer works with this Node: it needs
// undocumented interfaces (`shared-buffer-socket`). One request is answered at the socket, one with
// a body by Node's parser, and another connection overwrites the buffer; at the end no connection
// may be left.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { Logger } from '../../log/log.ts';
import { paceConnections, type ReadMode } from './paced-connections.ts';
import { pacerOf } from './request-pacer.ts';
import { SharedBufferSocket } from './shared-buffer-socket.ts';

const TIMEOUT_MS = 5_000;

const AT_SOCKET = 'at the socket';
const BODY = 'a body that the parser must not leave in the shared buffer';
const POST = `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`;
const GET = `GET / HTTP/1.1\r\nHost: x\r\nX-Filler: ${'x'.repeat(POST.length)}\r\n\r\n`;
const OK = 'HTTP/1.1 200 OK\r\n';

type CheckOptions = {
  readonly timeoutMs?: number;
  /** For tests: a Node in which a connection cannot be taken over, or is not read. */
  readonly take?: (accepted: Socket) => SharedBufferSocket;
};

/** The fallback is logged: everything works, but slower. */
export async function chooseReadMode(log: Logger, check = checkSharedBuffer): Promise<ReadMode> {
  const reason = await check();
  if (reason === undefined) return 'shared-buffer';
  log.warn(
    { reason, node: process.version },
    'connections are read by data events, which is slower: the shared read buffer does not work here',
  );
  return 'data-events';
}

export async function checkSharedBuffer(options: CheckOptions = {}): Promise<string | undefined> {
  const { timeoutMs = TIMEOUT_MS, take = SharedBufferSocket.take } = options;
  const reads: string[] = [];
  const bodies: Buffer[] = [];
  const failed = new AbortController();
  const server = testServer(reads, bodies, take, (error) => failed.abort(error));
  const signal = AbortSignal.any([failed.signal, AbortSignal.timeout(timeoutMs)]);
  // `exclusive`: a worker must not ask the first process for the port.
  server.listen({ host: '127.0.0.1', port: 0, exclusive: true });
  let client: Socket | undefined;
  try {
    await once(server, 'listening', { signal });
    const { port } = server.address() as AddressInfo;
    client = connect({ host: '127.0.0.1', port });
    await exchange(client, AT_SOCKET, AT_SOCKET, signal);
    await exchange(client, POST, OK, signal);
    await exchange(client, GET, OK, signal);
    client.end();
    await once(client.resume(), 'end', { signal });
    if (reads.join('') !== AT_SOCKET + POST + GET)
      return 'a read did not arrive in the shared buffer';
    if (Buffer.concat(bodies).toString() !== BODY) return 'the parser does not copy bodies';
    const closed = once(server, 'close', { signal });
    server.close();
    await closed;
    return undefined;
  } catch (error) {
    if (failed.signal.aborted) return String(failed.signal.reason);
    return signal.aborted ? `no answer within ${timeoutMs} ms` : String(error);
  } finally {
    client?.destroy();
    server.close();
    server.closeAllConnections();
  }
}

async function exchange(
  socket: Socket,
  sent: string,
  expected: string,
  signal: AbortSignal,
): Promise<void> {
  const answered = once(socket, 'data', { signal }) as Promise<[Buffer]>;
  socket.write(sent);
  const [answer] = await answered;
  if (!answer.toString('latin1').startsWith(expected))
    throw new Error(`unexpected answer ${JSON.stringify(answer.toString('latin1'))}`);
}

function testServer(
  reads: string[],
  bodies: Buffer[],
  take: (accepted: Socket) => SharedBufferSocket,
  fail: (error: unknown) => void,
): Server {
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    pacerOf(request.socket)?.begin(request, response);
    request.on('data', (bytes: Buffer) => bodies.push(bytes));
    request.on('end', () => response.end());
  });
  paceConnections(server, 'shared-buffer');
  const [startParser] = server.listeners('connection') as ((
    this: Server,
    socket: Socket,
  ) => void)[];
  server.removeAllListeners('connection');
  server.on('connection', (accepted: Socket) => {
    try {
      const socket = take(accepted);
      socket.onRead = (buffer, size) => {
        const bytes = buffer.subarray(0, size);
        reads.push(bytes.toString('latin1'));
        if (bytes.equals(Buffer.from(AT_SOCKET))) {
          socket.send(Buffer.from(AT_SOCKET));
          return;
        }
        if (socket.pacer === undefined) startParser?.call(server, socket);
        socket.pacer?.receive(bytes);
      };
    } catch (error) {
      accepted.destroy();
      fail(error);
    }
  });
  return server;
}
