/**
 * Child process: an HTTPS host for MTA-STS policies that never sends one. What it does instead
 * depends on the number of the check in the host name. Prints its port and the file with the
 * certificate of its authority, in the folder that is its argument.
 */
import { writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createSecureContext, createServer, type TLSSocket } from 'node:tls';
import { createAuthority } from '@whence/testing/servers/certificates';

const SEND_EVERY_MS = 10;

const [folder = '.'] = process.argv.slice(2);
const authority = createAuthority('Policy hosts of a soak run');
const authorityFile = join(folder, 'policy-authority.pem');
writeFileSync(authorityFile, authority.cert);

/** Sends until the client closes. */
function sendEndlessly(socket: TLSSocket, first: string, next: string): void {
  socket.write(first);
  const timer = setInterval(() => {
    if (socket.writableLength === 0) socket.write(next);
  }, SEND_EVERY_MS);
  socket.once('close', () => clearInterval(timer));
}

const ATTACKS: readonly ((socket: TLSSocket) => void)[] = [
  (socket) =>
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n'),
  // Accepts the request and stays silent.
  () => {},
  (socket) => sendEndlessly(socket, 'HTTP/1.1 200 OK\r\n', 'X-More: a\r\n'),
  (socket) => sendEndlessly(socket, '', 'HTTP/1.1 103 Early Hints\r\n\r\n'),
  (socket) =>
    sendEndlessly(
      socket,
      'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 60000\r\n\r\n',
      'a',
    ),
  (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nversion: STSv1\r\n'),
];

// A wildcard stands for one label only, so each host gets a certificate of its own.
const server = createServer({
  ...authority.issue(['localhost']),
  SNICallback: (name, done) => done(null, createSecureContext(authority.issue([name]))),
});
server.on('secureConnection', (socket) => {
  const check = Number(/^mta-sts\.c(\d+)\./.exec(String(socket.servername))?.[1] ?? 0);
  // The client gives up and resets.
  socket.on('error', () => socket.destroy());
  socket.once('data', () => ATTACKS[check % ATTACKS.length]?.(socket));
});
server.on('tlsClientError', () => {});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(
    `${JSON.stringify({ port: (server.address() as AddressInfo).port, authorityFile })}\n`,
  );
});
