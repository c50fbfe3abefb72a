import assert from 'node:assert/strict';
import { once } from 'node:events';
import {
  type AddressInfo,
  createServer,
  type LookupFunction,
  type Server,
  type Socket,
} from 'node:net';
import test, { after, afterEach, before } from 'node:test';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { type Authority, createAuthority, selfSigned } from '@whence/testing/servers/certificates';
import { type ForwardProxy, startForwardProxy } from '@whence/testing/servers/forward-proxy';
import {
  type Answer,
  type LoopbackServer,
  startLoopbackServer,
} from '@whence/testing/servers/loopback-server';
import { periodPasses } from '@whence/testing/until';
import { DAY_MS } from '../../day.ts';
import type { Network } from './connection.ts';
import { BodyError, httpGet } from './http-get.ts';
import { readProxyVariables } from './proxy.ts';
import { type TransferLimits, TransferTimeouts } from './transfer-timeouts.ts';

const BODY = 'list of prefixes\n';
const LIMITS = { idleTimeoutMs: 5000, totalTimeoutMs: 10_000 };

let authority: Authority;
let plain: LoopbackServer;
let secure: LoopbackServer;
let other: LoopbackServer;
let proxy: ForwardProxy;
before(async () => {
  authority = createAuthority('Example Authority');
  plain = await startLoopbackServer();
  other = await startLoopbackServer();
  secure = await startLoopbackServer(authority.issue(['feeds.example', 'localhost', '127.0.0.1']));
  proxy = await startForwardProxy({
    'feeds.example:80': plain.port,
    'feeds.example:443': secure.port,
  });
});
after(() => Promise.all([plain, secure, other, proxy].map((server) => server.close())));
afterEach(() => {
  for (const server of [plain, secure, other]) server.reset();
  proxy.asked.length = 0;
  proxy.credentials.length = 0;
  proxy.refuse = undefined;
});

/** Every name is the loopback. */
const toLoopback: LookupFunction = (_, { all }, callback) => {
  if (all === true) callback(null, [{ address: '127.0.0.1', family: 4 }]);
  else callback(null, '127.0.0.1', 4);
};

/** The body, or why there is none. */
async function get(
  url: string,
  network: Network = {},
  { maxBytes = 1e6, ...limits }: Partial<TransferLimits> & { maxBytes?: number } = {},
): Promise<string> {
  const timeouts = new TransferTimeouts({ ...LIMITS, ...limits });
  try {
    const answer = await httpGet(new URL(url), {
      headers: { accept: 'text/plain' },
      timeouts,
      network,
    });
    if (answer.kind === 'failure') return `failure: ${answer.reason}`;
    const chunks: Buffer[] = [];
    for await (const chunk of answer.body(maxBytes)) chunks.push(chunk);
    return `${answer.status} ${Buffer.concat(chunks)}`;
  } catch (error) {
    if (error instanceof BodyError) return `${error.cut}: ${error.message}`;
    throw error;
  } finally {
    timeouts.end();
  }
}

const sends = (body: string | Buffer, headers: Record<string, string> = {}): Answer => {
  return (response) => void response.writeHead(200, headers).end(body);
};
const redirects = (location: string): Answer => {
  return (response) => void response.writeHead(302, { location }).end();
};
const proxies = (environment: Record<string, string>) => ({
  proxies: readProxyVariables(environment),
});

/**
 * A server that sends `bytes` at once to every connection, again every 20 ms with `repeat`, and
 * never closes it.
 */
async function withRawAnswer(
  { bytes, repeat = '' }: { bytes: string; repeat?: string },
  use: (url: string) => Promise<void>,
): Promise<void> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.write(bytes);
    const timer = setInterval(() => socket.write(repeat), 20);
    socket.on('close', () => clearInterval(timer));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  } finally {
    for (const socket of sockets) socket.destroy();
    server.close();
  }
}

const UPGRADE =
  'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';
