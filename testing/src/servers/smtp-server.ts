/**
 * A mail server on the loopback up to STARTTLS, which says what a test tells it to, and notes what
 * it was told.
 */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { Certificate } from './certificates.ts';

/** A text is sent as it is. */
type Says = string | ((socket: Socket) => void);

export type SmtpScript = {
  readonly greeting?: Says;
  readonly ehlo?: Says;
  readonly starttls?: Says;
  /** For TLS after a reply of 220 to STARTTLS. */
  readonly certificate?: Certificate;
};

export type SmtpServer = {
  readonly port: number;
  /** Commands, without the line ends. */
  readonly received: readonly string[];
  readonly connections: number;
  close(): Promise<void>;
};

export async function startSmtpServer({
  greeting = '220 mx.example.com ESMTP\r\n',
  ehlo = '250-mx.example.com\r\n250-PIPELINING\r\n250 STARTTLS\r\n',
  starttls = '220 go ahead\r\n',
  certificate,
}: SmtpScript): Promise<SmtpServer> {
  const received: string[] = [];
  const open = new Set<Socket>();
  let connections = 0;
  const say = (socket: Socket, what: Says) =>
    typeof what === 'string' ? socket.write(what) : what(socket);
  const server = createServer((socket) => {
    connections++;
    open.add(socket);
    socket.on('close', () => open.delete(socket)).on('error', () => {});
    say(socket, greeting);
    const take = (data: Buffer) => {
      for (const command of data.toString('latin1').split('\r\n').filter(Boolean)) {
        received.push(command);
        if (command.startsWith('EHLO')) say(socket, ehlo);
        else if (command === 'QUIT') socket.end('221 bye\r\n');
        else if (command === 'STARTTLS') {
          say(socket, starttls);
          if (certificate === undefined) return;
          socket.removeListener('data', take);
          const secure = new TLSSocket(socket, { isServer: true, ...certificate });
          secure
            .on('error', () => {})
            .on('data', (text) => received.push(`TLS ${text.toString().trim()}`));
        }
      }
    };
    socket.on('data', take);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    received,
    get connections() {
      return connections;
    },
    async close() {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
