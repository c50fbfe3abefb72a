/**
 * Peer: how an address lookup is usually put on HTTP. Fastify, npm `maxmind`, JSON.stringify; no key, no counting. Argument: an export of our dataset;
 * without one it answers with the country alone.
 */
import Fastify from 'fastify';
import { openByArgument } from '../maxmind.ts';
import { listen } from './contestant-server.ts';

const reader = await openByArgument(process.argv[2]);

const app = Fastify();
app.get<{ Params: { ip: string } }>('/v1/ip/:ip', (request, reply) => {
  const { ip } = request.params;
  return reply.type('application/json; charset=utf-8').send(JSON.stringify({ ip, ...reader.get(ip) }));
});
await listen(app);
