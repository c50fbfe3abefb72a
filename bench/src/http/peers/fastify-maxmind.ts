/**
 * Peer: a typical lookup service: Fastify, npm `maxmind`, objects and JSON.stringify; no key, no
 * counting. Arguments: an export of our dataset, without which the peer returns only the country; a
 * file of networks as JSON.
 */
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import Fastify from 'fastify';
import { openByArgument } from '../../engine/maxmind.ts';
import { listen } from './peer-server.ts';

const reader = await openByArgument(process.argv[2]);

const networks = new Map<string, object>(
  process.argv[3] ? JSON.parse(readFileSync(process.argv[3], 'utf8')) : [],
);

const app = Fastify();
app.get<{ Params: { ip: string } }>('/v1/ip/:ip', (request, reply) => {
  const { ip } = request.params;
  if (isIP(ip) === 0) return reply.code(400).send({ error: 'invalid IP address' });
  return reply
    .type('application/json; charset=utf-8')
    .send(JSON.stringify({ ip, ...reader.get(ip) }));
});
app.get<{ Params: { asn: string } }>('/v1/asn/:asn', (request, reply) =>
  reply
    .type('application/json; charset=utf-8')
    .send(JSON.stringify({ data: networks.get(request.params.asn) })),
);
app.post<{ Body: { ips: string[] } }>('/v1/ip/batch', (request, reply) => {
  const data: Record<string, object> = {};
  for (const ip of request.body.ips) data[ip] = { ip, ...reader.get(ip) };
  return reply.type('application/json; charset=utf-8').send(JSON.stringify({ data }));
});
await listen(app);
