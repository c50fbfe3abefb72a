/** A server and batches for it, whose bodies are generated. */
import assert from 'node:assert/strict';
import { seededRandom } from '@whence/testing/seeded-random';
import { recogniseSimpleBody } from '../../api/batch/simple-body.ts';
import { startInProcess, TestFolder } from '../test-server.ts';
import { RawConnection } from './raw-connection.ts';
import { parseAnswers } from './raw-http.ts';

const IN_FLIGHT = 16;
export const SEED = 20261115;

type Answer = { status: number; headers: Record<string, string>; text: string };

/** On a connection that is kept: 10,000 requests with fetch take three times as long. */
export class BatchClient {
  readonly #url: string;
  readonly #secret: string;
  #connection: RawConnection | undefined;

  constructor({ url }: { readonly url: string }, secret: string) {
    this.#url = url;
    this.#secret = secret;
  }

  async post(body: Buffer, secret = this.#secret): Promise<Answer> {
    if (this.#connection === undefined || this.#connection.isClosed)
      this.#connection = await RawConnection.open(this.#url);
    const head = `Host: x\r\nX-API-Key: ${secret}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
    const received = await this.#connection.ask(
      `POST /v1/ip/batch HTTP/1.1\r\n${head}\r\n${body.toString('latin1')}`,
    );
    const [answer, ...others] = parseAnswers(received);
    assert.ok(answer !== undefined && others.length === 0, received.slice(0, 200));
    const text = answer.body
      .replace(/"request_id":"[^"]+"/, '"request_id":"<id>"')
      .replace(/"processing_time_ms":\d+/, '"processing_time_ms":0');
    const { date, 'x-request-id': id, 'content-length': length, ...headers } = answer.headers;
    assert.ok(date !== undefined && id !== undefined && Number(length) === answer.body.length);
    return { status: answer.status, headers, text };
  }

  close(): void {
    this.#connection?.close();
  }
}

/** The same JSON in a form that is not plain: the name of the member has an escape. */
const unplain = (body: Buffer) =>
  Buffer.from(body.toString('latin1').replace('"ips"', '"\\u0069ps"'), 'latin1');

/**
 * The text of a refusal of the simple form, with the column that the error has behind the escape.
 */
function behindEscape(text: string, body: Buffer): string {
  const before = body.toString('latin1').split('"ips"', 1)[0] ?? '';
  const lines = before.split('\n').length;
  const start = before.length - before.lastIndexOf('\n');
  if (before.length === body.length) return text;
  return text.replace(/"line":(\d+),"column":(\d+)/, (same, line, column) =>
    Number(line) === lines && Number(column) > start
      ? `"line":${line},"column":${Number(column) + 5}`
      : same,
  );
}

/** Thousands of bodies go both ways, as bytes and parsed, and have the same answers. */
export async function compareBatches(bodies: number): Promise<void> {
  const folder = new TestFolder();
  folder.publish();
  const server = await startInProcess(folder);
  try {
    const { secret } = await folder.createKey();
    await compare(bodies, server, secret);
  } finally {
    await server.close();
    folder.remove();
  }
}

type Server = Awaited<ReturnType<typeof startInProcess>>;

export const fastPathBatches = ({ metrics }: Server) =>
  metrics().counters['whence_fast_path_batches_total'] ?? 0;

async function compare(bodies: number, server: Server, key: string): Promise<void> {
  const random = seededRandom(SEED);
  let left = bodies;
  let plain = 0;
  const workers = Array.from({ length: IN_FLIGHT }, async () => {
    const client = new BatchClient(server, key);
    while (left-- > 0) {
      const body = generateBody(random);
      const isSimple = recogniseSimpleBody(body) !== undefined;
      if (isSimple) plain++;
      assert.equal(recogniseSimpleBody(unplain(body)), undefined);
      const one = await client.post(body);
      const two = await client.post(unplain(body));
      assert.deepEqual(
        { ...one, text: behindEscape(one.text, body) },
        two,
        JSON.stringify(body.toString('latin1')),
      );
      if (!isSimple) continue;
      const { ips } = JSON.parse(body.toString()) as { ips: string[] };
      if (ips.length > 1_000) assert.match(one.text, new RegExp(`"received":${ips.length}[,}]`));
      else
        assert.deepEqual(Object.keys(JSON.parse(one.text).data).sort(), [...new Set(ips)].sort());
    }
    client.close();
  });
  await Promise.all(workers);
  assert.ok(plain > bodies / 2 && plain < bodies, `${plain} plain`);
  // Not the first of a connection, and not when storage is asked whether the key is still valid,
  // which on a busy machine is often.
  assert.ok(
    fastPathBatches(server) > plain / 10,
    `${fastPathBatches(server)} of ${plain} were answered at the socket`,
  );
}

function generateBody(random: () => number): Buffer {
  const below = (limit: number) => Math.floor(random() * limit);
  const pick = <T>(items: readonly T[]): T => items[below(items.length)] as T;
  const count = random() < 0.02 ? 990 + below(20) : below(12);
  const space = random() < 0.5 ? () => '' : () => pick(['', '', ' ', '\n', '\t ', '\r\n']);
  const texts = Array.from({ length: count }, () => `"${text(pick, below)}"`);
  const list = texts.map((item) => space() + item + space()).join(',');
  const whole = `${space()}{${space()}"ips"${space()}:${space()}[${list}]${space()}}${space()}`;
  if (random() < 0.8) return Buffer.from(whole);
  return mutate(Buffer.from(whole), pick, below);
}

type Pick = <T>(items: readonly T[]) => T;
type Below = (limit: number) => number;

function text(pick: Pick, below: Below): string {
  return pick([
    () => `8.8.8.${below(16)}`,
    () => `8.8.8.${below(4)}`,
    () => `${below(256)}.${below(256)}.${below(256)}.${below(256)}`,
    () => `2001:4860::${below(32).toString(16)}`,
    () =>
      pick([
        '2001:4860:0:0:0:0:0:1',
        '::ffff:8.8.8.8',
        '::FFFF:808:808',
        '::',
        '64:ff9b::8.8.8.8',
        '1:2:3:4:5:6:7:8',
      ]),
    () =>
      pick([
        '',
        ' ',
        ' 8.8.8.8',
        '08.8.8.8',
        '8.8.8',
        '1::2::3',
        'fe80::1%eth0',
        '[::1]',
        '1'.repeat(60),
        '::8.8.8.8.8',
      ]),
    () => pick(['__proto__', 'constructor', 'ips', '{"ips":[', '0', '7']).replaceAll('"', "'"),
    () =>
      below(8) === 0
        ? pick(['é', '\\n', '\\u0038.8.8.8', '\\"', '\u2028', '😀', '\\ud800'])
        : '1.0.0.1',
  ])();
}

/** One byte is changed, added or removed, or the end is cut off. */
function mutate(body: Buffer, pick: Pick, below: Below): Buffer {
  const at = below(body.length + 1);
  const byte = Buffer.from([
    pick([0x22, 0x5c, 0x2c, 0x5b, 0x5d, 0x7b, 0x7d, 0x20, 0x00, 0x31, 0xc3, 0xff, below(256)]),
  ]);
  return pick([
    () => Buffer.concat([body.subarray(0, at), byte, body.subarray(at)]),
    () => Buffer.concat([body.subarray(0, at), byte, body.subarray(at + 1)]),
    () => Buffer.concat([body.subarray(0, at), body.subarray(at + 1)]),
    () => body.subarray(0, at),
  ])();
}
