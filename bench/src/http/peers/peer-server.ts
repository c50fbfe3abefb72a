/** Starts a peer on a free loopback port and prints the port. */
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';

export async function listen(app: FastifyInstance): Promise<void> {
  await app.listen({ host: '127.0.0.1', port: 0 });
  process.stdout.write(`${(app.server.address() as AddressInfo).port}\n`);
}
