import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { after, afterEach, before } from 'node:test';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import {
  type Answer,
  cutOff,
  type LoopbackServer,
  startLoopbackServer,
} from '@whence/testing/servers/loopback-server';
import { download } from './download.ts';
import type { DownloadRequest, DownloadResult } from './download-request.ts';

const NOW = new Date('2026-10-07T12:00:00Z');
const BODY = '0123456789'.repeat(1000);
const HALF = BODY.slice(0, 5000);
const folder = mkdtempSync(join(tmpdir(), 'whence-download-'));
const target = join(folder, 'download');
let server: LoopbackServer;
let pauses: number[] = [];

before(async () => {
  server = await startLoopbackServer();
});
after(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});
afterEach(() => {
  server.reset();
  pauses = [];
  for (const name of readdirSync(folder)) rmSync(join(folder, name));
});

const LIMITS = { maxBytes: 1_000_000, idleTimeoutMs: 5000, totalTimeoutMs: 10_000 };

function get(path: string, more: Partial<DownloadRequest> = {}): Promise<DownloadResult> {
  const sleep = async (ms: number) => {
    pauses.push(ms);
  };
  return download({
    url: URL.canParse(path) ? path : server.url + path,
    target,
    limits: LIMITS,
    now: NOW,
    sleep,
    ...more,
  });
}

const answers = (
  status: number,
  headers: Record<string, string | number> = {},
  body = '',
): Answer => {
  return (response) => void response.writeHead(status, headers).end(body);
};

const failed = (reason: string, isAnswered = true) => ({ kind: 'failed', reason, isAnswered });

test('download: the body, its size and its validators', async () => {
  const lastModified = 'Tue, 06 Oct 2026 08:00:00 GMT';
  server.routes.set('/list', answers(200, { etag: '"1"', 'last-modified': lastModified }, BODY));
  const result = await get('/list', { contact: 'mailto:noc@example.com' });
  assert.deepEqual(result, {
    kind: 'fetched',
    bytes: 10_000,
    url: `${server.url}/list`,
    etag: '"1"',
    lastModified,
  });
  assert.equal(readFileSync(target, 'utf8'), BODY);
  assert.deepEqual(readdirSync(folder), ['download']);
  const headers = server.asked[0]?.headers;
  assert.match(
    headers?.['user-agent'] ?? '',
    /^whence\/\d+\.\d+\.\d+ \(\+mailto:noc@example\.com\)$/,
  );
  assert.equal(headers?.['accept-encoding'], 'identity');
  assert.equal(headers?.['if-none-match'], undefined);
  assert.equal(headers?.range, undefined);
});

test('download: a body without a length, and an empty one', async () => {
  server.routes.set('/chunked', (response) => {
    response.write(HALF);
    response.end(HALF);
  });
  assert.deepEqual(await get('/chunked'), {
    kind: 'fetched',
    bytes: 10_000,
    url: `${server.url}/chunked`,
  });
  server.routes.set('/empty', answers(200, { 'content-length': 0 }));
  assert.deepEqual(await get('/empty'), { kind: 'fetched', bytes: 0, url: `${server.url}/empty` });
  assert.equal(readFileSync(target, 'utf8'), '');
});

test('download: nothing new', async () => {
  server.routes.set('/list', answers(304));
  const known = { etag: '"1"', lastModified: 'Tue, 06 Oct 2026 08:00:00 GMT' };
  assert.deepEqual(await get('/list', known), { kind: 'unchanged' });
  const headers = server.asked[0]?.headers;
  assert.equal(headers?.['if-none-match'], known.etag);
  assert.equal(headers?.['if-modified-since'], known.lastModified);
});

for (const [behaviour, answer, reason] of [
  ['a page that does not exist', answers(404, {}, '<html>'), 'the server answered 404 Not Found'],
  ['an unknown status', answers(299), 'the server answered 299'],
  ['304 to an unconditional request', answers(304), 'the server answered 304 Not Modified'],
  [
    'a part without a Range request',
    answers(206, { 'content-range': 'bytes 0-9/100' }),
    'the server answered 206 Partial Content',
  ],
  ['too many requests', answers(429), 'the server answered 429 Too Many Requests'],
  ['a length over the limit', answers(200, { 'content-length': 1_000_001 }), 'larger than 1 MB'],
  [
    'a redirect to something that is not a URL',
    answers(302, { location: 'http://[' }),
    'the server redirected to "http://[", which is not a URL',
  ],
  [
    'a redirect to a file',
    answers(302, { location: 'file:///etc/hostname' }),
    'the server redirected to a URL with the scheme file: and not https: or http:',
  ],
  [
    'a redirect to an address with a password',
    answers(301, { location: 'http://a:b@127.0.0.1/' }),
    'the server redirected to a URL with a user name or password, which is refused',
  ],
] as const)
  test(`download: ${behaviour} is a failure, at once`, async () => {
    server.routes.set('/list', answer);
    assert.deepEqual(await get('/list'), failed(reason));
    assert.deepEqual(pauses, []);
    assert.deepEqual(readdirSync(folder), []);
  });

