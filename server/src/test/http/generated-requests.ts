/**
 * Generated requests around `GET /v1/ip/{ip}`, `GET /v1/decide` and `POST /v1/ip/batch`: plain,
 * nearly plain and odd ones.
 */

export type Keys = {
  readonly good: string;
  readonly usedUp: string;
  readonly noPermission: string;
};

type Random = () => number;

const BATCHES = 0.2;
const DECISIONS = 0.15;
const WITH_SECTIONS = 0.2;

/** `isBatch` also of a batch that is odd. */
export function generateRequest(
  random: Random,
  keys: Keys,
): { readonly request: string; readonly isBatch: boolean } {
  const kind = random();
  const isBatch = kind < BATCHES;
  if (isBatch) return { request: generateBatch(random, keys), isBatch };
  const generate = kind < BATCHES + DECISIONS ? generateDecision : generateLookup;
  return { request: generate(random, keys), isBatch };
}

/** Rules that every answer of a decision occurs with. */
export const COMPARED_RULES = `
sets:
  default:
    default: allow
    rules:
      - { name: crawlers, if: { flags: ai_crawler }, then: deny, status: 451, text: Grüße. }
      - { name: login, if: { hosts: [app.example, "*.b.example"], paths: /login, methods: POST }, then: deny }
      - { name: odd, if: { prefixes: 1.0.1.0/24 }, then: deny, status: 499 }
      - { name: seen, if: { countries: US }, then: tag }
  watched: { mode: observe, default: deny }
  closed: { default: deny }
`;

function generateDecision(random: Random, keys: Keys): string {
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  const isOdd = random() < 0.2;
  const parameters = [
    ...(random() < 0.6
      ? [
          `ip=${pick([address(random, pick), '8.8.8.8', '3.0.0.17', '1.0.1.1', '']).replaceAll(/[ ä]/g, '')}`,
        ]
      : []),
    ...(random() < 0.3 ? [`host=${pick(HOSTS)}`] : []),
    ...(random() < 0.3 ? [`path=${pick(PATHS)}`] : []),
    ...(random() < 0.3 ? [`method=${pick(METHODS)}`] : []),
    ...(random() < 0.4
      ? [`set=${pick(['default', 'watched', 'closed', 'other', '', 'a%20b'])}`]
      : []),
    ...(isOdd && random() < 0.6 ? [pick(ODD_PARAMETERS)] : []),
  ];
  const query = parameters.length === 0 && random() < 0.9 ? '' : `?${parameters.join('&')}`;
  const target = isOdd
    ? pick(['/v1/decide', '/v1/decide', '/v1/decide/', '/v1/Decide', '/v1/decide%20'])
    : '/v1/decide';
  const method = isOdd ? pick(['GET', 'GET', 'GET', 'HEAD', 'POST', 'get']) : 'GET';
  const forwarded = Array.from({ length: random() * 6 }, () => pick(FORWARDED));
  const lines = [...headers(random, pick, keys, isOdd, 12), ...forwarded];
  return `${method} ${target}${query} HTTP/1.1\r\n${lines.map((line) => `${line}\r\n`).join('')}\r\n`;
}

const HOSTS = [
  'app.example',
  'APP.example.:443',
  'a.b.example',
  'b.example',
  'b%C3%BCcher.example',
  '[::1]:80',
  '',
];
const PATHS = [
  '/login',
  '/x/../login',
  '//login',
  '/%6Cogin',
  '/%256Cogin',
  '/Login',
  '/',
  '',
  'login',
  '/a+b',
  '/login%3Fx',
];
const METHODS = ['POST', 'post', 'GET', 'P%00', ''];
const ODD_PARAMETERS = [
  'explain=true',
  'explain=false',
  'explain=maybe',
  'ip=8.8.8.8&ip=1.0.0.1',
  'ip',
  'IP=8.8.8.8',
  'other=1',
  'path=/a;b',
  'path=/a?b',
  'path=/a#b',
  'path=%',
  'host=a,b',
  '',
];
const FORWARDED = [
  'X-Forwarded-For: 8.8.8.8',
  'X-Forwarded-For: 3.0.0.17',
  'x-forwarded-for: 8.8.8.8:4711',
  'X-Forwarded-For: [2001:4860::1]:80',
  'X-Forwarded-For: 1.2.3.4, 8.8.8.8',
  'X-Forwarded-For: 8.8.8.8, 127.0.0.1',
  'X-Forwarded-For: 8.8.8.8,',
  'X-Forwarded-For: ,',
  'X-Forwarded-For: unknown',
  'X-Forwarded-Host: app.example',
  'X-Forwarded-Host: other.example',
  'x-forwarded-host: x.b.example:8443',
  'X-Forwarded-Uri: /login?x=1',
  'X-Forwarded-Uri: /x/..//login',
  'X-FORWARDED-URI: /',
  'X-Forwarded-Method: POST',
  'X-Forwarded-Method: GET',
  'X-Forwarded-Server: app.example',
  'X-Real-IP: 8.8.8.8',
  'Forwarded: for=8.8.8.8;host=app.example',
];

