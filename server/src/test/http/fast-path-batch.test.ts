/**
 * A batch whose body is read as bytes, at the socket or behind Node's parser, gets the answer of one that is parsed:
 * thousands of bodies go both ways.
 */
import assert from 'node:assert/strict';
import test, { after, before } from 'node:test';
import { seededRandom } from '@whence/testing/seeded-random';
import { recogniseSimpleBody } from '../../api/batch/simple-body.ts';
import { startInProcess, TestFolder } from '../test-server.ts';
import { RawConnection } from './raw-connection.ts';
import { parseAnswers } from './raw-http.ts';

const BODIES = 5_000;
const IN_FLIGHT = 16;
const SEED = 20261115;

const folder = new TestFolder();
let server: Awaited<ReturnType<typeof startInProcess>>;
let key: string;

before(async () => {
  folder.publish();
  server = await startInProcess(folder);
  key = (await folder.createKey()).secret;
});
after(async () => {
  await server.close();
  folder.remove();
});

type Answer = { status: number; headers: Record<string, string>; text: string };

const fastPathBatches = () => server.metrics().counters['whence_fast_path_batches_total'] ?? 0;

/** On a connection that is kept: 10,000 requests with fetch take three times as long. */
class BatchClient {
  #connection: RawConnection | undefined;

