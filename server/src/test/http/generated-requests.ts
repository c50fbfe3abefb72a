/** Generated requests around `GET /v1/ip/{ip}` and `POST /v1/ip/batch`: plain ones, nearly plain ones, and odd ones. */

export type Keys = { readonly good: string; readonly usedUp: string; readonly noPermission: string };

type Random = () => number;

const BATCHES = 0.2;

/** `isBatch` also of a batch that is odd. */
export function generateRequest(random: Random, keys: Keys): { readonly request: string; readonly isBatch: boolean } {
  const isBatch = random() < BATCHES;
  return { request: isBatch ? generateBatch(random, keys) : generateLookup(random, keys), isBatch };
}

function generateBatch(random: Random, keys: Keys): string {
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  const isOdd = random() < 0.2;
  const count = random() < 0.02 ? 1_100 * random() : 1 + 5 * random();
  const texts = Array.from({ length: count }, () => `"${address(random, pick).replaceAll('ä', 'x')}"`);
  const body = isOdd ? pick(ODD_BODIES) : `{"ips":[${texts.join(pick([',', ', ']))}]}`;
  const target = isOdd ? pick(['/v1/ip/batch', '/v1/ip/batch', '/v1/ip/batch?', '/v1/ip/batch/']) : '/v1/ip/batch';
  const type = pick(['application/json', 'application/json', 'application/json; charset=utf-8']);
  const lines = [
    // Only a good key is answered on the plain path.
    ...headers(random, pick, keys, isOdd, 40),
    isOdd ? pick(ODD_TYPES) : `Content-Type: ${type}`,
    isOdd ? pick(ODD_LENGTHS)(body.length) : `Content-Length: ${body.length}`,
  ];
  const method = isOdd ? pick(['POST', 'POST', 'POST', 'PUT', 'post']) : 'POST';
  return `${method} ${target} HTTP/1.1\r\n${lines.map((line) => `${line}\r\n`).join('')}\r\n${body}`;
}

const ODD_BODIES = [
  '{"ips":["8.8.8.8"]}',
  '{"ips":["8.8.8.8","8.8.8.8","__proto__"]}',
  '{"ips":[]}',
  '{"ips":["8.8.8.8",]}',
  '{"ips":["8.8.8.8"],"include":["privacy"]}',
  '{"ips":["\\u0038.8.8.8"]}',
  '{"ips":"8.8.8.8"}',
  '["8.8.8.8"]',
  '{}',
  'GET /v1/ip/8.8.8.8 HTTP/1.1\r\nHost: x\r\n\r\n',
];
const ODD_TYPES = [
  'Content-Type: application/json',
  'content-type: application/json; charset=utf-8',
  'Content-Type: Application/JSON',
  'Content-Type: application/json;charset=utf-8',
  'Content-Type: application/json ',
  'Content-Type: text/plain',
  'Content-Type: application/jsonx',
  'Content-Type: application/json\r\nContent-Type: application/json',
  'X-No-Type: 1',
];
/** Never longer than the body: the server would wait for the rest. */
const ODD_LENGTHS: readonly ((length: number) => string)[] = [
  (length) => `Content-Length: ${length}`,
  (length) => `content-length: ${length}`,
  (length) => `Content-Length: ${length - 1}`,
  (length) => `Content-Length: 0${length}`,
  (length) => `Content-Length: +${length}`,
  (length) => `Content-Length: ${length}, ${length}`,
  (length) => `Content-Length: ${length}\r\nContent-Length: ${length}`,
  (length) => `Content-Length: 1\r\nContent-Length: ${length}`,
  (length) => `Content-Length: ${length}\r\nTransfer-Encoding: chunked`,
  (length) => `Transfer-Encoding: chunked\r\nContent-Length: ${length}`,
  () => 'Content-Length: 0',
  () => 'Content-Length: -1',
  () => 'Content-Length: 0x5',
  () => 'Content-Length: a',
];

