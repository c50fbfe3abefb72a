/**
 * Peer: a typical lookup service: Fastify, npm `maxmind`, objects and JSON.stringify; no key, no counting. Argument: an
 * export of our dataset; without it the peer returns only the country.
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
app.post<{ Body: { ips: string[] } }>('/v1/ip/batch', (request, reply) => {
  const data: Record<string, object> = {};
  for (const ip of request.body.ips) data[ip] = { ip, ...reader.get(ip) };
  return reply.type('application/json; charset=utf-8').send(JSON.stringify({ data }));
});
await listen(app);