for (const [behaviour, status, retryAfter, seconds, words] of [
  ['seconds', 429, '90', 90, '429 Too Many Requests and asks to try again in 90 s'],
  [
    'a date',
    503,
    'Wed, 07 Oct 2026 12:10:00 GMT',
    600,
    '503 Service Unavailable and asks to try again in 10 minutes',
  ],
  [
    'a date that is over',
    503,
    'Wed, 07 Oct 2026 11:00:00 GMT',
    0,
    '503 Service Unavailable and asks to try again in 0 s',
  ],
  ['a day', 429, '86400', 86_400, '429 Too Many Requests and asks to try again in 24 hours'],
] as const)
  test(`download: Retry-After with ${behaviour} is passed on`, async () => {
    server.routes.set('/list', answers(status, { 'retry-after': retryAfter }));
    assert.deepEqual(await get('/list'), {
      ...failed(`the server answered ${words}`),
      retryAfterSeconds: seconds,
    });
    assert.equal(server.asked.length, 1);
  });

test('download: a server that fails once is asked again', async () => {
  server.routes.set('/list', (response, _, turn) => {
    if (turn === 0) response.writeHead(500).end();
    else if (turn === 1) response.socket?.destroy();
    else response.end(BODY);
  });
  assert.equal((await get('/list')).kind, 'fetched');
  assert.deepEqual(pauses, [1000, 4000]);
});

test('download: a server that keeps failing is asked three times', async () => {
  server.routes.set('/list', answers(502));
  assert.deepEqual(await get('/list'), failed('the server answered 502 Bad Gateway'));
  assert.equal(server.asked.length, 3);
});

test('download: no server on the port', async () => {
  const unused = await startLoopbackServer();
  await unused.close();
  assert.deepEqual(await get(`${unused.url}/list`), {
    ...failed('127.0.0.1 refused the connection', false),
    unreachable: 'connection',
  });
  assert.equal(pauses.length, 2);
});

test('download: something else than a web server', async () => {
  server.routes.set('/list', (response) => void response.socket?.end('SSH-2.0-example\r\n'));
  const result = await get('/list');
  assert.match(
    result.kind === 'failed' ? result.reason : '',
    /^the answer of 127\.0\.0\.1 cannot be read as HTTP: /,
  );
});

for (const [behaviour, url, reason] of [
  ['no address', 'list.txt', '"list.txt" is not a URL'],
  [
    'another scheme',
    'ftp://example.com/list',
    'a URL with the scheme ftp: and not https: or http:',
  ],
  [
    'a password in it',
    'https://user:secret@example.com/',
    'a URL with a user name or password, which is refused',
  ],
] as const)
  test(`download: refuses ${behaviour}`, async () => {
    assert.deepEqual(await get('', { url }), failed(reason, false));
  });

test('download: follows redirects, with the validators', async () => {
  server.routes.set('/list', answers(302, { location: '/a/list' }, 'over there'));
  server.routes.set('/a/list', answers(308, { location: `${server.url}/b/list` }));
  server.routes.set('/b/list', answers(200, {}, BODY));
  assert.deepEqual(await get('/list', { etag: '"1"' }), {
    kind: 'fetched',
    bytes: 10_000,
    url: `${server.url}/b/list`,
  });
  assert.deepEqual(
    server.asked.map(({ headers }) => headers['if-none-match']),
    ['"1"', '"1"', '"1"'],
  );
});

test('download: a redirect loop ends', async () => {
  server.routes.set('/list', answers(302, { location: '/list' }));
  assert.deepEqual(await get('/list'), failed('the server redirected more than 5 times'));
  assert.equal(server.asked.length, 6);
});

