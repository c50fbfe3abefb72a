/** The plain path and Node's path give the same answers: 100,000 generated requests go down both. */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import test, { after, before } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { seededRandom } from '@whence/testing/seeded-random';
import { PlainRequest } from '../api/plain/plain-request.ts';
import { generateLookup, type Keys } from './generated-lookups.ts';
import { RawConnection } from './raw-connection.ts';
import { parseAnswers } from './raw-http.ts';
import { startInProcess, TestFolder } from './test-server.ts';

const REQUESTS = 100_000;
const PAIRS = 16;
const SEED = 20261115;

const folder = new TestFolder();
let server: Awaited<ReturnType<typeof startInProcess>>;
let keys: Keys;

before(async () => {
  folder.publish();
  server = await startInProcess(folder);
  const [good, usedUp, noPermission] = await Promise.all([
    folder.createKey(),
    folder.createKey({ tier: 'free' }),
    folder.createKey({ permissions: ['asn:read'] }),
  ]);
  keys = { good: good.secret, usedUp: usedUp.secret, noPermission: noPermission.secret };
  // A key that was never seen is looked for on Node's path, and its connection may be closed for it.
  for (const key of Object.values(keys)) await (await lookup('8.8.8.8', key)).arrayBuffer();
  for (let i = 0; i < 1_000; i++) await (await lookup('8.8.8.8', keys.usedUp)).arrayBuffer();
});
after(async () => {
  await server.close();
  folder.remove();
});

const lookup = (ip: string, key: string) => fetch(`${server.url}/v1/ip/${ip}`, { headers: { 'X-API-Key': key } });
const plain = (ip: string, more = '') =>
  `GET /v1/ip/${ip} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${keys.good}\r\n${more}\r\n`;
const plainCount = () => server.metrics().counters['whence_plain_lookups_total'] ?? 0;

/** Apart from what must differ: ids, the date, the time taken, and whether the answer was in the cache by then. */
function comparable(answer: string): string {
  return answer
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/g, '<id>')
    .replace(/\r\nDate: [^\r]+/g, '\r\nDate: <date>')
    .replace(/"processing_time_ms":\d+/g, '"processing_time_ms":<ms>')
    .replace(/HIT|MISS/g, '<cache>')
    .replace(/\r\ncontent-length: \d+/gi, '\r\ncontent-length: <length>')
    .replace(/\r\nretry-after: \d+/g, '\r\nretry-after: <seconds>');
}

test(`plain path: ${REQUESTS} generated requests get the same answer down both ways (seed ${SEED})`, async () => {
  const random = seededRandom(SEED);
  const recogniser = new PlainRequest();
  let left = REQUESTS;
  let recognised = 0;
  const before = plainCount();
  const pairs = Array.from({ length: PAIRS }, async () => {
    let first: RawConnection | undefined;
    let second: RawConnection | undefined;
    while (left-- > 0) {
      const request = generateLookup(random, keys);
      const isPlain = recogniser.recognise(Buffer.from(request, 'latin1'));
      if (isPlain) recognised++;
      if (first === undefined || first.isClosed) first = await RawConnection.open(server.url);
      if (second === undefined || second.isClosed) second = await onNodesPath();
      const [one, two] = [await first.ask(request), await second.ask(request)];
      assert.equal(comparable(one), comparable(two), JSON.stringify(request));
      if (isPlain) {
        assert.equal(parseAnswers(one).length, 1, 'the body is as long as it says');
        continue;
      }
      // From here on the first would be on Node's path too, and an odd end may have begun the next request of both.
      first.close();
      second.close();
    }
    first?.close();
    second?.close();
  });
  await Promise.all(pairs).finally(() => {
    left = 0;
  });
  assert.ok(recognised > REQUESTS / 2, `${recognised} were plain`);
  const answered = plainCount() - before;
  assert.ok(answered >= recognised, `the plain path has answered ${answered} of ${recognised}`);
});

/** A lookup with a parameter is Node's, and so is the rest of the connection. */
async function onNodesPath(): Promise<RawConnection> {
  const connection = await RawConnection.open(server.url);
  await connection.ask(plain('8.8.8.8?explain=false'));
  return connection;
}

for (const [behaviour, pieces, plainAnswers] of [
  ['one request in one piece is plain', [plain], 1],
  [
    'a request in two pieces is Node’s',
    [(ip: string) => plain(ip).slice(0, 30), (ip: string) => plain(ip).slice(30)],
    0,
  ],
  ['two requests in one piece are Node’s', [(ip: string) => plain(ip) + plain(ip)], 0],
  ['a body is Node’s', [(ip: string) => `${plain(ip, 'Content-Length: 2\r\n')}{}`], 0],
  ['ten headers of a proxy are plain', [(ip: string) => plain(ip, PROXY_HEADERS)], 1],
] as const) {
  test(`plain path: ${behaviour}`, async () => {
    const connection = await RawConnection.open(server.url);
    // Pieces that come before the connection is accepted would be read as one.
    await connection.ask(plain('8.8.8.8'));
    const before = plainCount();
    const answer = await connection.ask(...pieces.map((piece) => piece('8.8.8.8')));
    connection.close();
    assert.equal(parseAnswers(answer)[0]?.status, 200);
    assert.equal(plainCount() - before, plainAnswers);
  });
}

