/** Peer: a Fastify route that does nothing but send a text of the size of our answer, which is passed as the argument. */
import Fastify from 'fastify';
import { listen } from './contestant-server.ts';

const bytes = Number(process.argv[2]);
const frame = '{"data":""}';
const answer = frame.replace('""', `"${'x'.repeat(bytes - frame.length)}"`);

const app = Fastify();
app.get('/v1/ip/:ip', (_request, reply) => reply.type('application/json; charset=utf-8').send(answer));
await listen(app);