test('download: an endless body ends at the limit', async () => {
  server.routes.set('/list', (response) => {
    const chunk = Buffer.alloc(100_000);
    const more = () => void (response.destroyed || response.write(chunk, more));
    response.setHeader('etag', '"1"');
    more();
  });
  assert.deepEqual(await get('/list'), failed('larger than 1 MB'));
  assert.deepEqual(readdirSync(folder), []);
});

test('download: no answer', async () => {
  server.routes.set('/list', () => {});
  const limits = { ...LIMITS, idleTimeoutMs: 60 };
  assert.deepEqual(await get('/list', { limits }), {
    ...failed('no answer within 0.06 s', false),
    unreachable: 'connection',
  });
  assert.deepEqual(pauses, []);
});

test('download: a body that stops coming can be continued', async () => {
  server.routes.set('/list', (response) => {
    response.writeHead(200, { etag: '"1"', 'content-length': BODY.length });
    response.write(HALF);
  });
  const limits = { ...LIMITS, idleTimeoutMs: 400 };
  const reason =
    'no more data within 0.4 s after 5000 of 10000 bytes; the next update continues from there';
  assert.deepEqual(await get('/list', { limits }), failed(reason));
  assert.equal(readFileSync(`${target}.part`, 'utf8'), HALF);
});

test('download: a body that is too slow is given up and can be continued', async () => {
  server.routes.set('/list', (response) => {
    response.writeHead(200, { etag: '"1"', 'content-length': BODY.length });
    const drip = setInterval(() => response.write('.'), 10);
    response.on('close', () => clearInterval(drip));
  });
  const result = await get('/list', {
    limits: { ...LIMITS, minRate: { bytesPerSecond: 1000, windowMs: 200 } },
  });
  const [, bytes] =
    /^slower than 1 kB\/s for 0\.2 s after (\d+) of 10000 bytes; the next update continues from there$/.exec(
      result.kind === 'failed' ? result.reason : '',
    ) ?? [];
  assert.equal(Number(bytes), partBytes());
  assert.equal(server.asked.length, 1, 'it is not tried again at once');
});

test('download: a body below the minimum rate is given up', async () => {
  server.routes.set('/list', (response) => {
    const drip = setInterval(() => response.write('.'), 10);
    response.on('close', () => clearInterval(drip));
  });
  const result = await get('/list', { limits: { ...LIMITS, totalTimeoutMs: 600 } });
  assert.match(
    result.kind === 'failed' ? result.reason : '',
    /^not finished within 0\.6 s after \d+ bytes; the next update starts over$/,
  );
  assert.deepEqual(readdirSync(folder), []);
});

/** Sends half of the body, breaks, and sends the rest to a request with the right validator. */
const broken = (validators: Record<string, string>, turnsThatBreak = 1): Answer => {
  return (response, { headers }, turn) => {
    const from = Number(/^bytes=(\d+)-$/.exec(headers.range ?? '')?.[1] ?? 0);
    const isPart =
      from > 0 &&
      headers['if-range'] !== undefined &&
      Object.values(validators).includes(String(headers['if-range']));
    const start = isPart ? from : 0;
    response.writeHead(isPart ? 206 : 200, {
      ...validators,
      'content-length': BODY.length - start,
      ...(isPart ? { 'content-range': `bytes ${start}-${BODY.length - 1}/${BODY.length}` } : {}),
    });
    if (turn < turnsThatBreak)
      cutOff(response, BODY.slice(start, start + 2500), () => partBytes() === start + 2500);
    else response.end(BODY.slice(start));
  };
};

for (const [behaviour, validators, ifRange] of [
  ['by its ETag', { etag: '"1"', 'last-modified': 'Tue, 06 Oct 2026 08:00:00 GMT' }, '"1"'],
  [
    'by its date',
    { 'last-modified': 'Tue, 06 Oct 2020 08:00:00 GMT' },
    'Tue, 06 Oct 2020 08:00:00 GMT',
  ],
  [
    'by its date where the ETag is weak',
    { etag: 'W/"1"', 'last-modified': 'Tue, 06 Oct 2020 08:00:00 GMT' },
    'Tue, 06 Oct 2020 08:00:00 GMT',
  ],
] as const)
  test(`download: what broke off is continued, known ${behaviour}`, async () => {
    server.routes.set('/list', broken(validators));
    const result = await get('/list');
    assert.equal(result.kind === 'fetched' && result.bytes, 10_000);
    assert.equal(readFileSync(target, 'utf8'), BODY);
    assert.deepEqual(readdirSync(folder), ['download']);
    assert.deepEqual(
      server.asked.map(({ headers }) => [headers.range, headers['if-range']]),
      [
        [undefined, undefined],
        ['bytes=2500-', ifRange],
      ],
    );
  });