function generateLookup(random: Random, keys: Keys): string {
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  const isOdd = random() < 0.2;
  const target = `${isOdd ? pick(['/v1/ip/', '/v1/ip/', '/v1/asn/', '/v1/IP/', '//v1/ip/', '/v1/ip']) : '/v1/ip/'}${address(random, pick)}`;
  const query = isOdd ? pick(['', '', '?', '?explain=true', '?a=%', '#x', '%20', '/']) : '';
  const method = isOdd ? pick(['GET', 'GET', 'GET', 'HEAD', 'get', 'POST', 'OPTIONS', 'PROPFIND']) : 'GET';
  const version = isOdd ? pick(['HTTP/1.1', 'HTTP/1.1', 'HTTP/1.1', 'HTTP/1.0', 'HTTP/1.2', 'http/1.1']) : 'HTTP/1.1';
  const lines = headers(random, pick, keys, isOdd, 6);
  const end = isOdd ? pick(['\r\n', '\r\n', '\r\n', '\r\n\r\n', '\r\nX']) : '\r\n';
  return `${method} ${target}${query} ${version}\r\n${lines.map((line) => `${line}\r\n`).join('')}${end}`;
}

function address(random: Random, pick: <T>(items: readonly T[]) => T): string {
  const octet = () => Math.floor(random() * 256);
  return pick([
    () => `8.8.8.${octet() % 16}`,
    () => `1.0.${octet() % 4}.${octet() % 8}`,
    () => `${octet()}.${octet()}.${octet()}.${octet()}`,
    () => `2001:4860::${(octet() % 32).toString(16)}`,
    () => pick(['2001:4860:0:0:0:0:0:1', '2001:4860::0:1', '2001:4860::A', '::ffff:8.8.8.8', '::FFFF:808:808', '::']),
    () => pick(['10.0.0.1', '127.0.0.1', '192.0.2.1', 'fe80::1', 'ff02::1', '0.0.0.0', '255.255.255.255']),
    () =>
      pick([
        '8.8.8',
        '08.8.8.8',
        '8.8.8.8.8',
        '256.1.1.1',
        '1:2',
        ':::',
        '::1::',
        '.',
        ':',
        'abc',
        'dead.beef',
        '1'.repeat(60),
      ]),
    () => pick(['8.8.8.8%20', '%38.8.8.8', '[::1]', 'fe80::1%25eth0', '8.8.8.8/24', 'batch', 'ä', ' ']),
  ])();
}

const HARMLESS = [
  'User-Agent: test/1.0 (a; b) c',
  'user-agent: x',
  'Accept: */*',
  'Accept-Encoding: gzip, br',
  'X-Forwarded-For: 203.0.113.7, 198.51.100.1',
  'X-Forwarded-Proto: https',
  'traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  'Via: 1.1 proxy',
  'X-Request-ID: mine',
  'Connection: keep-alive',
  'connection: Keep-Alive',
  'Cookie: a=b; c=d',
  'Authorization: Bearer nothing',
];
const ODD = [
  'Connection: close',
  'Connection: keep-alive, close',
  'Connection: upgrade',
  'Content-Length: 0',
  'Transfer-Encoding: identity',
  'Expect: 100-continue',
  'Expect: tea',
  'Upgrade: h2c',
  'Origin: https://example.com',
  'X-Unknown: 1',
  'Accept:*/*',
  'Accept:  */*',
  'Accept: */* ',
  'Accept : */*',
  'Accept:\t*/*',
  'Accept: a\tb',
  'Accept:',
  'Accept: \x7f',
  'Accept: caf\xe9',
  ' folded: 1',
  'User-Agent: a\r\n b',
  'Host: second',
  'X-API-Key: second',
  'no colon',
  ': empty',
  'X-Bare: a\rb',
];

function headers(
  random: Random,
  pick: <T>(items: readonly T[]) => T,
  keys: Keys,
  isOdd: boolean,
  goodKeys: number,
): string[] {
  const name = pick(['X-API-Key', 'x-api-key', 'X-Api-Key']);
  const key = pick([
    ...new Array<string>(goodKeys).fill(keys.good),
    keys.usedUp,
    keys.noPermission,
    'whence_nonsense',
    `${keys.good.slice(0, -1)}_`,
    '',
  ]);
  const lines = [
    ...(isOdd && random() < 0.2 ? [] : [pick(['Host: x', 'host: localhost:8080', 'HOST: a.example'])]),
    ...(key === '' ? [] : [`${name}: ${key}`]),
  ];
  for (let i = Math.floor(random() * 6); i > 0; i--) lines.push(pick(HARMLESS));
  if (isOdd && random() < 0.7) lines.push(pick(ODD));
  return random() < 0.5 ? lines : lines.sort(() => random() - 0.5);
}