const PROXY_HEADERS = [
  'User-Agent: curl/8.5.0',
  'Accept: */*',
  'X-Real-IP: 203.0.113.7',
  'X-Forwarded-For: 203.0.113.7',
  'X-Forwarded-Proto: https',
  'X-Forwarded-Host: api.example.com',
  'X-Forwarded-Port: 443',
  'Via: 1.1 proxy',
  'traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  'tracestate: vendor=1',
  '',
].join('\r\n');

test('plain path: a second request before the first is answered keeps the order', async () => {
  const { secret } = await folder.createKey();
  const request = (ip: string) => `GET /v1/ip/${ip} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${secret}\r\n\r\n`;
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname).setNoDelay(true);
  let received = '';
  socket.on('data', (bytes) => {
    received += bytes.toString('latin1');
  });
  // The key is new, so the first must ask storage; the second comes meanwhile.
  socket.write(request('8.8.8.8'));
  await sleep(1);
  socket.write(request('1.0.0.1'));
  await sleep(300);
  socket.destroy();
  assert.deepEqual(
    parseAnswers(received).map(({ body }) => JSON.parse(body).data.ip),
    ['8.8.8.8', '1.0.0.1'],
  );
});

test('plain path: after a request of another kind a connection is closed once it is plain again', async () => {
  const connection = await RawConnection.open(server.url);
  await connection.ask('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
  const answers: string[] = [];
  for (let i = 0; i < 5; i++) answers.push(await connection.ask(plain('8.8.8.8')));
  const closes = answers.map((answer) => parseAnswers(answer)[0]?.headers['connection'] === 'close');
  assert.deepEqual(closes, [false, false, false, false, true]);
});

test('plain path: a client whose requests are never plain keeps its connection', async () => {
  const connection = await RawConnection.open(server.url);
  for (let i = 0; i < 30; i++) {
    const [answer] = parseAnswers(await connection.ask(plain('8.8.8.8', 'X-Custom: 1\r\n')));
    assert.deepEqual([answer?.status, answer?.headers['connection']], [200, 'keep-alive']);
  }
  connection.close();
});

test('plain path: a connection that is not read is not answered without end', async () => {
  const { hostname, port } = new URL(server.url);
  const before = plainCount();
  const socket = connect(Number(port), hostname).setNoDelay(true).pause();
  socket.on('error', () => {});
  let isOpen = true;
  for (let i = 0; i < 40_000 && isOpen; i++) {
    isOpen = socket.write(plain('8.8.8.8')) || (await waitForDrain(socket));
    // One request per read, so that they stay plain.
    if (i % 20 === 0) await new Promise(setImmediate);
  }
  assert.ok(plainCount() - before < 40_000, 'answers were held back');
  socket.destroy();
});

function waitForDrain(socket: ReturnType<typeof connect>): Promise<boolean> {
  return Promise.race([
    new Promise<boolean>((resolve) => socket.once('drain', () => resolve(true))),
    sleep(300).then(() => false),
  ]);
}

test('plain path: when the server stops, idle connections are closed and it ends at once', async () => {
  const other = new TestFolder();
  other.publish();
  const { secret } = await other.createKey();
  const stopping = await startInProcess(other);
  const connections = await Promise.all(Array.from({ length: 5 }, () => RawConnection.open(stopping.url)));
  for (const connection of connections) {
    await connection.ask(`GET /v1/ip/8.8.8.8 HTTP/1.1\r\nHost: x\r\nX-API-Key: ${secret}\r\n\r\n`);
  }
  const started = performance.now();
  await stopping.close();
  assert.ok(performance.now() - started < 3_000);
  other.remove();
});

test('plain path: a request that was under way when the server stopped is answered, and its connection closed', async () => {
  const other = new TestFolder();
  other.publish();
  const { secret } = await other.createKey();
  const stopping = await startInProcess(other);
  const request = `GET /v1/ip/8.8.8.8 HTTP/1.1\r\nHost: x\r\nX-API-Key: ${secret}\r\n\r\n`;
  // A key that was never seen is looked for on Node's path.
  const first = await RawConnection.open(stopping.url);
  await first.ask(request);
  first.close();
  const connections = await Promise.all(Array.from({ length: 5 }, () => RawConnection.open(stopping.url)));
  const lastAnswers = connections.map(async (connection) => {
    for (;;) {
      const answer = await connection.ask(request);
      if (!answer.startsWith('HTTP/1.1 200 ') || /\r\nconnection: close\r\n/i.test(answer)) return answer;
    }
  });
  await sleep(100);
  await stopping.close();
  for (const answer of await Promise.all(lastAnswers)) assert.match(answer, /^HTTP\/1\.1 200 /);
  other.remove();
});
