import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import test from 'node:test';
import { until } from '@whence/testing/until';
import { AnswerTurns, serveConnection } from './tcp-connection.ts';

const CONNECTIONS = 40;
const QUESTIONS = 1_000;

const framed = (text: string) => Buffer.concat([Buffer.of(0, text.length), Buffer.from(text)]);

test('dns zone over tcp: questions sent ahead on many connections do not delay the question of another', async (t) => {
  const turns = new AnswerTurns();
  const answered: string[] = [];
  let onFirst = () => {};
  const respond = (packet: Buffer) => {
    answered.push(packet.toString());
    if (answered.length === 1) onFirst();
    return packet;
  };
  const sockets = new Set<Socket>();
  const server = createServer((socket) =>
    serveConnection(sockets.add(socket) && socket, respond, () => {}, turns),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const open = async () => {
    const socket = connect(port, '127.0.0.1').resume();
    await once(socket, 'connect');
    return socket;
  };
  const clients = await Promise.all(Array.from({ length: CONNECTIONS + 1 }, open));
  t.after(() => {
    for (const socket of [...clients, ...sockets]) socket.destroy();
    server.close();
  });
  const [other, ...busy] = clients;
  // Sent when all the others have been sent, and the first of them is answered.
  onFirst = () => other?.write(framed('other'));
  const ahead = Buffer.concat(Array.from({ length: QUESTIONS }, (_, i) => framed(`ahead ${i}`)));
  for (const socket of busy) socket.write(ahead);
  await until('all are answered', () => answered.length === CONNECTIONS * QUESTIONS + 1);
  const before = answered.indexOf('other');
  // A turn of the event loop answers 64, and each of the others has at most a few turns first.
  assert.ok(before < (CONNECTIONS * QUESTIONS) / 10, `answered after ${before} others`);
  for (const i of [0, QUESTIONS - 1])
    assert.equal(answered.filter((text) => text === `ahead ${i}`).length, CONNECTIONS);
});