for (const [behaviour, validators] of [
  ['without validators', {}],
  ['with a weak one', { etag: 'W/"1"' }],
  [
    'with a date that is not old enough',
    { 'last-modified': 'Wed, 07 Oct 2026 12:00:00 GMT', date: 'Wed, 07 Oct 2026 12:00:00 GMT' },
  ],
] as const)
  test(`download: what broke off ${behaviour} starts over`, async () => {
    server.routes.set('/list', broken(validators));
    assert.equal((await get('/list')).kind, 'fetched');
    assert.equal(readFileSync(target, 'utf8'), BODY);
    assert.equal(server.asked[1]?.headers.range, undefined);
  });

test('download: what breaks off every time is continued by the next call', async () => {
  const big = Buffer.alloc(900_000, BODY);
  server.routes.set('/list', (response, { headers }, turn) => {
    const start = Number(/^bytes=(\d+)-$/.exec(headers.range ?? '')?.[1] ?? 0);
    response.writeHead(start > 0 ? 206 : 200, {
      etag: '"1"',
      'content-length': big.length - start,
      'content-range': `bytes ${start}-${big.length - 1}/${big.length}`,
    });
    if (turn < 3)
      cutOff(response, big.subarray(start, start + 200_000), () => partBytes() === start + 200_000);
    else response.end(big.subarray(start));
  });
  const reason = 'the connection broke after 0.6 of 0.9 MB; the next update continues from there';
  assert.deepEqual(await get('/list'), failed(reason));
  assert.equal((await get('/list')).kind, 'fetched');
  assert.equal(server.asked.at(-1)?.headers.range, 'bytes=600000-');
  assert.ok(readFileSync(target).equals(big));
});

test('download: a body that ends before its length', async () => {
  server.routes.set('/list', (response, _, turn) => {
    response.writeHead(200, { etag: `"${turn}"`, 'content-length': BODY.length });
    cutOff(response, HALF, () => partBytes() === HALF.length);
  });
  const reason =
    'the connection broke after 5000 of 10000 bytes; the next update continues from there';
  assert.deepEqual(await get('/list'), failed(reason));
});

for (const [behaviour, answer] of [
  ['another version', answers(200, { etag: '"2"' }, BODY)],
  ['416', ifPart(answers(416, { 'content-range': `bytes */100` }))],
  [
    'other bytes than those asked for',
    ifPart(answers(206, { 'content-range': 'bytes 0-9999/10000' }, BODY)),
  ],
  ['less than the rest', ifPart(answers(206, { 'content-range': 'bytes 3-5/10000' }, '345'))],
  [
    'a part of something longer',
    ifPart(answers(206, { 'content-range': 'bytes 3-10/11' }, '34567890')),
  ],
  ['a part that does not say which', ifPart(answers(206, {}, BODY))],
  [
    'an encoded part',
    ifPart(answers(206, { 'content-range': 'bytes 3-9999/10000', 'content-encoding': 'gzip' })),
  ],
] as const)
  test(`download: a part is dropped when the server answers with ${behaviour}`, async () => {
    leavePart('old');
    server.routes.set('/list', answer);
    const result = await get('/list');
    assert.equal(server.asked[0]?.headers.range, 'bytes=3-');
    assert.equal(result.kind === 'fetched' && result.bytes, 10_000);
    assert.equal(readFileSync(target, 'utf8'), BODY);
    assert.deepEqual(pauses, []);
  });

test('download: a part is dropped when the copy that we have is current again', async () => {
  leavePart('new');
  server.routes.set('/list', answers(304));
  assert.deepEqual(await get('/list', { etag: '"0"' }), { kind: 'unchanged' });
  assert.deepEqual(readdirSync(folder), []);
});

for (const [behaviour, note] of [
  ['of another address', { url: 'http://127.0.0.1/other', if_range: '"1"' }],
  ['that is already too long', { total: 3 }],
  ['without a note', undefined],
] as const)
  test(`download: a part ${behaviour} is not continued`, async () => {
    leavePart('old', note);
    if (note === undefined) writeFileSync(`${target}.part.json`, '{');
    server.routes.set('/list', answers(200, {}, BODY));
    assert.equal((await get('/list')).kind, 'fetched');
    assert.equal(server.asked[0]?.headers.range, undefined);
    assert.equal(readFileSync(target, 'utf8'), BODY);
  });

