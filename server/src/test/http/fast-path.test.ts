/**
 * What the fast path answers and what it leaves to Node's. fast-path.full.test compares both over
 * generated requests.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import test, { after, before } from 'node:test';
import { until } from '@whence/testing/until';
import { startInProcess, TestFolder } from '../test-server.ts';
import { RawConnection, serverReads } from './raw-connection.ts';
import { parseAnswers } from './raw-http.ts';

const folder = new TestFolder();
let server: Awaited<ReturnType<typeof startInProcess>>;
let key = '';

before(async () => {
  folder.publish();
  server = await startInProcess(folder);
  ({ secret: key } = await folder.createKey());
  // A key that was never seen is looked for on Node's path, and its connection may be closed for
  // it.
  await (
    await fetch(`${server.url}/v1/ip/8.8.8.8`, { headers: { 'X-API-Key': key } })
  ).arrayBuffer();
});
after(async () => {
  await server.close();
  folder.remove();
});

const plain = (ip: string, more = '') =>
  `GET /v1/ip/${ip} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\n${more}\r\n`;
const plainCount = () => server.metrics().counters['whence_fast_path_lookups_total'] ?? 0;

for (const [behaviour, pieces, fastAnswers] of [
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
  test(`fast path: ${behaviour}`, async () => {
    const connection = await RawConnection.open(server.url);
    // Pieces that come before the connection is accepted would be read as one.
    await connection.ask(plain('8.8.8.8'));
    const before = plainCount();
    const answer = await connection.ask(...pieces.map((piece) => piece('8.8.8.8')));
    connection.close();
    assert.equal(parseAnswers(answer)[0]?.status, 200);
    assert.equal(plainCount() - before, fastAnswers);
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

test('fast path: a second request before the first is answered keeps the order', async () => {
  const { secret } = await folder.createKey();
  const request = (ip: string) =>
    `GET /v1/ip/${ip} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${secret}\r\n\r\n`;
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname).setNoDelay(true);
  await once(socket, 'connect');
  let received = '';
  socket.on('data', (bytes) => {
    received += bytes.toString('latin1');
  });
  // The key is new, so the first must ask storage; the second comes meanwhile.
  socket.write(request('8.8.8.8'));
  await serverReads();
  assert.equal(received, '', 'the first is not answered yet');
  socket.write(request('1.0.0.1'));
  await until('both are answered', () => received.split('"ip":').length > 2);
  socket.destroy();
  assert.deepEqual(
    parseAnswers(received).map(({ body }) => JSON.parse(body).data.ip),
    ['8.8.8.8', '1.0.0.1'],
  );
});

const batch = (body: string, length: string) =>
  `POST /v1/ip/batch HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\nContent-Type: application/json\r\n${length}\r\n\r\n${body}`;
const BODY = '{"ips":["8.8.8.8"]}';
const health = 'GET /healthz?x HTTP/1.1\r\nHost: x\r\n';

/**
 * Each line of requests is one read of a connection that Node has, and the number of simple answers
 * so far.
 */
const againPlain: [behaviour: string, reads: () => [request: string, fastAnswers: number][]][] = [
  [
    'after a request of another kind',
    () => [
      [`${health}\r\n`, 0],
      [plain('8.8.8.8'), 1],
      [plain('1.0.0.1'), 2],
    ],
  ],
  [
    'between requests of another kind',
    () => [
      [plain('8.8.8.8'), 1],
      [`${health}\r\n`, 1],
      [plain('1.0.0.1'), 2],
    ],
  ],
  [
    'after a body with a length',
    () => [
      [batch(BODY, `Content-Length: ${BODY.length}`), 0],
      [plain('8.8.8.8'), 1],
    ],
  ],
  [
    'after a chunked body, only once Node has read one more request',
    () => [
      [batch(`13\r\n${BODY}\r\n0\r\n\r\n`, 'Transfer-Encoding: chunked'), 0],
      [plain('8.8.8.8'), 0],
      [plain('8.8.8.8'), 1],
    ],
  ],
];
for (const [behaviour, reads] of againPlain) {
  test(`fast path: a lookup is plain again ${behaviour}`, () =>
    // Node also gets a lookup whose key storage has to be asked for again, every 100 ms.
    until('every lookup was plain that can be', async () => {
      const connection = await RawConnection.open(server.url);
      await connection.ask(`${health}\r\n`);
      const before = plainCount();
      const counts: number[] = [];
      for (const [request] of reads()) {
        const [answer] = parseAnswers(await connection.ask(request));
        assert.deepEqual([answer?.status, answer?.headers['connection']], [200, 'keep-alive']);
        counts.push(plainCount() - before);
      }
      connection.close();
      const wanted = reads().map(([, answers]) => answers);
      assert.ok(
        counts.every((count, i) => count <= (wanted[i] ?? 0)),
        `${counts}`,
      );
      return counts.join() === wanted.join();
    }));
}