function generateBatch(random: Random, keys: Keys): string {
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  const isOdd = random() < 0.2;
  const count = random() < 0.02 ? 1_100 * random() : 1 + 5 * random();
  const texts = Array.from(
    { length: count },
    () => `"${address(random, pick).replaceAll('ä', 'x')}"`,
  );
  const body = isOdd ? pick(ODD_BODIES) : `{"ips":[${texts.join(pick([',', ', ']))}]}`;
  const target = isOdd
    ? pick(['/v1/ip/batch', '/v1/ip/batch', '/v1/ip/batch?', '/v1/ip/batch/'])
    : '/v1/ip/batch';
  const type = pick(['application/json', 'application/json', 'application/json; charset=utf-8']);
  const lines = [
    // Only a good key is answered on the fast path.
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

const SECTIONS = [
  '?include=routing',
  '?include=privacy,scanner',
  '?include=location,routing,routing',
  '?explain=true',
  '?explain=true&include=routing',
  '?include=privacy&explain=true',
];
const ODD_SECTIONS = [
  '?include=',
  '?include=routing,other',
  '?include=routing&x=1',
  '?include=Routing',
  '?explain=True',
  '?explain=1',
  '?explain=false',
  '?explain=true&explain=true',
  '?explain=true&include=',
];

function generateLookup(random: Random, keys: Keys): string {
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  const isOdd = random() < 0.2;
  const start = isOdd
    ? pick(['/v1/ip/', '/v1/ip/', '/v1/asn/', '/v1/IP/', '//v1/ip/', '/v1/ip'])
    : '/v1/ip/';
  const target = `${start}${address(random, pick)}`;
  const sections = random() < WITH_SECTIONS ? pick(SECTIONS) : '';
  const query = isOdd
    ? pick(['', '', '?', '?explain=true', '?a=%', '#x', '%20', '/', ...ODD_SECTIONS])
    : sections;
  const method = isOdd
    ? pick(['GET', 'GET', 'GET', 'HEAD', 'get', 'POST', 'OPTIONS', 'PROPFIND'])
    : 'GET';
  const version = isOdd
    ? pick(['HTTP/1.1', 'HTTP/1.1', 'HTTP/1.1', 'HTTP/1.0', 'HTTP/1.2', 'http/1.1'])
    : 'HTTP/1.1';
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
    () =>
      pick([
        '2001:4860:0:0:0:0:0:1',
        '2001:4860::0:1',
        '2001:4860::A',
        '::ffff:8.8.8.8',
        '::FFFF:808:808',
        '::',
      ]),
    () =>
      pick([
        '10.0.0.1',
        '127.0.0.1',
        '192.0.2.1',
        'fe80::1',
        'ff02::1',
        '0.0.0.0',
        '255.255.255.255',
      ]),
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
    () =>
      pick([
        '8.8.8.8%20',
        '%38.8.8.8',
        '[::1]',
        'fe80::1%25eth0',
        '8.8.8.8/24',
        'batch',
        'ä',
        ' ',
        '%',
        '%zz',
        '8.8.8.8%ff',
      ]),
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
  'Authorization: Basic MTp4',
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
  'If-None-Match: *',
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
    ...(isOdd && random() < 0.2
      ? []
      : [pick(['Host: x', 'host: localhost:8080', 'HOST: a.example'])]),
    ...(key === '' ? [] : [`${name}: ${key}`]),
  ];
  for (let i = Math.floor(random() * 6); i > 0; i--) lines.push(pick(HARMLESS));
  if (isOdd && random() < 0.7) lines.push(pick(ODD));
  return random() < 0.5 ? lines : lines.sort(() => random() - 0.5);
}