test('download: a content coding that was not asked for is removed, and the length is not that of the file', async () => {
  const encoded = gzipSync(BODY);
  server.routes.set('/list', (response) => {
    response
      .writeHead(200, { etag: '"1"', 'content-encoding': 'gzip', 'content-length': encoded.length })
      .end(encoded);
  });
  const result = await get('/list');
  assert.equal(result.kind === 'fetched' && result.bytes, 10_000);
  assert.equal(readFileSync(target, 'utf8'), BODY);
});

test('download: an encoded body that breaks off starts over', async () => {
  const encoded = gzipSync(Buffer.from(Array.from({ length: 50_000 }, (_, i) => (i * i) >> 3)));
  server.routes.set('/list', (response, _, turn) => {
    response.writeHead(200, {
      etag: '"1"',
      'content-encoding': 'gzip',
      'content-length': encoded.length,
    });
    if (turn === 0)
      cutOff(response, encoded.subarray(0, encoded.length / 2), () => partBytes() > 0);
    else response.end(encoded);
  });
  const result = await get('/list');
  assert.equal(result.kind === 'fetched' && result.bytes, 50_000);
  assert.equal(server.asked[1]?.headers.range, undefined);
});

test('download: a gzip file stays one', async () => {
  const file = gzipSync(BODY);
  server.routes.set('/list.gz', (response) => void response.end(file));
  await get('/list.gz');
  assert.ok(readFileSync(target).equals(file));
});

test('download: a file, and then nothing new in it', async () => {
  const path = join(folder, 'own list.txt');
  writeFileSync(path, BODY);
  utimesSync(path, NOW, NOW);
  const url = pathToFileURL(path).href;
  const first = await get('', { url });
  assert.deepEqual(first, {
    kind: 'fetched',
    bytes: 10_000,
    url,
    etag: `"10000-${NOW.getTime()}"`,
    lastModified: NOW.toUTCString(),
  });
  assert.equal(readFileSync(target, 'utf8'), BODY);
  const { etag = '' } = first as { etag?: string };
  assert.deepEqual(await get('', { url, etag }), { kind: 'unchanged' });
  utimesSync(path, NOW, new Date(NOW.getTime() + 1000));
  assert.equal((await get('', { url, etag })).kind, 'fetched');
  writeFileSync(path, '');
  assert.equal((await get('', { url, etag })).kind, 'fetched');
  assert.equal(readFileSync(target, 'utf8'), '');
});

test('download: paths that are not files, or too large', async () => {
  const url = pathToFileURL(folder).href;
  assert.deepEqual(
    await get('', { url: `${url}/absent` }),
    failed(`no such file: ${folder}/absent`, false),
  );
  assert.deepEqual(await get('', { url }), failed(`${folder} is a folder`, false));
  assert.deepEqual(
    await get('', { url: 'file://host/list' }),
    failed('file://host/list is not a path; it should look like file:///folder/name', false),
  );
  writeFileSync(join(folder, 'large'), Buffer.alloc(1_000_001));
  assert.deepEqual(await get('', { url: `${url}/large` }), failed('larger than 1 MB', false));
  assert.ok(!existsSync(target));
});

const NO_MKFIFO =
  spawnSync('mkfifo', ['--help']).error === undefined ? false : 'mkfifo is not installed';
test('download: a pipe is not waited for', { skip: NO_MKFIFO }, async () => {
  const pipe = join(folder, 'pipe');
  spawnSync('mkfifo', [pipe]);
  assert.deepEqual(
    await get('', { url: pathToFileURL(pipe).href }),
    failed(`${pipe} is not a file`, false),
  );
});

function partBytes(): number {
  return statSync(`${target}.part`, { throwIfNoEntry: false })?.size ?? 0;
}

function leavePart(body: string, note: Record<string, unknown> = {}): void {
  writeFileSync(`${target}.part`, body);
  writeFileSync(
    `${target}.part.json`,
    JSON.stringify({ url: `${server.url}/list`, if_range: '"1"', total: 10_000, ...note }),
  );
}

/** Answers a request for a part in this way, and any other with the whole body. */
function ifPart(answer: Answer): Answer {
  return (response, request, turn) => {
    if (request.headers.range === undefined) response.end(BODY);
    else answer(response, request, turn);
  };
}
