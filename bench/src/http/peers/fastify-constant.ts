/**
 * Peer: a Fastify route that sends a constant text. The first argument is its size; with `headers`
 * as the second, it sends as many headers as our server.
 */
import Fastify from 'fastify';
import { listen } from './peer-server.ts';

const bytes = Number(process.argv[2]);
const frame = '{"data":""}';
const answer = frame.replace('""', `"${'x'.repeat(bytes - frame.length)}"`);

const headers = {
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'X-Request-ID': '00000000-0000-4000-8000-000000000000',
  'X-RateLimit-Limit': '2147483647',
  'X-RateLimit-Remaining': '2147483647',
  'X-RateLimit-Reset': '1794787200',
  'X-Cache-Status': 'MISS',
};

const app = Fastify();
app.get('/v1/ip/:ip', (_request, reply) => {
  if (process.argv[3] === 'headers') reply.headers(headers);
  return reply.type('application/json; charset=utf-8').send(answer);
});
await listen(app);