/**
 * The last piece has the form of a lookup, and is a part of the request that the one before began.
 */
for (const [behaviour, pieces, want] of [
  ['in a header', () => [`${health}X-Part: `], /^HTTP\/1\.1 400 /],
  ['in a header, cut between its lines', () => [health], /^HTTP\/1\.1 400 /],
  [
    'in a body',
    () => [batch('', `Content-Length: ${plain('8.8.8.8').length}`)],
    /^HTTP\/1\.1 400 /,
  ],
  [
    'in a chunk',
    () => [batch(`${plain('8.8.8.8').length.toString(16)}\r\n`, 'Transfer-Encoding: chunked')],
    /^$/,
  ],
  [
    'behind a chunked body whose end came with the start of the next request',
    () => [batch(`13\r\n${BODY}\r\n0\r`, 'Transfer-Encoding: chunked'), `\n\r\n${health}X-Part: `],
    /^HTTP\/1\.1 200 [\s\S]*HTTP\/1\.1 400 /,
  ],
] as const) {
  test(`fast path: what looks like a lookup is not one ${behaviour}`, async () => {
    const { hostname, port } = new URL(server.url);
    const socket = connect(Number(port), hostname).setNoDelay(true);
    await once(socket, 'connect');
    let received = '';
    socket.on('data', (bytes) => {
      received += bytes.toString('latin1');
    });
    socket.write(`${health}\r\n`);
    await until('it is answered', () => received.endsWith('}'));
    received = '';
    const before = plainCount();
    for (const piece of [...pieces(), plain('8.8.8.8')]) {
      socket.write(piece);
      await serverReads();
    }
    await until('the server has answered', () => want.test(received), { state: () => received });
    assert.equal(plainCount(), before);
    socket.destroy();
  });
}

test('fast path: metrics say how connections are read', async () => {
  assert.equal(server.metrics().gauges['whence_read_fallback'], 0);
  const other = await startInProcess(folder, undefined, {}, { readMode: 'data-events' });
  assert.equal(other.metrics().gauges['whence_read_fallback'], 1);
  await other.close();
});

test('fast path: a client whose requests are never plain keeps its connection', async () => {
  const connection = await RawConnection.open(server.url);
  for (let i = 0; i < 30; i++) {
    const [answer] = parseAnswers(await connection.ask(plain('8.8.8.8', 'X-Custom: 1\r\n')));
    assert.deepEqual([answer?.status, answer?.headers['connection']], [200, 'keep-alive']);
  }
  connection.close();
});

test('fast path: when the server stops, idle connections are closed without delay', async () => {
  const other = new TestFolder();
  other.publish();
  const { secret } = await other.createKey();
  const stopping = await startInProcess(other);
  const connections = await Promise.all(
    Array.from({ length: 5 }, () => RawConnection.open(stopping.url)),
  );
  for (const connection of connections) {
    await connection.ask(`GET /v1/ip/8.8.8.8 HTTP/1.1\r\nHost: x\r\nX-API-Key: ${secret}\r\n\r\n`);
  }
  // It would wait for connections that stay open.
  await stopping.close();
  other.remove();
});

test('fast path: a request in flight when the server stops is answered, and its connection closed', async () => {
  const other = new TestFolder();
  other.publish();
  const { secret } = await other.createKey();
  const stopping = await startInProcess(other);
  const request = `GET /v1/ip/8.8.8.8 HTTP/1.1\r\nHost: x\r\nX-API-Key: ${secret}\r\n\r\n`;
  // A key that was never seen is looked for on Node's path.
  const first = await RawConnection.open(stopping.url);
  await first.ask(request);
  first.close();
  const connections = await Promise.all(
    Array.from({ length: 5 }, () => RawConnection.open(stopping.url)),
  );
  let answered = 0;
  const lastAnswers = connections.map(async (connection) => {
    for (;;) {
      const answer = await connection.ask(request);
      answered++;
      if (!answer.startsWith('HTTP/1.1 200 ') || /\r\nconnection: close\r\n/i.test(answer))
        return answer;
    }
  });
  await until('every connection is in use', () => answered >= 10 * connections.length);
  await stopping.close();
  for (const answer of await Promise.all(lastAnswers)) assert.match(answer, /^HTTP\/1\.1 200 /);
  other.remove();
});
