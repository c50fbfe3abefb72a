/**
 * Peer: a batch with npm `maxmind`. Objects, and JSON.stringify over the whole; no key, no counting. Argument: an export of our dataset; without one
 * it answers with the country alone.
 */
import Fastify from 'fastify';
import { openByArgument } from '../maxmind.ts';
import { listen } from './contestant-server.ts';

const reader = await openByArgument(process.argv[2]);

const app = Fastify();
app.post<{ Body: { ips: string[] } }>('/v1/ip/batch', (request, reply) => {
  const data: Record<string, object> = {};
  for (const ip of request.body.ips) data[ip] = { ip, ...reader.get(ip) };
  return reply.type('application/json; charset=utf-8').send(JSON.stringify({ data }));
});
await listen(app);
