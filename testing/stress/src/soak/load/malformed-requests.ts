/**
 * Requests that the server must refuse, and the status of each (docs/api.md). `KEY` stands for a
 * valid key.
 */
export type MalformedRequest = {
  readonly name: string;
  readonly bytes: string;
  readonly status: number;
};

const HOST = 'Host: whence\r\n';
const AUTHENTICATED = `${HOST}X-API-Key: KEY\r\n`;

function post(body: string, type = 'application/json'): string {
  const length = Buffer.byteLength(body);
  return `POST /v1/ip/batch HTTP/1.1\r\n${AUTHENTICATED}Content-Type: ${type}\r\nContent-Length: ${length}\r\n\r\n${body}`;
}

function get(target: string, headers = AUTHENTICATED): string {
  return `GET ${target} HTTP/1.1\r\n${headers}\r\n`;
}

const ROWS: readonly (readonly [name: string, bytes: string, status: number])[] = [
  ['not an address', get('/v1/ip/8.8.8'), 400],
  ['an address with a zone', get('/v1/ip/fe80::1%25eth0'), 400],
  ['not an AS number', get('/v1/asn/google'), 400],
  ['a search without words', get('/v1/asn/search?q=%20'), 400],
  ['not a domain', get('/v1/email/domain/-.example/dns'), 400],
  ['no domain', get('/v1/email/domain//dns'), 400],
  ['a body that is not JSON', post('{"ips":['), 400],
  ['an empty batch', post('{"ips":[]}'), 400],
  ['a batch of numbers', post('{"ips":[1]}'), 400],
  ['not HTTP', 'HELLO WORLD\r\n\r\n', 400],
  ['no Host', get('/v1/ip/8.8.8.8', 'X-API-Key: KEY\r\n'), 400],
  [
    'two lengths',
    `GET /healthz HTTP/1.1\r\n${HOST}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`,
    400,
  ],
  ['no key', get('/v1/ip/8.8.8.8', HOST), 401],
  [
    'a key with a wrong checksum',
    get('/v1/ip/8.8.8.8', `${HOST}X-API-Key: whence_${'a'.repeat(36)}\r\n`),
    401,
  ],
  ['no such route', get('/v1/nothing'), 404],
  ['a method that no route takes', `DELETE /v1/ip/8.8.8.8 HTTP/1.1\r\n${AUTHENTICATED}\r\n`, 405],
  // The body is not sent: its length is enough to refuse it.
  [
    'a body that is too large',
    `POST /v1/ip/batch HTTP/1.1\r\n${AUTHENTICATED}Content-Type: application/json\r\nContent-Length: 300000\r\n\r\n`,
    413,
  ],
  ['a path that is too long', get(`/v1/ip/${'1'.repeat(9_000)}`), 414],
  ['a body that is not application/json', post('8.8.8.8', 'text/plain'), 415],
  [
    'headers that are too large',
    get('/healthz', `${HOST}X-Padding: ${'a'.repeat(17_000)}\r\n`),
    431,
  ],
];

export function malformedRequests(key: string): MalformedRequest[] {
  return ROWS.map(([name, bytes, status]) => ({ name, bytes: bytes.replace('KEY', key), status }));
}