  async post(body: Buffer, secret = key): Promise<Answer> {
    if (this.#connection === undefined || this.#connection.isClosed)
      this.#connection = await RawConnection.open(server.url);
    const head = `Host: x\r\nX-API-Key: ${secret}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
    const received = await this.#connection.ask(`POST /v1/ip/batch HTTP/1.1\r\n${head}\r\n${body.toString('latin1')}`);
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
const unplain = (body: Buffer) => Buffer.from(body.toString('latin1').replace('"ips"', '"\\u0069ps"'), 'latin1');

/** The text of a refusal of the simple form, with the column that the error has behind the escape. */
function behindEscape(text: string, body: Buffer): string {
  const before = body.toString('latin1').split('"ips"', 1)[0] ?? '';
  const [lines, start] = [before.split('\n').length, before.length - before.lastIndexOf('\n')];
  if (before.length === body.length) return text;
  return text.replace(/"line":(\d+),"column":(\d+)/, (same, line, column) =>
    Number(line) === lines && Number(column) > start ? `"line":${line},"column":${Number(column) + 5}` : same,
  );
}

test(`batch: ${BODIES} generated bodies get the same answer as bytes and parsed (seed ${SEED})`, async () => {
  const random = seededRandom(SEED);
  let left = BODIES;
  let plain = 0;
  const workers = Array.from({ length: IN_FLIGHT }, async () => {
    const client = new BatchClient();
    while (left-- > 0) {
      const body = generateBody(random);
      const isSimple = recogniseSimpleBody(body) !== undefined;
      if (isSimple) plain++;
      assert.equal(recogniseSimpleBody(unplain(body)), undefined);
      const [one, two] = [await client.post(body), await client.post(unplain(body))];
      assert.deepEqual({ ...one, text: behindEscape(one.text, body) }, two, JSON.stringify(body.toString('latin1')));
      if (!isSimple) continue;
      const { ips } = JSON.parse(body.toString()) as { ips: string[] };
      if (ips.length > 1_000) assert.match(one.text, new RegExp(`"received":${ips.length}[,}]`));
      else assert.deepEqual(Object.keys(JSON.parse(one.text).data).sort(), [...new Set(ips)].sort());
    }
    client.close();
  });
  await Promise.all(workers);
  assert.ok(plain > BODIES / 2 && plain < BODIES, `${plain} plain`);
  // Not the first of a connection, and not when storage is asked whether the key is still valid.
  assert.ok(fastPathBatches() > plain / 2, `${fastPathBatches()} of ${plain} were answered at the socket`);
});

test('batch: at the socket, requests are counted and limited as elsewhere', async () => {
  const { secret } = await folder.createKey({ tier: 'free' });
  const client = new BatchClient();
  const before = fastPathBatches();
  const statuses: Record<number, number> = {};
  for (let i = 0; i < 1_050; i++) {
    const { status, headers } = await client.post(Buffer.from('{"ips":["8.8.8.8"]}'), secret);
    if (status === 200) assert.equal(headers['x-ratelimit-remaining'], `${999 - i}`);
    statuses[status] = (statuses[status] ?? 0) + 1;
  }
  client.close();
  assert.deepEqual(statuses, { 200: 1_000, 429: 50 });
  assert.ok(fastPathBatches() - before > 500, `${fastPathBatches() - before} were answered at the socket`);
});

for (const [behaviour, attributes, body, want] of [
  ['without the permission', { permissions: ['ip:read'] }, '{"ips":["8.8.8.8"]}', 403],
  ['with more addresses than the tier allows', { tier: 'free' }, JSON.stringify({ ips: Array(101).fill('::') }), 400],
] as const)
  test(`batch: a key ${behaviour} is refused on a connection whose batches are answered at the socket`, async () => {
    const { secret } = await folder.createKey({ ...attributes } as { tier: 'free' });
    const client = new BatchClient();
    for (let i = 0; i < 3; i++) await client.post(Buffer.from('{"ips":["8.8.8.8"]}'));
    for (let i = 0; i < 3; i++) assert.equal((await client.post(Buffer.from(body), secret)).status, want);
    client.close();
  });

for (const [behaviour, body, count] of [
  ['as JSON.stringify writes it', '{"ips":["8.8.8.8","::1"]}', 2],
  ['as json.dumps writes it', '{"ips": ["8.8.8.8", "::1"]}', 2],
  ['white space everywhere', ' {\n\t"ips" :\r[ "8.8.8.8" ,\n"" ] } \n', 2],
  ['a text twice counts twice', '{"ips":["8.8.8.8","8.8.8.8"]}', 2],
  ['any visible ASCII', '{"ips":["[{,:}] \'~"]}', 1],
  ['an empty list', '{"ips":[]}', undefined],
  ['an escape', '{"ips":["8.8.8.8\\u0031"]}', undefined],
  ['above ASCII', '{"ips":["8.8.8.8é"]}', undefined],
  ['a control character', '{"ips":["8.8.8.8\n"]}', undefined],
  ['another member', '{"ips":["8.8.8.8"],"a":1}', undefined],
  ['a member twice', '{"ips":["8.8.8.8"],"ips":[]}', undefined],
  ['a comma at the end', '{"ips":["8.8.8.8",]}', undefined],
  ['no text', '{"ips":["8.8.8.8",7]}', undefined],
  ['text behind the object', '{"ips":["8.8.8.8"]}x', undefined],
  ['cut off in a text', '{"ips":["8.8.8.8', undefined],
  ['cut off behind a text', '{"ips":["8.8.8.8"', undefined],
  ['cut off behind the list', '{"ips":["8.8.8.8"]', undefined],
  ['a byte order mark', '\ufeff{"ips":["8.8.8.8"]}', undefined],
  ['nothing', '', undefined],
] as const) {
  test(`batch, simple form: ${behaviour}`, () =>
    assert.equal(recogniseSimpleBody(Buffer.from(body))?.count, count, JSON.stringify(body)));
}

test('batch: an object that looks like our own is refused like any other', async () => {
  const client = new BatchClient();
  for (const body of ['{"bytes":"","count":1}', '{"bytes":[1],"count":1,"ips":7}', 'null', '7']) {
    const { status, text } = await client.post(Buffer.from(body));
    assert.equal(status, 400, text);
  }
  client.close();
});

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
      pick(['2001:4860:0:0:0:0:0:1', '::ffff:8.8.8.8', '::FFFF:808:808', '::', '64:ff9b::8.8.8.8', '1:2:3:4:5:6:7:8']),
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
    () => (below(8) === 0 ? pick(['é', '\\n', '\\u0038.8.8.8', '\\"', '\u2028', '😀', '\\ud800']) : '1.0.0.1'),
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
