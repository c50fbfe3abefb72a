/** Peer: how an address lookup is usually put on HTTP. Fastify, npm `maxmind`, JSON.stringify; no key, no counting. */
import Fastify from 'fastify';
import { openFasterMaxmind } from '../maxmind.ts';
import { listen } from './contestant-server.ts';

const reader = openFasterMaxmind();

const app = Fastify();
app.get<{ Params: { ip: string } }>('/v1/ip/:ip', (request, reply) => {
  const { ip } = request.params;
  return reply.type('application/json; charset=utf-8').send(JSON.stringify({ ip, ...reader.get(ip) }));
});
await listen(app);
