/** The DNS of the invented domain, on 127.0.0.1: no query leaves this machine. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type Answer, AUTHORITATIVE_ANSWER, decode, encode } from 'dns-packet';
import { EXAMPLE_ZONE } from './example-domain.ts';

const TTL_SECONDS = 300;
const NXDOMAIN = 3;

export async function startExampleDns(): Promise<{ address: string; close(): Promise<void> }> {
  const socket = createSocket('udp4');
  socket.on('message', (query, { port, address }) => {
    const answer = answerTo(query);
    if (answer !== undefined) socket.send(answer, port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    address: `127.0.0.1:${socket.address().port}`,
    close: async () => {
      socket.close();
      await once(socket, 'close');
    },
  };
}

/** Undefined for what is no query. */
function answerTo(bytes: Buffer): Buffer | undefined {
  try {
    const { id = 0, questions = [] } = decode(bytes);
    const [question] = questions;
    if (question === undefined) return undefined;
    const name = question.name.toLowerCase();
    const node = EXAMPLE_ZONE[name];
    // Names above those of the zone exist too.
    const exists = Object.keys(EXAMPLE_ZONE).some(
      (existing) => existing === name || existing.endsWith(`.${name}`),
    );
    const answers = (node ?? [])
      .filter(({ type }) => type === question.type)
      .map((record) => ({ ...record, name: question.name, ttl: TTL_SECONDS }) as Answer);
    const flags = AUTHORITATIVE_ANSWER | (exists ? 0 : NXDOMAIN);
    return encode({ type: 'response', id, flags, questions: [question], answers });
  } catch {
    return undefined;
  }
}
