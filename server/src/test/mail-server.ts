/** A mail server on the loopback that takes every message and answers what a test says to it. */
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { createInterface } from 'node:readline';

/** `take` answers a message, headers included. */
export async function startMailServer(
  take: (message: string) => string,
): Promise<{ port: number; close: () => void }> {
  const server = createServer((socket) => {
    let message: string | undefined;
    socket.on('error', () => {}).write('220 mx.example.com ESMTP\r\n');
    createInterface({ input: socket }).on('line', (line) => {
      if (message === undefined) {
        if (line === 'DATA') message = '';
        socket.write(line === 'DATA' ? '354 go ahead\r\n' : '250 ok\r\n');
      } else if (line === '.') {
        socket.write(take(message));
        message = undefined;
      } else {
        message += `${line}\r\n`;
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, close: () => server.close() };
}

/** The text of a message, which is sent as quoted-printable where lines are long. */
export const mailText = (message: string): string =>
  message.replaceAll('=\r\n', '').replaceAll('=3D', '=');
