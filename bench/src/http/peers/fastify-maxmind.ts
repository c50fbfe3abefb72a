/**
 * Peer: a typical lookup service: Fastify, npm `maxmind`, JSON.stringify; no key, no counting. Argument: an export of
 * our dataset; without it the peer returns only the country.
 */
import Fastify from 'fastify';
import { openByArgument } from '../../engine/maxmind.ts';
import { listen } from './peer-server.ts';

const reader = await openByArgument(process.argv[2]);

const app = Fastify();
app.get<{ Params: { ip: string } }>('/v1/ip/:ip', (request, reply) => {
  const { ip } = request.params;
  return reply.type('application/json; charset=utf-8').send(JSON.stringify({ ip, ...reader.get(ip) }));
});
await listen(app);