for (const [behaviour, answer, want] of [
  [
    'one that switches protocols is refused',
    { bytes: UPGRADE },
    /^failure: 127\.0\.0\.1 answered 101 Switching Protocols, which was not requested$/,
  ],
  [
    'one that switches to no protocol',
    { bytes: 'HTTP/1.1 101 X\r\n\r\n' },
    /^failure: .* was not requested$/,
  ],
  [
    'informational answers without end',
    { bytes: '', repeat: 'HTTP/1.1 103 Early Hints\r\n\r\n' },
    /no answer within/,
  ],
  [
    '100 Continue without end',
    { bytes: '', repeat: 'HTTP/1.1 100 Continue\r\n\r\n' },
    /no answer within/,
  ],
  ['half a status line', { bytes: 'HTTP/1.1 20' }, /no answer within/],
  [
    'headers without end',
    { bytes: 'HTTP/1.1 200 OK\r\n', repeat: 'X-More: 1\r\n' },
    /no answer within|as HTTP/,
  ],
  [
    'a body that stops',
    { bytes: 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc' },
    /^timeout: no more data within/,
  ],
  [
    'a chunk that stops',
    { bytes: 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab' },
    /^timeout: no more data within/,
  ],
  [
    'a compressed body that stops',
    { bytes: 'HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 99\r\n\r\n\x1f' },
    /^timeout: no more data within|^broken/,
  ],
] as const)
  test(`http get: an answer that never ends fails in time: ${behaviour}`, async () => {
    await withRawAnswer(answer, async (url) => {
      // Long enough to connect on a busy machine; what is refused does not wait for it.
      assert.match(await get(url, {}, { idleTimeoutMs: 400, totalTimeoutMs: 3000 }), want);
    });
  });

test('http get: the answer, with the headers that were asked for and the host', async () => {
  plain.routes.set('/list?a=1', sends(BODY));
  assert.equal(await get(`${plain.url}/list?a=1#top`), `200 ${BODY}`);
  const { host, accept, connection } = plain.asked[0]?.headers ?? {};
  assert.deepEqual([host, accept, connection], [`127.0.0.1:${plain.port}`, 'text/plain', 'close']);
});

for (const [coding, encode] of [
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
] as const)
  test(`http get: the content coding ${coding}, which was not asked for, is removed`, async () => {
    plain.routes.set('/list', sends(encode(BODY), { 'content-encoding': coding }));
    assert.equal(await get(`${plain.url}/list`), `200 ${BODY}`);
  });

for (const [behaviour, answer, want] of [
  [
    'an unknown content coding',
    sends(BODY, { 'content-encoding': 'zstd' }),
    'failure: the server sent the content coding "zstd", which is not supported',
  ],
  [
    'a content coding that is not what it says',
    sends(BODY, { 'content-encoding': 'gzip' }),
    'broken: the content coding is damaged',
  ],
  [
    'a content coding that is cut off',
    sends(gzipSync(BODY).subarray(0, 20), { 'content-encoding': 'gzip' }),
    'broken: the connection broke',
  ],
  [
    'a body that breaks off',
    (response) => {
      response.writeHead(200, { 'content-length': 100 }).write('half');
      setTimeout(() => response.destroy(), 50);
    },
    'broken: the connection broke',
  ],
  ['a length over the limit', sends(Buffer.alloc(1001)), 'too large: larger than 1000 bytes'],
  [
    'a body without length over the limit',
    (response) => {
      response.write(Buffer.alloc(900));
      response.end(Buffer.alloc(900));
    },
    'too large: larger than 1000 bytes',
  ],
  [
    'a small body with much in it',
    sends(gzipSync(Buffer.alloc(100_000)), { 'content-encoding': 'gzip' }),
    'too large: larger than 1000 bytes',
  ],
  [
    'a connection that is closed before the answer',
    (response) => void response.socket?.destroy(),
    'failure: 127.0.0.1 closed the connection before it answered',
  ],
] as readonly (readonly [string, Answer, string])[])
  test(`http get: ${behaviour} is a sentence`, async () => {
    plain.routes.set('/list', answer);
    assert.equal(await get(`${plain.url}/list`, {}, { maxBytes: 1000 }), want);
  });

test('http get: redirects are followed, five at most', async () => {
  for (let i = 0; i < 5; i++) plain.routes.set(`/${i}`, redirects(`/${i + 1}`));
  plain.routes.set('/5', sends(BODY));
  assert.equal(await get(`${plain.url}/0`), `200 ${BODY}`);
  plain.routes.set('/5', redirects('/6'));
  assert.equal(await get(`${plain.url}/0`), 'failure: the server redirected more than 5 times');
});

test('http get: from http to https is followed, from https to http is refused', async () => {
  const network = { ca: authority.cert, lookup: toLoopback };
  plain.routes.set('/list', redirects(`https://feeds.example:${secure.port}/list`));
  secure.routes.set('/list', sends(BODY));
  assert.equal(await get(`http://feeds.example:${plain.port}/list`, network), `200 ${BODY}`);
  secure.routes.set('/list', redirects(`http://feeds.example:${other.port}/list`));
  const reason = `failure: the server redirected from https to http (feeds.example:${other.port}), which is refused`;
  assert.equal(await get(`https://feeds.example:${secure.port}/list`, network), reason);
  assert.equal(other.asked.length, 0);
});

test('http get: credentials are sent to their origin, and neither to another one nor back', async () => {
  plain.routes.set('/list', redirects('/moved'));
  plain.routes.set('/moved', redirects(`${other.url}/list`));
  other.routes.set('/list', redirects(`${plain.url}/back`));
  plain.routes.set('/back', sends(BODY));
  assert.equal(await get(`${plain.url.replace('//', '//user:p%40ss@')}/list`), `200 ${BODY}`);
  const basic = `Basic ${Buffer.from('user:p@ss').toString('base64')}`;
  const sent = (server: LoopbackServer) => server.asked.map(({ headers }) => headers.authorization);
  assert.deepEqual([sent(plain), sent(other)], [[basic, basic, undefined], [undefined]]);
});

test('http get: TLS with a certificate of an authority that is trusted, by name and by address', async () => {
  secure.routes.set('/list', sends(BODY));
  assert.equal(await get(`${secure.url}/list`, { ca: authority.cert }), `200 ${BODY}`);
  const byName = `https://feeds.example:${secure.port}/list`;
  assert.equal(await get(byName, { ca: authority.cert, lookup: toLoopback }), `200 ${BODY}`);
});

for (const [behaviour, certificate, want] of [
  [
    'of an authority that is not trusted',
    () => createAuthority('Another Authority').issue(['127.0.0.1']),
    'is not trusted: its issuer is not known here; to trust it, set NODE_EXTRA_CA_CERTS to a file with the certificate of the issuer',
  ],
  [
    'that is self-signed',
    () => selfSigned(['127.0.0.1']),
    'is not trusted: it is self-signed; to trust it, set NODE_EXTRA_CA_CERTS to a file with the certificate',
  ],
  [
    'for another host',
    () => authority.issue(['feeds.example', '192.0.2.1']),
    'is for another host: feeds.example, 192.0.2.1',
  ],
  [
    'that has expired',
    () => authority.issue(['127.0.0.1'], { until: new Date(Date.now() - 1000) }),
    'has expired; if the clock of this machine is right, its operator has to renew it',
  ],
  [
    'that is not valid yet',
    () => authority.issue(['127.0.0.1'], { from: new Date(Date.now() + DAY_MS / 2) }),
    'is not valid yet; check the clock of this machine',
  ],
] as const)
  test(`http get: a certificate ${behaviour} is refused`, async () => {
    const server = await startLoopbackServer(certificate());
    try {
      const result = await get(`${server.url}/list`, { ca: authority.cert });
      assert.equal(result, `failure: the certificate of 127.0.0.1 ${want}`);
      assert.equal(server.asked.length, 0);
    } finally {
      await server.close();
    }
  });

test('http get: https to a server that speaks plain HTTP', async () => {
  const result = await get(`${plain.url.replace('http:', 'https:')}/list`);
  assert.equal(
    result,
    'failure: 127.0.0.1 does not speak TLS on this port; use http: if it is not an https: server',
  );
});

/** A server that speaks something else than HTTP, or nothing. */
async function withRawServer(
  answer: (socket: Socket) => void,
  work: (port: number) => Promise<void>,
): Promise<void> {
  const sockets: Socket[] = [];
  const server: Server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => {});
    answer(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    await work((server.address() as AddressInfo).port);
  } finally {
    for (const socket of sockets) socket.destroy();
    server.close();
  }
}

test('http get: a TLS handshake that is never completed', () =>
  withRawServer(
    () => {},
    async (port) => {
      const result = await get(`https://127.0.0.1:${port}/`, {}, { idleTimeoutMs: 60 });
      assert.equal(result, 'failure: no connection to 127.0.0.1 within 0.06 s');
    },
  ));

test('http get: headers that arrive byte by byte do not extend the timeout for an answer', () =>
  withRawServer(
    (socket) => {
      socket.write('HTTP/1.1 200 OK\r\nx: ');
      const drip = setInterval(() => socket.write('a'), 10);
      socket.on('close', () => clearInterval(drip));
    },
    async (port) => {
      const result = await get(`http://127.0.0.1:${port}/`, {}, { idleTimeoutMs: 400 });
      assert.equal(result, 'failure: no answer within 0.4 s');
    },
  ));

const drips: Answer = (response) => {
  response.writeHead(200);
  const drip = setInterval(() => response.write('.'), 10);
  response.on('close', () => clearInterval(drip));
};

for (const [behaviour, limits, want] of [
  [
    'is slower than the minimum rate',
    { minRate: { bytesPerSecond: 2000, windowMs: 200 } },
    'timeout: slower than 2 kB/s for 0.2 s',
  ],
  [
    'takes longer than all of it may',
    { totalTimeoutMs: 200 },
    'timeout: not finished within 0.2 s',
  ],
] as const)
  test(`http get: a body that ${behaviour} is given up`, async () => {
    plain.routes.set('/list', drips);
    assert.equal(await get(`${plain.url}/list`, {}, limits), want);
  });

test('http get: a slow reader is not a slow server', async () => {
  const body = Buffer.alloc(300_000, 'x');
  plain.routes.set('/list', sends(body));
  const timeouts = new TransferTimeouts({
    ...LIMITS,
    minRate: { bytesPerSecond: 1_000_000, windowMs: 50 },
  });
  try {
    const answer = await httpGet(new URL(`${plain.url}/list`), { headers: {}, timeouts });
    assert.equal(answer.kind, 'answer');
    if (answer.kind !== 'answer') return;
    let bytes = 0;
    for await (const chunk of answer.body(1e6)) {
      bytes += chunk.length;
      await periodPasses(30);
    }
    assert.equal(bytes, body.length);
  } finally {
    timeouts.end();
  }
});

test('http get: stopped from outside, at any moment', async () => {
  plain.routes.set('/list', drips);
  const stop = new AbortController();
  const timeouts = new TransferTimeouts(LIMITS, stop.signal);
  try {
    const answer = await httpGet(new URL(`${plain.url}/list`), { headers: {}, timeouts });
    assert.equal(answer.kind, 'answer');
    const read = async () => {
      for await (const chunk of answer.kind === 'answer' ? answer.body(1e6) : []) {
        assert.ok(chunk.length > 0);
        stop.abort();
      }
    };
    await assert.rejects(read, { name: 'BodyError', message: 'stopped, because the program ends' });
    const again = await httpGet(new URL(`${plain.url}/list`), { headers: {}, timeouts });
    assert.equal(again.kind === 'failure' && again.reason, 'stopped, because the program ends');
  } finally {
    timeouts.end();
  }
});

for (const [behaviour, code, want] of [
  ['does not exist', 'ENOTFOUND', 'feeds.example does not exist in DNS'],
  [
    'cannot be resolved',
    'EAI_AGAIN',
    'feeds.example could not be resolved; check the network and the DNS servers of this machine',
  ],
] as const)
  test(`http get: a name that ${behaviour}`, async () => {
    const lookup: LookupFunction = (_, __, callback) =>
      callback(Object.assign(new Error(code), { code }), '');
    assert.equal(await get('http://feeds.example/', { lookup }), `failure: ${want}`);
  });

test('proxy: plain HTTP is forwarded, by a name that only the proxy resolves', async () => {
  plain.routes.set('/list?a=1', sends(BODY));
  assert.equal(
    await get('http://feeds.example/list?a=1', proxies({ http_proxy: proxy.url })),
    `200 ${BODY}`,
  );
  assert.deepEqual(proxy.asked, ['GET http://feeds.example/list?a=1']);
  assert.equal(plain.asked[0]?.headers.host, 'feeds.example');
});

test('proxy: https goes through a tunnel, and the certificate of the host is checked in it', async () => {
  secure.routes.set('/list', sends(BODY));
  const through = proxies({ HTTPS_PROXY: proxy.url });
  assert.equal(
    await get('https://feeds.example/list', { ...through, ca: authority.cert }),
    `200 ${BODY}`,
  );
  assert.deepEqual(proxy.asked, ['CONNECT feeds.example:443']);
  const untrusted = await get('https://feeds.example/list', {
    ...through,
    ca: createAuthority('Another').cert,
  });
  assert.match(
    untrusted,
    /^failure: the certificate of feeds\.example is not trusted: its issuer is not known here;/,
  );
});

test('proxy: its user name and password go to the proxy, those of the URL to the host', async () => {
  plain.routes.set('/list', sends(BODY));
  secure.routes.set('/list', sends(BODY));
  const through = proxies({ all_proxy: proxy.url.replace('//', '//me:secret@') });
  const network = { ...through, ca: authority.cert };
  for (const scheme of ['http', 'https'])
    assert.equal(await get(`${scheme}://user:pass@feeds.example/list`, network), `200 ${BODY}`);
  const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;
  assert.deepEqual(proxy.credentials, [basic('me:secret'), basic('me:secret')]);
  for (const server of [plain, secure]) {
    const [asked] = server.asked;
    assert.equal(asked?.headers.authorization, basic('user:pass'));
    assert.equal(asked?.headers['proxy-authorization'], undefined);
  }
});

test('proxy: over TLS itself, with a tunnel inside', async () => {
  secure.routes.set('/list', sends(BODY));
  const ports = { 'feeds.example:443': secure.port };
  const tlsProxy = await startForwardProxy(ports, authority.issue(['127.0.0.1']));
  try {
    const network = { ...proxies({ https_proxy: tlsProxy.url }), ca: authority.cert };
    assert.equal(await get('https://feeds.example/list', network), `200 ${BODY}`);
    assert.deepEqual(tlsProxy.asked, ['CONNECT feeds.example:443']);
  } finally {
    await tlsProxy.close();
  }
});

test('proxy: a host in NO_PROXY is reached directly, the others are not', async () => {
  plain.routes.set('/list', sends(BODY));
  const network = {
    ...proxies({ http_proxy: proxy.url, no_proxy: 'example.net,direct.example' }),
    lookup: toLoopback,
  };
  assert.equal(await get(`http://a.direct.example:${plain.port}/list`, network), `200 ${BODY}`);
  assert.deepEqual(proxy.asked, []);
  assert.equal(await get('http://feeds.example/list', network), `200 ${BODY}`);
  assert.deepEqual(proxy.asked, ['GET http://feeds.example/list']);
});

test('proxy: a redirect is followed through the proxy that its scheme has', async () => {
  plain.routes.set('/list', redirects('https://feeds.example/list'));
  secure.routes.set('/list', sends(BODY));
  const through = proxies({ HTTP_PROXY: proxy.url, HTTPS_PROXY: proxy.url });
  assert.equal(
    await get('http://feeds.example/list', { ...through, ca: authority.cert }),
    `200 ${BODY}`,
  );
  assert.deepEqual(proxy.asked, ['GET http://feeds.example/list', 'CONNECT feeds.example:443']);
});

for (const [behaviour, scheme, status, want] of [
  [
    'wants a password for a tunnel',
    'https',
    407,
    'the proxy 127.0.0.1 (HTTPS_PROXY) answered 407 Proxy Authentication Required; put user name and password into HTTPS_PROXY',
  ],
  [
    'wants a password',
    'http',
    407,
    'the proxy 127.0.0.1 (HTTP_PROXY) answered 407 Proxy Authentication Required; put user name and password into HTTP_PROXY',
  ],
  ['refuses the tunnel', 'https', 403, 'the proxy 127.0.0.1 (HTTPS_PROXY) answered 403 Forbidden'],
  [
    'does not reach the host',
    'https',
    502,
    'the proxy 127.0.0.1 (HTTPS_PROXY) answered 502 Bad Gateway',
  ],
] as const)
  test(`proxy: one that ${behaviour} is a sentence without its password`, async () => {
    proxy.refuse = status;
    const url = proxy.url.replace('//', '//me:secret@');
    const network = proxies({ HTTPS_PROXY: url, HTTP_PROXY: url });
    assert.equal(await get(`${scheme}://feeds.example/list`, network), `failure: ${want}`);
  });

test('proxy: one that does not listen, and one that is not HTTP', async () => {
  const unused = await startForwardProxy({});
  await unused.close();
  assert.equal(
    await get('https://feeds.example/', proxies({ https_proxy: unused.url })),
    'failure: the proxy 127.0.0.1 (https_proxy) refused the connection',
  );
  await withRawServer(
    (socket) => void socket.end('SSH-2.0-example\r\n'),
    async (port) => {
      const result = await get(
        'https://feeds.example/',
        proxies({ https_proxy: `127.0.0.1:${port}` }),
      );
      assert.match(
        result,
        /^failure: the answer of the proxy 127\.0\.0\.1 \(https_proxy\) cannot be read as HTTP: /,
      );
    },
  );
  assert.equal(
    await get('https://feeds.example/', proxies({ ALL_PROXY: 'socks5://127.0.0.1:1080' })),
    'failure: ALL_PROXY names a proxy with the scheme socks5: but only http: and https: work',
  );
});
