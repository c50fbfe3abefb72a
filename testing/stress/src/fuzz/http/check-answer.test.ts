import assert from 'node:assert/strict';
import test from 'node:test';
import { checkHttpAnswer } from './check-answer.ts';

const ID = '709a6779-8f81-468b-8be3-89d0c12bb092';
const GET = { about: 'test', chunks: [Buffer.from('GET / HTTP/1.1\r\n\r\n')] };

function answer(status: string, body: string, headers: Record<string, string> = {}): string {
  const all = {
    'Content-Type': 'application/json; charset=utf-8',
    'Cache-Control': 'no-store',
    'X-Request-ID': ID,
    'Content-Length': String(Buffer.byteLength(body)),
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status}\r\n${lines.join('')}\r\n${body}`;
}

const json = (data: object, meta: object = { processing_time_ms: 0 }) =>
  JSON.stringify({ data, meta });
const error = (code: string, text: string) => json({ error: text, code });
const OK = answer('200 OK', json({ status: 'ok' }));
const BAD = answer('400 Bad Request', error('BAD_REQUEST', 'bad request'), { Connection: 'close' });

for (const [behaviour, received, want] of [
  ['a success', OK, undefined],
  ['an error of the contract', BAD, undefined],
  ['an interim response before it', `HTTP/1.1 100 Continue\r\n\r\n${OK}`, undefined],
  ['several answers', OK + OK + BAD, undefined],
  ['no answer', '', /^closed without an answer$/],
  ['half an answer', OK.slice(0, -3), /cut off/],
  ['an answer and half of another', OK + OK.slice(0, 40), /cut off/],
  [
    'an internal error',
    answer('500 Internal Server Error', error('INTERNAL', 'internal error')),
    /^status 500/,
  ],
  [
    'a body that is not an envelope',
    answer('404 Not Found', '{"statusCode":404}'),
    /without the envelope/,
  ],
  [
    'something beside data and meta',
    answer('200 OK', '{"data":{},"meta":{"processing_time_ms":0},"x":1}'),
    /without the envelope/,
  ],
  ['data that is a list', answer('200 OK', json([])), /not an object/],
  [
    'a code with another status',
    answer('404 Not Found', error('BAD_REQUEST', 'bad request')),
    /status 404 with BAD_REQUEST/,
  ],
  [
    'a code with another text',
    answer('400 Bad Request', error('BAD_REQUEST', 'oops')),
    /with BAD_REQUEST "oops"/,
  ],
  [
    'a time that must be 0',
    answer(
      '401 Unauthorized',
      json({ error: 'unauthorized', code: 'UNAUTHORIZED' }, { processing_time_ms: 1 }),
    ),
    /time of 1 ms/,
  ],
  [
    'another request id in the body',
    answer('200 OK', json({}, { processing_time_ms: 0, request_id: 'x' })),
    /request_id/,
  ],
  ['no request id', answer('200 OK', json({}), { 'X-Request-ID': '' }), /without X-Request-ID/],
  [
    'an answer that may be cached',
    answer('200 OK', json({}), { 'Cache-Control': 'public' }),
    /no-store/,
  ],
  [
    '405 without Allow',
    answer('405 Method Not Allowed', error('METHOD_NOT_ALLOWED', 'method not allowed')),
    /without Allow/,
  ],
  [
    'an answer without a length',
    'HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n',
    /without a Content-Length/,
  ],
  ['not HTTP', 'hello\r\n\r\n', /not the head/],
] as const)
  test(`fuzz, http: ${behaviour}`, () => {
    const outcome = { received: Buffer.from(received), end: 'closed', error: undefined } as const;
    const fault = checkHttpAnswer(GET, outcome);
    if (want === undefined) assert.equal(fault, undefined);
    else assert.match(fault ?? '', want);
  });

test('fuzz, http: empty lines are no request and need no answer', () => {
  const outcome = { received: Buffer.alloc(0), end: 'closed', error: undefined } as const;
  assert.equal(
    checkHttpAnswer({ about: 'test', chunks: [Buffer.from('\r\n\r\n')] }, outcome),
    undefined,
  );
});

test('fuzz, http: a status that is wrong for what was sent', () => {
  const outcome = { received: Buffer.from(OK), end: 'quiet', error: undefined } as const;
  assert.equal(checkHttpAnswer({ ...GET, statuses: [400] }, outcome), 'status 200 instead of 400');
});

test('fuzz, http: the answer to HEAD has a length and no body', () => {
  const outcome = {
    received: Buffer.from(OK.slice(0, OK.indexOf('{'))),
    end: 'quiet',
    error: undefined,
  } as const;
  assert.equal(checkHttpAnswer({ ...GET, isHead: true }, outcome), undefined);
});

const CSV_HEADERS = {
  'Content-Type': 'text/csv; charset=utf-8',
  'Content-Disposition': 'attachment; filename="x.csv"',
};
const CSV = answer('200 OK', 'day,key\r\n', CSV_HEADERS);
const CHUNKED = `${CSV.slice(0, CSV.indexOf('Content-Length'))}Transfer-Encoding: chunked\r\nContent-Disposition: attachment; filename="x.csv"\r\n\r\n4\r\nday,\r\n5\r\nkey\r\n\r\n0\r\n\r\n`;
const SIGNED_OUT = answer('401 Unauthorized', error('SIGNED_OUT', 'sign in first'));

for (const [behaviour, target, received, want] of [
  ['a file of the dashboard', '/dashboard/api/usage/export', CSV, undefined],
  ['a file in chunks', '/dashboard/api/usage/export', CHUNKED, undefined],
  ['a file that was cut off', '/dashboard/api/usage/export', CHUNKED.slice(0, -5), /cut off/],
  ['a file where none was asked for', '/dashboard/api/usage', CSV, /is not JSON/],
  ['a refusal of the dashboard', '/dashboard/api/usage', SIGNED_OUT, undefined],
  [
    'a refusal of the dashboard by the API',
    '/v1/dataset',
    SIGNED_OUT,
    /status 401 with SIGNED_OUT/,
  ],
] as const)
  test(`fuzz, http: ${behaviour}`, () => {
    const outcome = { received: Buffer.from(received), end: 'closed', error: undefined } as const;
    const fault = checkHttpAnswer(
      { about: 'test', chunks: [Buffer.from(`GET ${target} HTTP/1.1\r\n\r\n`)] },
      outcome,
    );
    if (want === undefined) assert.equal(fault, undefined);
    else assert.match(fault ?? '', want);
  });
