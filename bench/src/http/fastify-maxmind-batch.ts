/** Peer: a batch with npm `maxmind`. Objects, and JSON.stringify over the whole; no key, no counting. */
import Fastify from 'fastify';
import { openFasterMaxmind } from '../maxmind.ts';
import { listen } from './contestant-server.ts';

const reader = openFasterMaxmind();

const app = Fastify();
app.post<{ Body: { ips: string[] } }>('/v1/ip/batch', (request, reply) => {
  const data: Record<string, object> = {};
  for (const ip of request.body.ips) data[ip] = { ip, ...reader.get(ip) };
  return reply.type('application/json; charset=utf-8').send(JSON.stringify({ data }));
});
await listen(app);
